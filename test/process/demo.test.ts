/** `npm run demo`, as a newcomer starts it. */
import { equal, match, notEqual, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { findPorts } from '../../demo/ports.ts'
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
  match(await read('/today'), /\d to call now|No one to call until/)
  match(await read('/quarantine'), /Pecan Valley Clinic/)
  match(await read('/delivery?state=acknowledged'), /no such domain/)
  match(await read('/insight'), /brought the most(?:: | students who enrolled)/)
  const [answered] = /\/leads\/\d+/.exec(await read('/inbox?stage=any&q=marble+falls')) ?? []
  match(await read(answered ?? ''), /Can I bring my mom\?[\s\S]*Would Thursday at 4 pm/)
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
