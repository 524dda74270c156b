import { deepEqual, equal, match } from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { startApp, type TestApp, withoutFollowUp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { countRows, onEachEngine } from '../support/engines.ts'

onEachEngine(engine => {
  describe('student interest', () => {
    test('a valid submission gets 200, becomes a lead, and both sides get their email', async t => {
      const service = await startApp(t, { engine })
      const response = await service.postStudent(aStudent({ email: 'ben@mail.example', state: 'texas' }))
      equal(response.status, 200)
      deepEqual(response.body, { success: true })
      await service.settle()
      const [lead] = await service.app.store.listLeads({ limit: 10 })
      equal(lead?.kind, 'student')
      equal(lead?.state, 'TX')
      equal(lead?.company, 'Lone Star Diner')
      deepEqual(service.sent.map(message => message.to.address).sort(), ['admissions@localhost', 'ben@mail.example'])
    })

    test('a ranked answer is stored as it was sent, with its rank', async t => {
      const service = await startApp(t, { engine })
      await service.postStudent(aStudent({ timeline: ' 2 - Within three months ' }))
      await service.settle()
      const [lead] = await service.app.store.listLeads({ limit: 1 })
      const found = await service.app.store.readLead(lead?.id ?? 0)
      const [submission] = found?.submissions ?? []
      deepEqual(submission?.kind === 'student' && submission.body.timeline, {
        rank: 2,
        text: '2 - Within three months',
      })
    })

    test('only names, email, phone and a key are required; empty strings count as absent', async t => {
      const service = await startApp(t, { engine })
      const { firstName, lastName, email, phone, idempotencyKey } = aStudent()
      const least = { firstName, lastName, email, phone, idempotencyKey }
      equal((await service.postStudent(least)).status, 200)
      const empty = aStudent({ city: '', state: '', timeline: ' ', employer: '', message: '' })
      equal((await service.postStudent(empty)).status, 200)
      equal((await service.postStudent(aStudent({ shoeSize: 43 }))).status, 200)
    })

    test('the key may be in the body, in the header, or in both if they are equal', async t => {
      const service = await startApp(t, { engine })
      const { idempotencyKey: _, ...keyless } = aStudent()
      const missing = await service.postStudent(keyless)
      equal(missing.status, 400)
      match(missing.text, /idempotencyKey is required/)
      equal((await service.postStudent(keyless, { 'X-Idempotency-Key': 'a' })).status, 200)
      const both = aStudent({ idempotencyKey: 'b' })
      equal((await service.postStudent(both, { 'X-Idempotency-Key': 'b' })).status, 200)
      const differ = await service.postStudent(aStudent(), { 'X-Idempotency-Key': 'c' })
      equal(differ.status, 400)
      match(differ.text, /must be the same idempotency key/)
    })

    test('two different keys in two headers of the same name are rejected, not joined', async t => {
      const service = await startApp(t, { engine })
      const { idempotencyKey: _, ...keyless } = aStudent()
      const headers = { 'Content-Type': 'application/json', 'X-Idempotency-Key': ['one', 'other'] }
      const url = `${service.origin.learn}/api/admissions/interest`
      const sent = request(url, { method: 'POST', headers }).end(JSON.stringify(keyless))
      const [response] = await once(sent, 'response')
      equal(response.statusCode, 400)
      match(await text(response), /X-Idempotency-Key must be sent once/)
    })

    test('a replay of a key gets the same response, marked as such; nothing is stored or sent twice', async t => {
      const service = await startApp(t, { engine })
      const body = aStudent()
      await service.postStudent(body)
      service.clock.advance(400 * DAY)
      const replay = await service.postStudent(body)
      equal(replay.status, 200)
      deepEqual(replay.body, { success: true })
      equal(replay.headers.get('idempotent-replayed'), 'true')
      await service.settle()
      equal(service.sent.length, 2)
    })

    test('a key survives a restart of the service', async t => {
      const body = aStudent()
      const before = await startApp(t, { engine })
      const { database, clock } = before
      await before.postStudent(body)
      await before.close()
      const after = await startApp(t, { database, clock })
      const replay = await after.postStudent(body)
      equal(replay.headers.get('idempotent-replayed'), 'true')
      equal((await after.postStudent({ ...body, city: 'Waco' })).status, 422)
    })

    test('a key that was used with another body is rejected', async t => {
      const service = await startApp(t, { engine })
      const body = aStudent()
      await service.postStudent(body)
      equal((await service.postStudent({ ...body, city: 'Waco' })).status, 422)
    })

    test('of twenty requests at once with one key, one is stored and all get the same response', async t => {
      const service = await startApp(t, { engine })
      const body = aStudent()
      const responses = await Promise.all(Array.from({ length: 20 }, () => service.postStudent(body)))
      deepEqual(new Set(responses.map(response => response.status)), new Set([200]))
      const fresh = responses.filter(response => !response.headers.has('idempotent-replayed'))
      equal(fresh.length, 1)
      await service.settle()
      equal((await service.app.store.listLeads({ limit: 10 })).length, 1)
      equal(service.sent.length, 2)
    })

    test('of two bodies sent at once with one key, one is stored and the other is rejected', async t => {
      const service = await startApp(t, { engine })
      const body = aStudent()
      const responses = await Promise.all([service.postStudent(body), service.postStudent({ ...body, city: 'Waco' })])
      deepEqual(responses.map(response => response.status).sort(), [200, 422])
    })

    test('the same key on the other operation is another key', async t => {
      const service = await startApp(t, { engine })
      await service.postStudent(aStudent({ idempotencyKey: 'shared' }))
      const response = await service.postSite(aSite(), { 'Idempotency-Key': 'shared' })
      equal(response.status, 200)
    })

    test('one address gets one receipt a day, and the record says why there is no second', async t => {
      const service = await startApp(t, { engine })
      const email = 'ben@mail.example'
      await service.postStudent(aStudent({ email }))
      await service.settle()
      service.clock.advance(2 * HOUR)
      await service.postStudent(aStudent({ email }))
      await service.settle()
      const receipts = () => service.sent.filter(message => message.to.address === email).length
      equal(receipts(), 1)
      const [skipped] = await service.app.store.listMail({ state: 'skipped', limit: 1 })
      match(skipped?.note ?? '', /less than a day before/)
      service.clock.advance(DAY)
      await service.postStudent(aStudent({ email }))
      await service.settle()
      equal(receipts(), 2)
    })

    test('a submission with an address that plain SMTP cannot carry is accepted, without a receipt', async t => {
      const service = await startApp(t, { engine })
      equal((await service.postStudent(aStudent({ email: 'josé@mail.example' }))).status, 200)
      await service.settle()
      equal(service.sent.length, 1)
      equal(service.sent[0]?.replyTo, undefined)
    })

    test('allowed answers come from the settings, and the error for a wrong one lists them', async t => {
      const allowed = ['1 - Soon', '2 - Later']
      const service = await startApp(t, {
        engine,
        settings: { studentInterest: { answers: { timeline: { allowed } } } },
      })
      equal((await service.postStudent(aStudent({ timeline: '1 - Soon' }))).status, 200)
      const wrong = await service.postStudent(aStudent({ timeline: '1 - soon' }))
      deepEqual(wrong.body, { error: 'timeline must be one of "1 - Soon", "2 - Later"' })
    })

    test('state names of the operator are stored as their codes', async t => {
      const service = await startApp(t, {
        engine,
        settings: { studentInterest: { states: { 'New South Wales': 'NSW' } } },
      })
      await service.postStudent(aStudent({ state: 'new south wales' }))
      await service.settle()
      equal((await service.app.store.listLeads({ limit: 1 }))[0]?.state, 'NSW')
    })
  })

  describe('the lockout', () => {
    test('the sixth submission of an address within an hour locks it for a quarter of an hour', async t => {
      const service = await startApp(t, { engine })
      const email = 'ben@mail.example'
      for (let i = 0; i < 5; i++) equal((await service.postStudent(aStudent({ email }))).status, 200)
      const locked = await service.postStudent(aStudent({ email: 'BEN@mail.example' }))
      equal(locked.status, 429)
      equal(locked.headers.get('retry-after'), '900')
      match(locked.text, /Try again in 15 minutes/)
      equal((await service.postStudent(aStudent())).status, 200)
    })

    test('replays do not count, and get their response even while the address is locked', async t => {
      const service = await startApp(t, { engine })
      const email = 'ben@mail.example'
      const first = aStudent({ email })
      await service.postStudent(first)
      for (let i = 0; i < 10; i++) await service.postStudent(first)
      for (let i = 0; i < 4; i++) equal((await service.postStudent(aStudent({ email }))).status, 200)
      equal((await service.postStudent(aStudent({ email }))).status, 429)
      const replay = await service.postStudent(first)
      equal(replay.status, 200)
      equal(replay.headers.get('idempotent-replayed'), 'true')
      equal((await service.postStudent({ ...first, city: 'Waco' })).status, 422)
    })

    test('only accepted submissions count: neither simultaneous replays nor conflicts do', async t => {
      const service = await startApp(t, { engine })
      const body = aStudent({ email: 'ben@mail.example' })
      const replays = await Promise.all(Array.from({ length: 12 }, () => service.postStudent(body)))
      deepEqual(new Set(replays.map(response => response.status)), new Set([200]))
      for (let i = 0; i < 6; i++) {
        equal((await service.postStudent({ ...body, city: `City ${i}` })).status, 422)
      }
      for (let i = 0; i < 4; i++) {
        equal((await service.postStudent(aStudent({ email: body.email }))).status, 200)
      }
      equal((await service.postStudent(aStudent({ email: body.email }))).status, 429)
    })

    test('of ten sent at once for one address, five are accepted', async t => {
      const service = await startApp(t, { engine })
      const email = 'ben@mail.example'
      const responses = await Promise.all(Array.from({ length: 10 }, () => service.postStudent(aStudent({ email }))))
      equal(responses.filter(response => response.status === 200).length, 5)
      equal(responses.filter(response => response.status === 429).length, 5)
    })

    test('a replay as the sixth request does not lock the address', async t => {
      const service = await startApp(t, { engine })
      const email = 'ben@mail.example'
      const bodies = Array.from({ length: 5 }, () => aStudent({ email }))
      for (const body of bodies) await service.postStudent(body)
      equal((await service.postStudent(bodies[0])).status, 200)
      const locked = await service.postStudent(aStudent({ email }))
      equal(locked.headers.get('retry-after'), '900')
    })

    test('a restart does not forget the submissions of the last hour', async t => {
      const email = 'ben@mail.example'
      const before = await startApp(t, { engine })
      const { database, clock } = before
      for (let i = 0; i < 5; i++) await before.postStudent(aStudent({ email }))
      await before.close()
      const after = await startApp(t, { database, clock })
      equal((await after.postStudent(aStudent({ email }))).status, 429)
      await after.close()
      clock.advance(HOUR)
      const later = await startApp(t, { database, clock })
      equal((await later.postStudent(aStudent({ email }))).status, 200)
    })

    describe('keeps what it refuses', () => {
      const email = 'ben@mail.example'
      const lock = async (service: TestApp) => {
        for (let i = 0; i < 5; i++) await service.postStudent(aStudent({ email }))
        await service.settle()
      }
      const kept = async ({ app }: TestApp, state: 'held' | 'dismissed' = 'held') =>
        (await app.store.listQuarantine({ state, limit: 9 })).map(({ submission, reason }) => [
          submission.body.message,
          reason,
        ])

      test('in quarantine, once, without any email, until the digest to admissions', async t => {
        const service = await startApp(t, { engine, settings: withoutFollowUp })
        await lock(service)
        const sent = service.sent.length
        const body = aStudent({ email, message: 'This one is really mine.' })
        for (const key of ['a', 'a', 'b'])
          equal((await service.postStudent({ ...body, idempotencyKey: key })).status, 429)
        await service.settle()
        deepEqual(await kept(service), [['This one is really mine.', 'lockout']])
        equal(service.sent.length, sent)
        equal((await service.app.store.listLeads({ limit: 9 })).length, 1)

        service.clock.advance(DAY)
        await service.settle()
        const [digest, ...others] = service.sent.slice(sent)
        deepEqual([others.length, digest?.to.address], [0, 'admissions@localhost'])
        match(digest?.text ?? '', /This one is really mine\./)
        match(digest?.text ?? '', /had sent too many inquiries within an hour/)
      })

      test('until the same gets through under its own key, which a stranger cannot do for it', async t => {
        const service = await startApp(t, { engine })
        await lock(service)
        const body = aStudent({ email, message: 'This one is really mine.' })
        await service.postStudent(body)
        service.clock.advance(15 * MINUTE)
        equal((await service.postStudent(aStudent({ email, message: 'Never mind.' }))).status, 200)
        await service.settle()
        equal((await kept(service)).length, 1)

        const retry = await service.postStudent(body)
        deepEqual([retry.status, retry.headers.get('idempotent-replayed')], [200, null])
        await service.settle()
        deepEqual(await kept(service), [])
        equal((await kept(service, 'dismissed')).length, 1)
      })

      test('and once released, it is handled as if it had just arrived', async t => {
        const service = await startApp(t, { engine, settings: withoutFollowUp })
        await lock(service)
        await service.postStudent(aStudent({ email, message: 'This one is really mine.' }))
        await service.settle()
        const [entry] = await service.app.store.listQuarantine({ state: 'held', limit: 1 })
        const sent = service.sent.length
        await service.app.store.releaseQuarantined(entry?.submission.id ?? 0, { now: service.clock.now() })
        await service.settle()
        const [notification, ...others] = service.sent.slice(sent)
        deepEqual([others.length, notification?.to.address], [0, 'admissions@localhost'])
        match(notification?.text ?? '', /This one is really mine\./)
      })

      test('for thirty days, then deletes it with its key', async t => {
        const service = await startApp(t, { engine, settings: withoutFollowUp })
        await lock(service)
        const body = aStudent({ email })
        await service.postStudent(body)
        for (let day = 0; day <= 31; day++) {
          await service.settle()
          service.clock.advance(DAY)
        }
        deepEqual([await kept(service), await kept(service, 'dismissed')], [[], []])
        equal(await countRows(service.database, 'submissions'), 5)
        equal((await service.postStudent(body)).status, 200)
      })
    })
  })
})
