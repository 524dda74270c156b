/**
 * The folder of a simulated month, for its database and its logs. The campaign proves nothing about
 * disks, so it is in memory if there is enough room.
 */
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function makeFolder(): { folder: string; remove: () => void } {
  const memory = '/dev/shm'
  const { bavail, bsize } = statfsSync(existsSync(memory) ? memory : tmpdir())
  const hasRoom = existsSync(memory) && bavail * bsize > 2 ** 31
  const folder = mkdtempSync(join(hasRoom ? memory : tmpdir(), 'frontdesk-month-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
