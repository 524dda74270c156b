/** A folder of its own for a test, gone after it. */
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

const MEMORY = '/dev/shm'

/** The part of the memory that must be free, in bytes. */
const ROOM = 2 ** 31

/**
 * Where tests keep files that need not outlive a crash of the machine: in memory where that has room,
 * where no commit waits for a disk. Otherwise `elsewhere`.
 */
export function fastFolder(elsewhere = tmpdir()): string {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return elsewhere
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > ROOM ? MEMORY : elsewhere
}

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(fastFolder(), 'frontdesk-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
