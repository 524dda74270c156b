/** The compiled code of the service, which all processes of a run share. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { fastFolder } from './folder.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/frontdesk.js', import.meta.url))

/** Where `bin/frontdesk.js` keeps it. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/frontdesk', import.meta.url))

/** Whether this is the first run after an installation. */
const first = !existsSync(FOLDER)

/** Lets the processes that this one starts use the code that services have compiled. */
export function shareCompiledCode(): void {
  process.env['NODE_COMPILE_CACHE'] ??= FOLDER
}

/**
 * After an installation, starts a service and ends it in order: only then does Node.js keep what it has compiled, and
 * most services of the tests are killed.
 */
export async function compileCode(): Promise<void> {
  if (!first) return
  const dataDir = mkdtempSync(join(fastFolder(), 'frontdesk-'))
  const anyPorts = { SITE_PORT: '0', LEARN_PORT: '0', CONSOLE_PORT: '0' }
  const service = spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: dataDir,
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir, ...anyPorts },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(service, 'exit')
  for await (const line of createInterface(service.stdout)) {
    if (line.includes('"msg":"ready"')) service.kill('SIGTERM')
  }
  await ended
  rmSync(dataDir, { recursive: true })
}
