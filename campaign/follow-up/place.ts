/**
 * What a simulated month plays on: an empty database, and a folder for it and for the logs. Nothing of
 * what it proves hangs on a disk, so both lie in memory where that has room.
 */
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../test/support/engines.ts'
import { postgresRows } from '../../test/support/postgres.ts'
import { startPostgresServer } from '../../test/support/postgres-server.ts'
import type { Cleanup, Place } from '../stage.ts'

export function makeFolder(): { folder: string; remove: () => void } {
  const memory = '/dev/shm'
  const { bavail, bsize } = statfsSync(existsSync(memory) ? memory : tmpdir())
  const roomy = existsSync(memory) && bavail * bsize > 2 ** 31
  const folder = mkdtempSync(join(roomy ? memory : tmpdir(), 'frontdesk-month-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Makes an empty database, on PostgreSQL with a server of its own. */
export async function makeMonthPlace(t: Cleanup, engine: Engine, folder: string): Promise<Place> {
  if (engine === 'sqlite')
    return { database: { engine, file: join(folder, 'frontdesk.db') }, server: undefined }
  const server = await startPostgresServer()
  t.after(() => server.remove())
  await postgresRows(server.url, 'create database month')
  const url = new URL(server.url)
  url.pathname = 'month'
  return { database: { engine, url: url.href }, server }
}
