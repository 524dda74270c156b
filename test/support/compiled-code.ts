/** The compiled code of the service, which all processes of a run share. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fastFolder } from './folder.ts'
import { program, SOURCE } from './program.ts'

/** Where `bin/frontdesk.js` keeps it. */
const folderOf = (command: string): string => join(dirname(command), '../node_modules/.cache/frontdesk')

/** Lets the processes that this one starts use the code that services have compiled. */
export function shareCompiledCode(): void {
  process.env['NODE_COMPILE_CACHE'] ??= folderOf(SOURCE)
}

/**
 * After an installation or a build, starts a service and ends it in order: only then does Node.js keep what it has compiled, and
 * most services of the tests are killed.
 */
export async function compileCode(): Promise<void> {
  for (const command of new Set([SOURCE, program()])) if (!existsSync(folderOf(command))) await compile(command)
}

async function compile(command: string): Promise<void> {
  const dataDir = mkdtempSync(join(fastFolder(), 'frontdesk-'))
  const anyPorts = { SITE_PORT: '0', LEARN_PORT: '0', CONSOLE_PORT: '0' }
  const service = spawn(process.execPath, [command, 'serve'], {
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
