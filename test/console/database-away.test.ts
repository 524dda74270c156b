/** The console while its database cannot be reached. */
import { equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../process/faults.ts'
import { startConsole } from '../support/console.ts'
import { migratedDatabase } from '../support/engines.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { usualTimeLimits } from '../support/time-limits.ts'

test('a page says so and tries again by itself; a form is kept, and sent again when it is back', async t => {
  usualTimeLimits(t)
  const { url } = (await migratedDatabase(t, 'postgres')) as { url: string }
  const proxy = await TcpProxy.start(t, url)
  const database = { engine: 'postgres', url: proxy.through(url) } as const
  const service = await startConsole(t, { database })
  const browser = await service.client('viewer')

  proxy.hold()
  const page = await browser.get('/account')
  equal(page.status, 503)
  match(page.text, /<meta http-equiv="refresh" content="5">/)
  match(page.text, /The database is unavailable/)
  const typed = 'a note that took someone a while to write'
  const sent = await browser.post('/account/shortcuts', { shortcuts: 'off', note: typed })
  equal(sent.status, 503)
  ok(!sent.text.includes('http-equiv="refresh"'), 'what was typed stays on the page')
  match(sent.text, new RegExp(`<blockquote class="typed">${typed}`))
  match(sent.text, /action="\/account\/shortcuts"/)

  proxy.pass()
  const again = async () => (await browser.post('/account/shortcuts', { shortcuts: 'off' })).text
  await eventually(async () => /shortcuts are off/.test(await again()), 'it is still away')
})
