/** The two engines, so that the same tests check both. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext } from 'node:test'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { temporaryFolder } from './folder.ts'
import { rowsOverKept, testDatabase } from './postgres.ts'
import { reusedDatabase } from './reused-databases.ts'
import { shared } from './shared-databases.ts'
import { copyInstallation } from './templates.ts'

export type Engine = DatabaseAddress['engine']

/** The only engine on which a quick run tests (`npm run check:fast`). The gate never does. */
const only = process.env['TEST_ENGINE']
if (only !== undefined && process.env['CI']) throw new Error('TEST_ENGINE is set in CI, where both engines are tested.')

/** Declares the same tests once for each engine. */
export function onEachEngine(declare: (engine: Engine) => void): void {
  for (const engine of ['sqlite', 'postgres'] as const) {
    if (only === undefined || only === engine) describe(`on ${engine}`, () => declare(engine))
  }
}

/** A new, empty database for a test. */
export async function newDatabase(t: TestContext, engine: Engine): Promise<DatabaseAddress> {
  return engine === 'sqlite'
    ? { engine, file: join(temporaryFolder(t), 'frontdesk.db') }
    : { engine, url: await testDatabase(t) }
}

/** A new database for a test, with the schema that a start of the service creates. */
export async function migratedDatabase(t: TestContext, engine: Engine): Promise<DatabaseAddress> {
  if (engine === 'postgres') {
    const template = (await shared('postgres'))?.template
    return { engine, url: await (template === undefined ? testDatabase(t) : reusedDatabase(t, template)) }
  }
  const folder = temporaryFolder(t)
  await copyInstallation(folder)
  return { engine, file: join(folder, 'frontdesk.db') }
}

/** The database as a value of `DATABASE_URL`. */
export const urlOf = (database: DatabaseAddress): string =>
  database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url

/** Runs SQL beside the service: to see what no store method returns, or to cause what only a disaster would. */
export async function sql(database: DatabaseAddress, text: string): Promise<Record<string, unknown>[]> {
  if (database.engine === 'postgres') return rowsOverKept(database.url, text)
  const db = new DatabaseSync(database.file, { timeout: 30_000, enableForeignKeyConstraints: true })
  try {
    return db.prepare(text).all()
  } finally {
    db.close()
  }
}

/** The number of rows in a table. */
export async function countRows(database: DatabaseAddress, table: string): Promise<number> {
  const [row] = await sql(database, `select count(*) as count from ${table}`)
  return Number(row?.['count'])
}
