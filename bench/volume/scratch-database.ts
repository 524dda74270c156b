/** Creates the databases to fill: SQLite files in a folder, or databases on our own PostgreSQL server. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startPostgres } from '../postgres.ts'
import { fillPostgres, unloggedFill } from './postgres.ts'
import { fillSqlite } from './sqlite.ts'

export type ScratchDatabase = {
  /** The engine and its version. */
  engine: string
  /** Creates a database with this many leads. */
  fill: (leads: number) => Promise<DatabaseAddress>
  remove: () => Promise<void>
}

/** `analyzed` applies only to SQLite, because PostgreSQL analyzes by itself. */
export async function openScratch(engine: string, analyzed: boolean): Promise<ScratchDatabase> {
  if (engine === 'sqlite') return scratchFile(analyzed)
  if (engine === 'postgres') return scratchServer()
  throw new Error('--database must be sqlite or postgres')
}

function scratchFile(analyzed: boolean): ScratchDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-volume-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
  return {
    engine: `SQLite ${process.versions['sqlite']}${analyzed ? ', analyzed' : ''}`,
    fill: async leads => {
      const database = { engine: 'sqlite', file: join(folder, `${leads}.db`) } as const
      await migrate(database)
      await fillSqlite(database.file, leads, analyzed)
      settle()
      return database
    },
    remove: async () => remove(),
  }
}

async function scratchServer(): Promise<ScratchDatabase> {
  const server = await startPostgres(unloggedFill)
  return {
    engine: `PostgreSQL ${server.version}`,
    fill: async leads => {
      const database = { engine: 'postgres', url: await server.createDatabase() } as const
      await migrate(database)
      await fillPostgres(database.url, leads)
      settle()
      return database
    },
    remove: () => server.remove(),
  }
}

async function migrate(database: DatabaseAddress): Promise<void> {
  const store = await openStore(database)
  await store.close()
}

/** Writes all data to the disk now, so that the system does not do it while we measure. */
function settle(): void {
  spawnSync('sync')
}
