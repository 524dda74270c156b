/** `npm run bench:volume`, which someone stops. */
import { deepEqual, equal } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../support/folder.ts'
import { processes } from '../support/processes.ts'

const LEADS = '20000000'

test('the benchmark of many leads leaves nothing behind when it is stopped while it fills a database', async t => {
  const folder = temporaryFolder(t)
  const changes = watch(folder, { recursive: true })
  const program = fileURLToPath(new URL('../../bench/volume.ts', import.meta.url))
  const bench = spawn(process.execPath, [program, '--rows', LEADS], {
    env: { ...process.env, TMPDIR: folder },
    stdio: 'ignore',
  })
  t.after(() => bench.kill('SIGKILL'))
  const isFilling = () =>
    readdirSync(folder).some(name => existsSync(join(folder, name, `${LEADS}.db`))) &&
    processes().some(({ parent }) => parent === bench.pid)
  while (!isFilling()) await once(changes, 'change')
  changes.close()
  const ended = once(bench, 'exit')
  bench.kill('SIGTERM')
  const [exitCode] = await ended
  equal(exitCode, 143)
  deepEqual(readdirSync(folder), [])
})
