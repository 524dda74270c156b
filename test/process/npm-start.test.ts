/** `npm start`, as README says it: npm runs it through a shell, which does not pass signals on. */
import { deepEqual, equal } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../support/folder.ts'
import { freePorts } from '../support/ports.ts'
import { until } from '../support/process.ts'
import { processes, signal } from '../support/processes.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('SIGTERM to npm start ends the service in order, and npm only after it', async t => {
  const [site, learn, console] = (await freePorts(3)).map(String)
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: temporaryFolder(t),
      DATA_DIR: temporaryFolder(t),
      SITE_PORT: site,
      LEARN_PORT: learn,
      CONSOLE_PORT: console,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let out = ''
  npm.stdout.setEncoding('utf8').on('data', text => {
    out += text
  })
  const exit = once(npm, 'exit')
  const descendants = (): number[] => {
    const all = processes()
    const below = (pid: number): number[] =>
      all.filter(({ parent }) => parent === pid).flatMap(child => [child.pid, ...below(child.pid)])
    return below(npm.pid ?? 0)
  }
  await until(() => out.includes('"ready"'))
  const service = descendants()
  t.after(() => {
    for (const pid of service) signal(pid, 'SIGKILL')
  })
  equal(service.length > 0, true)

  npm.kill('SIGTERM')
  await exit
  const running = new Set(processes().map(({ pid }) => pid))
  deepEqual(
    service.filter(pid => running.has(pid)),
    [],
  )
  equal(out.includes('"stopped"'), true, out)
})
