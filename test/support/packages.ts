/** Programs that tests need and npm does not provide. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { temporary } from './postgres-binaries.ts'

/**
 * Makes sure that a program is installed. As root on Debian it installs the program, once for all
 * callers that ask at the same time. Otherwise it throws an Error with the command to run.
 */
export function requireProgram(program: string, debianPackage: string): void {
  if (!existsSync(program) && process.getuid?.() === 0) {
    const install = `[ -e ${program} ] || {
      apt-get $again update && apt-get $again install -y --no-install-recommends ${debianPackage}; }`
    // At run level 1, packages do not start their servers. A download that fails is tried again.
    const again = '-o Acquire::Retries=5'
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', again }
    const lock = join(temporary, 'frontdesk-packages.lock')
    execFileSync('flock', [lock, 'sh', '-c', install], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  if (!existsSync(program)) {
    throw new Error(`These tests need ${program}: apt-get install ${debianPackage}`)
  }
}
