/** Creates the empty database on which the service is measured, a new one each time. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Postgres, query } from './postgres.ts'

export type Database = {
  /** The value of `DATABASE_URL`. */
  url: string
  /** Counts the rows of `submissions` from outside, once the service has ended. */
  countSubmissions: () => Promise<number>
  remove: () => Promise<void>
}

const COUNT = 'select count(*) as stored from submissions'

/** Creates a database on the PostgreSQL server if there is one, otherwise as a file in `folder`. */
export async function createDatabase(folder: string, postgres: Postgres | undefined): Promise<Database> {
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
