/** Reads the tasks directly from the database. */
import type { TestApp } from '../support/app.ts'
import { sql } from '../support/engines.ts'

/** The tasks of some kinds, oldest first. */
export async function tasksOf({ database }: Pick<TestApp, 'database'>, ...kinds: string[]) {
  const tasks = await sql(database, 'select * from tasks order by id')
  return tasks.filter(task => kinds.includes(String(task['kind'])))
}
