/** `npm run demo`, as a newcomer starts it. */
import { match } from 'node:assert/strict'
import { test } from 'node:test'
import { startDemo } from '../support/demo.ts'

test('the demo signs in by its link, and every page shows something', async t => {
  const demo = await startDemo()
  t.after(demo.stop)
  const { headers } = await fetch(demo.link, { redirect: 'manual' })
  const inbox = headers.get('location') ?? ''
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  const read = async (path: string) =>
    (await fetch(new URL(path, inbox), { headers: { cookie } })).text()

  match(await read('/inbox'), /Maria Lopez[\s\S]*\d+ min/)
  match(await read('/today'), /\d to call now/)
  match(await read('/quarantine'), /Pecan Valley Clinic/)
  match(await read('/delivery?state=acknowledged'), /no such domain/)
  const [answered] = /\/leads\/\d+/.exec(await read('/inbox?stage=any&q=marble+falls')) ?? []
  match(await read(answered ?? ''), /Can I bring my mom\?[\s\S]*Would Thursday at 4 pm/)
})
