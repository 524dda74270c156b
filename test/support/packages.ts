/** Programs that tests need and npm does not have. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { temporary } from './postgres-binaries.ts'

/**
 * Sees to it that a program is there: on Debian as root it is installed, once for all that ask at
 * the same time. Throws with the command to run where that is not possible.
 */
export function requireProgram(program: string, debianPackage: string): void {
  if (!existsSync(program) && process.getuid?.() === 0) {
    const install = `[ -e ${program} ] || {
      apt-get update && apt-get install -y --no-install-recommends ${debianPackage}; }`
    // At run level 1 no package starts a server of its own.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
    const lock = join(temporary, 'frontdesk-packages.lock')
    execFileSync('flock', [lock, 'sh', '-c', install], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  if (!existsSync(program)) {
    throw new Error(`These tests need ${program}: apt-get install ${debianPackage}`)
  }
}
