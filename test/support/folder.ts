/** A temporary folder for a test. */
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { hasFailed, keep } from './kept.ts'

const MEMORY = '/dev/shm'

/** How much memory must be free, in bytes. */
const ROOM = 2 ** 31

/**
 * The folder for files that need not survive a crash of the machine: in memory, where no commit waits
 * for a disk. If there is not enough room, `elsewhere`.
 */
export function fastFolder(elsewhere = tmpdir()): string {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return elsewhere
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > ROOM ? MEMORY : elsewhere
}

/** It is removed after the test, unless the test has failed. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(fastFolder(), 'frontdesk-'))
  t.after(() => {
    if (hasFailed(t)) keep(t, folder, 'The folder')
    else rmSync(folder, { recursive: true, force: true })
  })
  return folder
}
