import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MailDeferred, type Message } from '../../src/mail/transport/mailer.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { aSite } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { onEachEngine } from '../support/engines.ts'

const trapped = (over: Record<string, unknown> = {}) => aSite({ website: 'x', ...over })

/** Advances the clock hour by hour, and returns the hours at which digests were sent. */
async function hoursOfDigests(service: TestApp, hours: number): Promise<string[]> {
  const seen: string[] = []
  for (let i = 0; i < hours; i++) {
    const before = digests(service).length
    await service.settle()
    for (const _ of digests(service).slice(before)) {
      seen.push(new Date(service.clock.now()).toISOString().slice(0, 13))
    }
    service.clock.advance(HOUR)
  }
  return seen
}

const digests = ({ sent }: TestApp): Message[] => sent.filter(({ id }) => id.startsWith('digest'))

onEachEngine(engine => {
  describe('the digest of the quarantine', () => {
    test('is one message a day, at its hour, while something is quarantined', async t => {
      const service = await startApp(t, { engine })
      await service.postSite(trapped())
      await service.postSite(trapped())
      deepEqual(await hoursOfDigests(service, 72), ['2026-11-22T13', '2026-11-23T13', '2026-11-24T13'])
      equal(new Set(digests(service).map(message => message.id)).size, 3)
      for (const id of [1, 2]) await service.app.store.dismissQuarantined(id, { now: service.clock.now() })
      deepEqual(await hoursOfDigests(service, 72), [])
    })

    test('goes to the team and lists the undecided submissions only', async t => {
      const service = await startApp(t, { engine })
      const held = { firstName: 'Ana', company: 'Mercy Hospital', message: 'Two students, please.' }
      await service.postSite(trapped(held))
      await service.postSite(trapped({ firstName: 'Decided', company: 'Elsewhere' }))
      await service.settle()
      await service.app.store.dismissQuarantined(2, { now: service.clock.now() })
      await hoursOfDigests(service, 24)
      const [digest, ...others] = digests(service)
      equal(others.length, 0)
      equal(digest?.to.address, 'partnerships@localhost')
      match(digest?.text ?? '', /Mercy Hospital/)
      match(digest?.text ?? '', /Two students, please\./)
      ok(!digest?.text.includes('Elsewhere'))
    })

    test('is not sent when nothing is quarantined, and starts again with the next submission', async t => {
      const service = await startApp(t, { engine })
      await service.postSite(aSite())
      await service.postSite(trapped())
      await service.settle()
      await service.app.store.dismissQuarantined(2, { now: service.clock.now() })
      deepEqual(await hoursOfDigests(service, 48), [])
      await service.postSite(trapped({ startedAt: service.clock.now() }))
      deepEqual(await hoursOfDigests(service, 48), ['2026-11-24T13', '2026-11-25T13'])
    })

    test('keeps the hour and the day of the school, even when its clocks change', async t => {
      const service = await startApp(t, {
        engine,
        clock: testClock(Date.parse('2026-10-31T00:00:00Z')),
        settings: { quarantine: { digestHour: 1 } },
      })
      await service.postSite(trapped({ startedAt: service.clock.now() }))
      deepEqual(await hoursOfDigests(service, 96), ['2026-10-31T05', '2026-11-01T05', '2026-11-02T06', '2026-11-03T06'])
    })

    test('continues after one that took two attempts, and is dated by the first', async t => {
      let refusals = 1
      const service = await startApp(t, {
        engine,
        mail: async () => {
          if (refusals-- > 0) throw new MailDeferred('421 try later')
        },
      })
      await service.postSite(trapped())
      deepEqual(await hoursOfDigests(service, 72), ['2026-11-22T14', '2026-11-23T13', '2026-11-24T13'])
      const dates = digests(service).map(({ date }) => date.toISOString().slice(0, 13))
      deepEqual(dates, ['2026-11-22T13', '2026-11-23T13', '2026-11-24T13'])
    })

    test('keeps a changed hour from the next digest on', async t => {
      const before = await startApp(t, { engine })
      await before.postSite(trapped())
      await before.settle()
      const { dataDir, database, clock } = before
      await before.close()
      const settings = { quarantine: { digestHour: 10 } }
      const service = await startApp(t, { dataDir, database, clock, settings })
      deepEqual(await hoursOfDigests(service, 48), ['2026-11-22T15', '2026-11-23T15'])
    })

    test('stays soon at a restart, after a clock that was weeks ahead was set right', async t => {
      const before = await startApp(t, { engine })
      const { dataDir, database, clock } = before
      clock.advance(20 * DAY)
      await before.postSite(trapped())
      await before.settle()
      clock.advance(-20 * DAY)
      for (let minutes = 0; minutes < 15; minutes++) {
        clock.advance(MINUTE)
        await before.settle()
      }
      await before.close()
      const service = await startApp(t, { dataDir, database, clock })
      equal((await hoursOfDigests(service, 48)).length > 0, true)
    })

    test('continues after one that was sent early on request', async t => {
      const service = await startApp(t, { engine })
      await service.postSite(trapped())
      await service.settle()
      const [digest] = await service.app.store.listMail({ limit: 1 })
      equal(await service.app.store.retryMail([digest?.id ?? 0], { now: service.clock.now() }), 1)
      deepEqual(await hoursOfDigests(service, 72), ['2026-11-21T20', '2026-11-23T13', '2026-11-24T13'])
    })

    test('is a new message when its day comes again, so that no mailbox drops it as a copy', async t => {
      const service = await startApp(t, { engine })
      await service.postSite(trapped())
      deepEqual(await hoursOfDigests(service, 24), ['2026-11-22T13'])
      // The clock was nearly a day ahead.
      service.clock.advance(HOUR - DAY)
      await service.postSite(trapped({ company: 'Mercy Hospital' }))
      deepEqual(await hoursOfDigests(service, 24), ['2026-11-22T13'])
      const [first, second] = digests(service)
      match(second?.text ?? '', /Mercy Hospital/)
      notEqual(second?.id, first?.id)
    })

    test('lets networks take turns, oldest first, so that one client cannot hide what others sent', async t => {
      const service = await startApp(t, { engine, env: { TRUSTED_PROXIES: '127.0.0.1' } })
      const from = (address: string, company: string) =>
        service.postSite(trapped({ company }), { 'X-Forwarded-For': address })
      await from('192.0.2.1', 'First Clinic')
      const flood = Array.from({ length: 60 }, (_, i) => from(`2001:db8:1:${i}00::1`, 'Flood Inc.'))
      await Promise.all(flood)
      await from('192.0.2.2', 'Last Clinic')
      await hoursOfDigests(service, 24)
      const text = digests(service)[0]?.text ?? ''
      match(text, /First Clinic/)
      match(text, /Last Clinic/)
      match(text, /\b12\b more/)
    })

    test('names fifty entries and counts the rest', async t => {
      const service = await startApp(t, { engine })
      await Promise.all(Array.from({ length: 53 }, () => service.postSite(trapped())))
      await hoursOfDigests(service, 24)
      const text = digests(service)[0]?.text ?? ''
      equal(new Set(text.match(/Release\s+<[^>]*>/g)).size, 50)
      match(text, /\b3\b/)
    })
  })
})
