/** `npm run demo`, as a newcomer starts it. */
import { equal, match, notEqual, ok, rejects } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { callable } from '../../demo/people.ts'
import { findPorts } from '../../demo/ports.ts'
import { HOUR } from '../../src/platform/time.ts'
import { startDemo } from '../support/demo.ts'
import { freePortsInARow } from '../support/ports.ts'

test('the demo signs in by its link, and every page shows something', async t => {
  const demo = await startDemo()
  t.after(demo.stop)
  const { headers } = await fetch(demo.link, { redirect: 'manual' })
  const inbox = headers.get('location') ?? ''
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  const read = async (path: string) => (await fetch(new URL(path, inbox), { headers: { cookie } })).text()

  match(await read('/inbox'), /Maria Lopez[\s\S]*\d+ min/)
  match(await read('/today'), /\d+ to call now/)
  match(await read('/operators'), /Maria Lopez \(you\)[\s\S]*<span class="tag">active<\/span>/)
  match(await read('/inbox?q=okoye'), /Rosalind Okoye/)
  for (const [path, name] of [
    ['manager', 'Dana Kim'],
    ['counselor', 'Priya Nair'],
    ['viewer', 'Vic Lane'],
  ]) {
    const signedIn = await fetch(new URL(path ?? '', demo.link), { redirect: 'manual' })
    const session = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    match(
      await (await fetch(new URL('/account', inbox), { headers: { cookie: session } })).text(),
      new RegExp(name ?? ''),
    )
  }
  match(await read('/quarantine'), /Pecan Valley Clinic/)
  match(await read('/delivery?state=acknowledged'), /no such domain/)
  match(await read('/insight'), /brought the most(?:: | students who enrolled)/)
  const [answered] = /\/leads\/\d+/.exec(await read('/inbox?stage=any&q=marble+falls')) ?? []
  match(await read(answered ?? ''), /Can I bring my mom\?[\s\S]*Would Thursday at 4 pm/)
})

test('someone may be called at every hour of every day', () => {
  const day = Date.UTC(2026, 10, 22)
  for (let hour = 0; hour < 7 * 24; hour++) {
    const people = callable(day + (hour + 0.5) * HOUR)
    ok(
      people.every(({ state }) => state !== undefined),
      new Date(day + hour * HOUR).toISOString(),
    )
  }
})

test('the demo ends with the process that started it', async () => {
  const program = fileURLToPath(new URL('../../demo/demo.ts', import.meta.url))
  const port = await freePortsInARow(4)
  // A shell that does more afterward does not become the program, and passes no signal on.
  const shell = spawn('sh', ['-c', `"${process.execPath}" "${program}"; true`], {
    env: { ...process.env, DEMO_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(shell.stdout)) if (line.includes('The demo is ready')) break
  const closed = once(shell.stdout, 'close')
  shell.stdout.resume()
  shell.kill('SIGKILL')
  await closed
  await rejects(fetch(`http://127.0.0.1:${port + 2}/`))
})

test('the demo looks for ports that are free, and says in words which one is in use', async t => {
  const port = (await freePortsInARow(4)) + 1
  const other = createServer().listen(port, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  await rejects(findPorts(String(port - 1)), {
    message: `Port ${port} is in use. The demo needs the ports ${port - 1} to ${port + 2}: choose others with DEMO_PORT, or leave it out.`,
  })
  await rejects(findPorts('70000'), /DEMO_PORT is "70000"\. Give the first of 4 ports/)

  const found = await findPorts(undefined)
  const taken = createServer().listen(found + 2)
  t.after(() => taken.close())
  await once(taken, 'listening')
  notEqual(await findPorts(undefined), found)
  equal((await findPorts(undefined)) % 10, 0)
})
