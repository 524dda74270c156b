import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'

test('the log counts what may be an attack, by kind, and names no one', async t => {
  const service = await startApp(t, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const { origin, request } = service
  await service.postSite(aSite({ website: 'https://x.example' }))
  for (let i = 0; i < 6; i++) await service.postStudent(aStudent({ email: 'ann@mail.example' }))
  const from = { 'X-Forwarded-For': '203.0.113.99' }
  for (let i = 0; i < 12; i++) await service.postSite('{}', from)
  await request(`${origin.console}/act/forged`)
  await request(`${origin.learn}/mail/forged`)
  await service.close()
  const [line = '', ...more] = service.log.filter(text => text.includes('security events'))
  deepEqual(more, [])
  const { level, trapped, lockedOut, rateLimited, rejectedLinks } = JSON.parse(line)
  deepEqual(
    { level, trapped, lockedOut, rateLimited, rejectedLinks },
    { level: 40, trapped: 1, lockedOut: 1, rateLimited: 2, rejectedLinks: 2 },
  )
  equal(/203\.0\.113|ann@/.test(line), false)
})
