import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, HOUR, SECOND } from '../../src/platform/time.ts'
import { startApp, type TestApp, withoutFollowUp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { countRows, onEachEngine, sql } from '../support/engines.ts'

const trapped = (over: Record<string, unknown> = {}) => aSite({ website: 'https://x.example', ...over })

/** Accepted with 200, and quarantined for its screening score. */
const suspicious = (service: TestApp, over: Record<string, unknown> = {}) =>
  aSite({ startedAt: service.clock.now(), message: 'https://a.example https://b.example https://c.example', ...over })

const ids = async ({ app }: TestApp, state: 'held' | 'released' | 'dismissed' = 'held') =>
  (await app.store.listQuarantine({ state, limit: 100 })).map(entry => entry.submission.id)

const notified = ({ sent }: TestApp) => sent.filter(({ id }) => id.startsWith('notify'))

onEachEngine(engine => {
  describe('a quarantined submission', () => {
    test('is filed without screening once released, and the team is notified', async t => {
      const service = await startApp(t, { engine })
      await service.postSite(trapped({ email: 'ana@mercy.example' }))
      await service.postSite(suspicious(service, { email: 'eve@mercy.example' }))
      await service.settle()
      deepEqual(await ids(service), [2, 1])
      deepEqual(notified(service), [])

      const { store } = service.app
      equal(await store.releaseQuarantined(1, { now: service.clock.now() }), true)
      equal(await store.releaseQuarantined(2, { now: service.clock.now() }), true)
      await service.settle()
      deepEqual(await ids(service, 'released'), [2, 1])
      deepEqual(
        (await store.listLeads({ limit: 10 })).map(lead => lead.email),
        ['eve@mercy.example', 'ana@mercy.example'],
      )
      equal(notified(service).length, 2)
      match(
        notified(service)
          .map(message => message.text)
          .join(),
        /three or more links/,
      )
    })

    test('is dismissed when its sender gets through, but only if they were rejected', async t => {
      const email = 'ana@mercy.example'
      for (const [honeypot, held] of [
        ['reject', []],
        ['accept', [1]],
      ] as const) {
        const service = await startApp(t, { engine, settings: { siteInterest: { honeypot } } })
        const { website: _, ...body } = trapped({ email })
        await service.postSite({ ...body, website: 'https://x.example' })
        const message = `${body.message} Our website is x.example.`
        await service.postSite({ ...body, website: '', message })
        await service.settle()
        deepEqual(await ids(service), held)
      }
    })

    test('is not dismissed by a submission that only has its email address', async t => {
      const service = await startApp(t, { engine })
      const body = trapped({ email: 'ana@mercy.example' })
      await service.postSite(body)
      for (const other of [{ message: 'Never mind.' }, { phone: '512-555-0100' }, { company: 'X Inc.' }])
        await service.postSite({ ...body, website: '', ...other })
      await service.postStudent(aStudent({ email: body.email, message: body.message }))
      await service.settle()
      deepEqual(await ids(service), [1])
    })

    test('is released once', async t => {
      const service = await startApp(t, { engine })
      await service.postSite(trapped())
      await service.settle()
      const release = () => service.app.store.releaseQuarantined(1, { now: service.clock.now() })
      deepEqual(new Set(await Promise.all([release(), release()])), new Set([true, false]))
      await service.settle()
      equal(await release(), false)
      await service.settle()
      equal(notified(service).length, 1)
      equal(await service.app.store.releaseQuarantined(99, { now: service.clock.now() }), false)
    })

    test('leads to nothing once dismissed, and can still be released', async t => {
      const service = await startApp(t, { engine })
      const { store } = service.app
      await service.postSite(trapped())
      await service.settle()
      equal(await store.dismissQuarantined(1, { now: service.clock.now() }), true)
      equal(await store.dismissQuarantined(1, { now: service.clock.now() }), false)
      equal(await store.dismissQuarantined(99, { now: service.clock.now() }), false)
      await service.settle()
      deepEqual(await ids(service), [])
      deepEqual(await store.listLeads({ limit: 10 }), [])

      equal(await store.releaseQuarantined(1, { now: service.clock.now() }), true)
      await service.settle()
      equal(notified(service).length, 1)
      equal(await store.dismissQuarantined(1, { now: service.clock.now() }), false)
    })
  })

  describe('a submission that no one decides about in time', () => {
    const settings = { quarantine: { days: 2 } }
    const refusedKeys = ({ database }: TestApp) =>
      sql(database, `select submission_id from idempotency_keys where key like 'r%'`)
    const refused = async (where: TestApp) => ({
      submissions: (await sql(where.database, 'select id from submissions where answer = 400')).length,
      keys: (await refusedKeys(where)).length,
    })

    test('is deleted with its key if its sender was rejected, and not before', async t => {
      const service = await startApp(t, { engine, settings })
      const body = trapped()
      await service.postSite(body)
      await service.settle()
      while ((await refused(service)).keys === 0) await service.app.store.countBacklog(0)
      service.clock.advance(2 * DAY)
      await service.app.store.expireQuarantine(service.clock.now(), { days: 2, capacity: 9 })
      deepEqual(await refused(service), { submissions: 1, keys: 1 })

      service.clock.advance(1)
      await service.app.store.expireQuarantine(service.clock.now(), { days: 2, capacity: 9 })
      deepEqual(await refused(service), { submissions: 0, keys: 0 })
      deepEqual(await ids(service), [])
      deepEqual(await ids(service, 'dismissed'), [])
      equal((await service.postSite({ ...body, startedAt: service.clock.now() })).status, 400)
      await service.settle()
      deepEqual(await ids(service), [2])
    })

    test('is dismissed and kept if its sender was told that it was accepted', async t => {
      const service = await startApp(t, { engine, settings })
      await service.postSite(suspicious(service))
      await service.settle()
      for (let day = 0; day < 3; day++) {
        service.clock.advance(DAY)
        await service.settle()
      }
      deepEqual(await ids(service), [])
      deepEqual(await ids(service, 'dismissed'), [1])
      equal(await countRows(service.database, 'submissions'), 1)
    })

    test('is not one that was released, even if its sender was rejected', async t => {
      const service = await startApp(t, { engine, settings })
      for (let i = 0; i < 2; i++) await service.postSite(trapped())
      await service.settle()
      await service.app.store.releaseQuarantined(1, { now: service.clock.now() })
      await service.settle()
      for (let day = 0; day < 30; day++) {
        service.clock.advance(DAY)
        await service.app.store.expireQuarantine(service.clock.now(), { days: 2, capacity: 9 })
      }
      deepEqual(await ids(service, 'released'), [1])
      deepEqual(
        (await sql(service.database, 'select id from submissions')).map(row => row['id']),
        [1],
      )
    })

    test('expires with the digests, even when nothing new arrives', async t => {
      const service = await startApp(t, { engine, settings })
      await service.postSite(trapped())
      await service.settle()
      while ((await refused(service)).keys === 0) await service.app.store.countBacklog(0)
      for (let day = 0; day < 5; day++) {
        await service.settle()
        service.clock.advance(DAY)
      }
      deepEqual(await refused(service), { submissions: 0, keys: 0 })
      equal(service.sent.length, 2)
    })

    test('does not take a key that belongs to a later submission by then', async t => {
      const service = await startApp(t, { engine, settings })
      const body = trapped({ startedAt: service.clock.now() + DAY })
      await service.postSite(body)
      await service.settle()
      service.clock.advance(DAY + SECOND)
      await service.postSite(body)
      await service.settle()
      const [later, ...others] = await ids(service)
      equal(others.length, 1)
      const holder = async () => (await refusedKeys(service))[0]?.['submission_id']
      while ((await holder()) !== later) await service.app.store.countBacklog(0)
      service.clock.advance(2 * DAY)
      await service.app.store.expireQuarantine(service.clock.now(), { days: 2, capacity: 9 })
      deepEqual(await ids(service), [later])
      equal(await holder(), later)
    })
  })

  describe('the capacity of the quarantine', () => {
    test('is enforced by deleting the oldest rejected submissions, and no accepted one', async t => {
      const service = await startApp(t, { engine, settings: { quarantine: { capacity: 2 } } })
      await service.postSite(suspicious(service))
      await service.settle()
      for (let i = 0; i < 4; i++) {
        service.clock.advance(DAY)
        await service.postSite(trapped({ startedAt: service.clock.now() }))
        await service.settle()
      }
      deepEqual(await ids(service), [5, 4, 1])
      deepEqual(
        (await sql(service.database, 'select id from submissions order by id')).map(row => row['id']),
        [1, 4, 5],
      )
    })

    test('neither counts nor deletes submissions that were caught and accepted', async t => {
      const settings = { quarantine: { capacity: 2 }, siteInterest: { honeypot: 'accept' } } as const
      const service = await startApp(t, { engine, settings })
      for (let i = 0; i < 4; i++) await service.postSite(trapped())
      await service.settle()
      deepEqual(await ids(service), [4, 3, 2, 1])
      await sql(service.database, 'update submissions set answer = 400 where id in (1, 3, 4)')
      service.clock.advance(2 * DAY)
      await service.postSite(trapped())
      await service.settle()
      deepEqual(await ids(service), [5, 4, 3, 2])
    })

    test('is shared among networks, so that one client cannot push out what others sent', async t => {
      const env = { TRUSTED_PROXIES: '127.0.0.1' }
      const settings = { quarantine: { capacity: 3 } }
      const service = await startApp(t, { engine, env, settings })
      const from = (address: string) => service.postSite(trapped(), { 'X-Forwarded-For': address })
      await from('192.0.2.1')
      for (let i = 0; i < 6; i++) {
        service.clock.advance(2 * DAY)
        await from(`2001:db8:1:${i}::1`)
        await service.settle()
      }
      deepEqual(await ids(service), [7, 6, 1])
    })

    test('may be exceeded for a day, so that the digest names all, but not without end', async t => {
      const env = { TRUSTED_PROXIES: '127.0.0.1' }
      const settings = { quarantine: { capacity: 2 } }
      const service = await startApp(t, { engine, env, settings })
      const from = (address: string) => service.postSite(trapped(), { 'X-Forwarded-For': address })
      for (let i = 1; i <= 9; i++) await from(`192.0.${i}.1`)
      await service.settle()
      equal((await ids(service)).length, 9)
      for (let i = 10; i <= 23; i++) await from(`192.0.${i}.1`)
      await service.settle()
      equal((await ids(service)).length, 20, 'ten times the capacity')
      service.clock.advance(2 * DAY)
      await from('192.0.24.1')
      await service.settle()
      equal((await ids(service)).length, 2)
    })
  })

  describe('many site inquiries of one email address', () => {
    test('notify the team five times an hour; the others are accepted and wait for the digest', async t => {
      const service = await startApp(t, { engine, settings: withoutFollowUp })
      const send = async (times: number) => {
        for (let i = 0; i < times; i++)
          equal((await service.postSite(aSite({ email: 'ana@mercy.example' }))).status, 200)
        await service.settle()
      }
      await send(7)
      deepEqual([notified(service).length, await ids(service)], [5, [7, 6]])
      equal((await service.app.store.readQuarantined(6))?.reason, 'many')
      await service.postSite(aSite())
      await service.settle()
      equal(notified(service).length, 6)

      service.clock.advance(HOUR)
      await send(1)
      equal(notified(service).length, 7)
      equal(await service.app.store.releaseQuarantined(6, { now: service.clock.now() }), true)
      await service.settle()
      equal(notified(service).length, 8)
    })
  })

  describe('screening of student inquiries', () => {
    test('quarantines one with several signals, and says so to admissions', async t => {
      const service = await startApp(t, { engine, settings: withoutFollowUp })
      const message = 'https://a.example https://b.example https://c.example'
      const one = aStudent({ message, email: 'eve@mailinator.com' })
      equal((await service.postStudent(one)).status, 200)
      equal((await service.postStudent(aStudent({ message }))).status, 200)
      await service.settle()
      deepEqual(await ids(service), [1])
      deepEqual(
        (await service.app.store.listLeads({ limit: 9 })).map(({ id }) => id),
        [2],
      )
      const sent = service.sent.length
      service.clock.advance(DAY)
      await service.settle()
      const [digest, ...others] = service.sent.slice(sent)
      deepEqual([others.length, digest?.to.address], [0, 'admissions@localhost'])
      match(digest?.text ?? '', /disposable email service/)
    })
  })
})
