/** A disk for a test, so small that the test can fill it. */
import { equal } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { platform } from 'node:os'
import type { TestContext } from 'node:test'

/** The number of the capability to mount (capabilities(7)). */
const SYS_ADMIN = 21n

/** Whether this process may mount. Root alone is not enough: in most containers root may not mount. */
export function mayMount(): boolean {
  if (platform() !== 'linux' || process.getuid?.() !== 0) return false
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return ((BigInt(`0x${effective}`) >> SYS_ADMIN) & 1n) === 1n
}

/** Mounts a disk in memory that every user may write to. It is unmounted after the test. */
export function mountSmallDisk(t: TestContext, megabytes: number): string {
  const folder = mkdtempSync('/tmp/frontdesk-disk-')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=1777`, 'tmpfs', folder])
  // Hooks run in the order of their registration, and everything that uses the disk closes first.
  t.after(() =>
    t.after(() => {
      execFileSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true })
    }),
  )
  return folder
}

/** Writes a file until the disk has only `room` bytes left. */
export function fill(file: string, room: number) {
  const descriptor = openSync(file, 'w')
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4096))
  } catch (error) {
    equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    ftruncateSync(descriptor, fstatSync(descriptor).size - room)
  } finally {
    closeSync(descriptor)
  }
}
