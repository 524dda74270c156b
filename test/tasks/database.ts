/** A look at the database beside the service: what no query shows, and what only a disaster makes. */
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'

type Where = { dataDir: string }

export function sqlRows(
  { dataDir }: Where,
  text: string,
  ...values: SQLInputValue[]
): Record<string, SQLOutputValue>[] {
  const db = new DatabaseSync(join(dataDir, 'frontdesk.db'), { timeout: 5000 })
  try {
    return db.prepare(text).all(...values)
  } finally {
    db.close()
  }
}

/** The tasks of some kinds, oldest first. */
export const tasksOf = (where: Where, ...kinds: string[]) =>
  sqlRows(where, 'select * from tasks order by id').filter(task =>
    kinds.includes(String(task['kind'])),
  )
