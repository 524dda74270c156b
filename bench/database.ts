/** Where the service keeps its data while it is measured: each time a database of its own, empty. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Postgres, query } from './postgres.ts'

export type Database = {
  /** As the service takes it. */
  url: string
  /** Rows of `submissions`, read from outside, once the service has ended. */
  countSubmissions: () => Promise<number>
  remove: () => Promise<void>
}

const COUNT = 'select count(*) as stored from submissions'

/** On the server, where there is one; else a file in `folder`. */
export async function createDatabase(
  folder: string,
  postgres: Postgres | undefined,
): Promise<Database> {
  if (postgres === undefined) return sqliteDatabase(join(folder, 'frontdesk.db'))
  const url = await postgres.createDatabase()
  return {
    url,
    countSubmissions: async () => Number((await query(url, COUNT))[0]?.['stored']),
    remove: () => postgres.dropDatabase(url),
  }
}

function sqliteDatabase(file: string): Database {
  return {
    url: `sqlite:${file}`,
    countSubmissions: async () => {
      const database = new DatabaseSync(file, { readOnly: true })
      const row = database.prepare(COUNT).get()
      database.close()
      return Number(row?.['stored'])
    },
    remove: async () => {
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    },
  }
}
