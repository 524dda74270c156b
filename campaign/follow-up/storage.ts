/**
 * The storage of a simulated month: an empty database, and a folder for it and for the logs. The
 * campaign proves nothing about disks, so both are in memory if there is enough room.
 */
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../test/support/engines.ts'
import { postgresRows } from '../../test/support/postgres.ts'
import { startPostgresServer } from '../../test/support/postgres-server.ts'
import type { CampaignStorage, Cleanup } from '../set-up.ts'

export function makeFolder(): { folder: string; remove: () => void } {
  const memory = '/dev/shm'
  const { bavail, bsize } = statfsSync(existsSync(memory) ? memory : tmpdir())
  const hasRoom = existsSync(memory) && bavail * bsize > 2 ** 31
  const folder = mkdtempSync(join(hasRoom ? memory : tmpdir(), 'frontdesk-month-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Creates an empty database, on PostgreSQL with its own server. */
export async function makeMonthStorage(
  t: Cleanup,
  engine: Engine,
  folder: string,
): Promise<CampaignStorage> {
  if (engine === 'sqlite')
    return { database: { engine, file: join(folder, 'frontdesk.db') }, server: undefined }
  const server = await startPostgresServer()
  t.after(() => server.remove())
  await postgresRows(server.url, 'create database month')
  const url = new URL(server.url)
  url.pathname = 'month'
  return { database: { engine, url: url.href }, server }
}
