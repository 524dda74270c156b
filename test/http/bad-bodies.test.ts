/** Every way of getting a body wrong that we could think of, and the sentence of its response. */
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { accepted } from './bodies/accepted.ts'
import { answers, named, notNamed } from './bodies/answers.ts'
import { anyText } from './bodies/any-text.ts'
import { contacts } from './bodies/contacts.ts'
import { json } from './bodies/json.ts'
import { moment, trapped } from './bodies/moments.ts'
import { properties } from './bodies/properties.ts'
import { bodyOf, type Row } from './bodies/rows.ts'
import { shapes } from './bodies/shapes.ts'
import { texts } from './bodies/texts.ts'
import { wire } from './bodies/wire.ts'

const tables = { anyText, texts, contacts, moment, answers, properties, shapes, json, wire }

/** Sends the requests, some at a time; resolves to the response to each. */
async function send(service: TestApp, requests: readonly Pick<Row, 'to' | 'body' | 'headers'>[]) {
  const urls = {
    site: `${service.origin.site}/api/site-interest`,
    student: `${service.origin.learn}/api/admissions/interest`,
  }
  const responses: { status: number; body: unknown }[] = []
  let next = 0
  const sender = async () => {
    for (let i = next++; i < requests.length; i = next++) {
      const { to, body, headers } = requests[i] as Row
      const given = Object.entries({ 'Content-Type': 'application/json', ...headers })
      const { status, body: received } = await service.request(urls[to], {
        method: 'POST',
        headers: given.filter(([, value]) => value !== undefined),
        body,
      })
      responses[i] = { status, body: received }
    }
  }
  await Promise.all(Array.from({ length: 20 }, sender))
  return responses
}

/** Sends the rows and compares the responses with the expected ones; a difference names its rows. */
async function check(service: TestApp, rows: readonly Row[]) {
  const responses = await send(service, rows)
  const compare = (of: (row: Row, i: number) => unknown) => rows.map((row, i) => [row.to, row.what, of(row, i)])
  deepEqual(
    compare((_, i) => responses[i]),
    compare(({ status, error }) => ({ status, body: { error } })),
  )
}

test('bad bodies', async t => {
  const service = await startApp(t)
  const { store } = service.app

  for (const [theme, rows] of Object.entries(tables)) {
    await t.test(`each of ${rows.length} bad requests (${theme}) gets an error that says what to change`, () =>
      check(service, rows),
    )
  }

  await t.test('none of them was stored, and no one was notified', async () => {
    await service.settle()
    deepEqual(await store.listLeads({ limit: 10 }), [])
    deepEqual(await store.listQuarantine({ state: 'held', limit: 10 }), [])
    equal((await store.countBacklog(service.clock.now())).unfiled, 0)
    equal(service.sent.length, 0)
  })

  await t.test('nothing that was sent is in the log', () => {
    const log = service.log.join('')
    for (const word of ['Ruiz', 'Okafor', 'mercy.example', '555-01']) equal(log.includes(word), false)
  })

  await t.test('a filled-in honeypot is rejected, too, and quarantined for people to look at', async () => {
    await check(service, trapped)
    await service.settle()
    const quarantined = await store.listQuarantine({ state: 'held', limit: 100 })
    equal(quarantined.length, trapped.length)
    deepEqual(await store.listLeads({ limit: 10 }), [])
    equal(service.sent.length, 0)
  })
})

test('ranked answers that the settings do not name are rejected with a list of those that they do', async t => {
  const service = await startApp(t, { settings: { studentInterest: { answers: named } } })
  await check(service, notNamed)
  const right = Object.entries(named).flatMap(([field, { allowed }]) =>
    allowed.map(answer => ({ to: 'student' as const, body: bodyOf('student', { [field]: answer }) })),
  )
  for (const { status } of await send(service, right)) equal(status, 200)
})

onEachEngine(engine => {
  test(`${accepted.length} bodies at the limits are accepted, and each becomes a lead`, async t => {
    const service = await startApp(t, { engine })
    const responses = await send(service, accepted)
    deepEqual(
      accepted.map(({ to, what }, i) => [to, what, responses[i]]),
      accepted.map(({ to, what }) => [to, what, { status: 200, body: { success: true } }]),
    )
    await service.settle()
    equal((await service.app.store.listLeads({ limit: 1000 })).length, accepted.length)
  })
})
