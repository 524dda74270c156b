import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Message } from '../../src/mail/transport/mailer.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { LEASE } from '../../src/store/tasks/tasks.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { onEachEngine } from '../support/engines.ts'
import { tasksOf } from './database.ts'
import { aSchool, at, benInEitherZone as ben, MONDAY, readLead, startSchool, stepsIn, timelineOf } from './school.ts'

onEachEngine(engine => {
  describe('the follow-up of a student', () => {
    test('reminds, escalates, sends three emails, warns and closes, each at its time', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.until(MONDAY + 30 * DAY)
      deepEqual(service.diary(), [
        '11-23 16:30 ben receipt.1.0',
        '11-23 16:30 maria notify.1.0',
        '11-23 16:35 maria step.1.0',
        '11-23 16:45 sam step.1.1',
        '11-23 17:30 dana step.1.2',
        '11-24 16:30 ben step.1.3',
        '11-26 16:30 ben step.1.4',
        '11-30 16:30 ben step.1.5',
        // No one has tried: the manager hears of it on the mornings before the end, and after it.
        '12-08 14:00 dana unattended.20261208.0',
        '12-09 14:00 dana unattended.20261209.0',
        '12-10 14:00 dana unattended.20261210.0',
      ])
      const { lead } = await readLead(service)
      deepEqual([lead.stage, lead.closedReason], ['closed', 'never contacted'])
      // 9:00 in El Paso, on the second working day.
      equal(lead.updatedAt, at('12-09 16:00'))
      // An automatic email never counts as contact.
      deepEqual([lead.firstAttemptAt, lead.firstContactAt], [null, null])
      deepEqual(await timelineOf(service, 'assigned', 'email', 'stage'), [
        'assigned maria: territory TX',
        ...(await timelineOf(service, 'email')).slice(0, 2),
        ...['remind-counselor', 'remind-backup', 'tell-manager'].map(name => `email ${name}`),
        ...['day-1', 'day-3', 'day-7'].map(name => `email ${name}`),
        'stage closed: never contacted',
      ])
      equal((await service.app.store.countBacklog(service.clock.now())).mailWaiting, 0)
      equal((await tasksOf(service, 'step')).filter(task => task['state'] === 'due').length, 0)
    })

    test('counts minutes while the school is open, in calling hours', async t => {
      // Friday, ten minutes before the school closes.
      const service = await startSchool(t, { engine, clock: testClock(at('11-27 21:50')) })
      await service.postStudent(ben())
      await service.until('11-30 20:00')
      deepEqual(
        stepsIn(service.diary()).filter(line => !line.includes('ben')),
        ['11-27 21:55 maria step.1.0', '11-30 16:05 sam step.1.1', '11-30 16:50 dana step.1.2'],
      )
    })

    test('emails by day, in every time zone of the state', async t => {
      // 23:30 in Dallas; 9:00 in El Paso is 16:00 UTC.
      const service = await startSchool(t, { engine, clock: testClock(at('11-24 05:30')) })
      await service.postStudent(ben())
      await service.until('12-04 00:00')
      deepEqual(
        service.diary().filter(line => line.includes('ben')),
        [
          '11-24 05:30 ben receipt.1.0',
          '11-25 16:00 ben step.1.3',
          '11-27 16:00 ben step.1.4',
          '12-01 16:00 ben step.1.5',
        ],
      )
    })

    test('goes to the team while there are no counselors', async t => {
      const { school } = aSchool
      const service = await startSchool(t, { engine, settings: { ...(school && { school }) } })
      await service.postStudent(ben())
      await service.until(MONDAY + HOUR)
      deepEqual(service.diary(), [
        '11-23 16:30 admissions notify.1.0',
        '11-23 16:30 ben receipt.1.0',
        '11-23 16:35 admissions step.1.0',
        '11-23 17:30 admissions step.1.2',
      ])
      match((await service.steps())[1] ?? '', /^1 skipped the lead has no counselor/)
    })

    test('skips counselors who are away today', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.settle()
      const today = { firstDay: '2026-11-23', lastDay: '2026-11-23' }
      await service.app.store.addAbsence({ counselor: 'maria', ...today })
      await service.until(MONDAY + HOUR)
      deepEqual(stepsIn(service.diary()), [
        '11-23 16:35 sam step.1.0',
        // The backup already got maria's message, so the team is asked to take over.
        '11-23 16:45 admissions step.1.1',
        '11-23 17:30 dana step.1.2',
      ])
    })

    test('goes to the team in the place of a manager who is away, and so does who no one looks after', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.app.store.addAbsence({ counselor: 'manager', firstDay: '2026-11-23', lastDay: '2026-12-09' })
      await service.until(MONDAY + 30 * DAY)
      deepEqual(
        service.diary().filter(line => /step\.1\.2|unattended/.test(line)),
        [
          '11-23 17:30 admissions step.1.2',
          '12-08 14:00 admissions unattended.20261208.0',
          '12-09 14:00 admissions unattended.20261209.0',
          '12-10 14:00 dana unattended.20261210.0',
        ],
      )
    })

    test('reminds the team once in the place of a counselor and a backup who are both away', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.settle()
      const today = { firstDay: '2026-11-23', lastDay: '2026-11-23' }
      for (const counselor of ['maria', 'sam']) await service.app.store.addAbsence({ counselor, ...today })
      await service.until(MONDAY + HOUR)
      deepEqual(stepsIn(service.diary()), ['11-23 16:35 admissions step.1.0', '11-23 17:30 dana step.1.2'])
      match((await service.steps())[1] ?? '', /^1 skipped they have been reminded in place of/)
    })

    test('reminds the team of a counselor and a backup who are entered as away after the counselor was reminded', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.until(MONDAY + 10 * MINUTE)
      const today = { firstDay: '2026-11-23', lastDay: '2026-11-23' }
      for (const counselor of ['maria', 'sam']) await service.app.store.addAbsence({ counselor, ...today })
      await service.until(MONDAY + HOUR)
      deepEqual(stepsIn(service.diary()), [
        '11-23 16:35 maria step.1.0',
        '11-23 16:45 admissions step.1.1',
        '11-23 17:30 dana step.1.2',
      ])
    })
  })

  describe('a step is done once,', () => {
    test('as the same message again, when the process dies after the server took it', async t => {
      const taken: Message[] = []
      const hanging = Promise.withResolvers<void>()
      const died = Promise.withResolvers<void>()
      const one = await startSchool(t, {
        engine,
        mail: async message => {
          taken.push(message)
          if (!message.id.startsWith('step.1.0')) return
          died.resolve()
          await hanging.promise
        },
      })
      await one.postStudent(ben())
      await one.settle()
      one.clock.advance(5 * MINUTE)
      const dying = one.settle()
      await died.promise

      const { database, dataDir, clock } = one
      const other = await startSchool(t, { database, dataDir, clock })
      await other.settle()
      deepEqual(other.diary(), [])
      clock.advance(LEASE)
      await other.settle()
      deepEqual(other.diary(), ['11-23 16:35 maria step.1.0'])
      equal(other.sent[0]?.id, taken.at(-1)?.id)
      equal(other.sent[0]?.date.getTime(), taken.at(-1)?.date.getTime())

      // It was only slow: its late conclusion changes nothing.
      hanging.resolve()
      await dying
      equal((await timelineOf(other, 'email')).filter(name => /remind/.test(name)).length, 1)
      deepEqual(await other.steps(), ['0 done', '1 due', '3 due', '6 due'])
      match(one.log.join(''), /another worker has concluded a step/)
    })

    test('however many workers there are', async t => {
      const one = await startSchool(t, { engine })
      const { database, dataDir, clock } = one
      const other = await startSchool(t, { database, dataDir, clock })
      for (let i = 0; i < 12; i++) await (i % 2 ? one : other).postStudent(aStudent())
      await Promise.all([one.settle(), other.settle(), one.settle(), other.settle()])
      clock.advance(5 * MINUTE)
      await Promise.all([one.settle(), other.settle(), one.settle(), other.settle()])
      const sent = stepsIn([...one.diary(), ...other.diary()])
      equal(sent.length, 12)
      equal(new Set(sent).size, 12)
    })

    test('even when the clock is set back by two days', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.until(MONDAY + DAY)
      equal(stepsIn(service.diary()).length, 4)
      service.clock.advance(-2 * DAY)
      await service.until(MONDAY + 30 * DAY)
      const ids = service.sent.map(({ id }) => id)
      equal(new Set(ids).size, ids.length)
      deepEqual(stepsIn(service.diary()).slice(4), ['11-26 16:30 ben step.1.4', '11-30 16:30 ben step.1.5'])
    })
  })

  describe('a lead', () => {
    test('stays on the cadence it began with when the settings change', async t => {
      const one = await startSchool(t, { engine })
      await one.postStudent(ben())
      await one.until(MONDAY + 10 * MINUTE)
      await one.close()
      const { database, dataDir, clock } = one
      const only = {
        name: 'only',
        after: '2 days',
        clock: 'student',
        to: 'student',
        message: 'letters/day-7.md',
      } as const
      const settings = { ...aSchool, followUp: { student: [only] } }
      const other = await startSchool(t, { database, dataDir, clock, settings })
      await other.postStudent(aStudent({ email: 'zoe@mail.example' }))
      await other.until(MONDAY + 30 * DAY)
      deepEqual(stepsIn(other.diary()), [
        '11-23 16:45 sam step.1.1',
        '11-23 17:30 dana step.1.2',
        '11-24 16:30 ben step.1.3',
        '11-25 16:40 zoe step.2.0',
        '11-26 16:30 ben step.1.4',
        '11-30 16:30 ben step.1.5',
      ])
      equal((await other.app.store.readFollowUp(1))?.cadence.length, 7)
      equal((await other.app.store.readFollowUp(2))?.cadence.length, 1)
      equal((await readLead(other, 2)).lead.stage, 'new')
    })

    test('of a student who writes again does not start a second cadence; reminders begin again, the rest waits', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.until(MONDAY + DAY + HOUR)
      await service.call()
      await service.postStudent(ben({ message: 'And on weekends?' }))
      await service.until(MONDAY + 30 * DAY)
      deepEqual(stepsIn(service.diary()), [
        '11-23 16:35 maria step.1.0',
        '11-23 16:45 sam step.1.1',
        '11-23 17:30 dana step.1.2',
        '11-24 16:30 ben step.1.3',
        '11-24 17:35 maria step.1.0',
        '11-24 17:45 sam step.1.1',
        '11-24 18:30 dana step.1.2',
      ])
      deepEqual((await service.steps()).slice(4, 6), [
        '4 skipped they wait for an answer to what they wrote',
        '5 skipped they wait for an answer to what they wrote',
      ])
      equal((await readLead(service)).lead.stage, 'new')
      await service.app.store.needNoAnswer(1, { actor: 'maria', now: service.clock.now() })
      await service.until(MONDAY + 31 * DAY)
      equal((await readLead(service)).lead.closedReason, 'no reply')
      equal((await tasksOf(service, 'step')).length, 7)
      equal((await service.app.store.listLeads({ limit: 9 })).length, 1)
    })

    test('that is closed is followed by a new one, with a cadence and the same counselor', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.settle()
      await service.app.store.assignLead(1, { owner: 'sam', actor: null, now: MONDAY })
      await service.call()
      await service.until(MONDAY + 15 * DAY)
      const before = service.diary().length
      await service.postStudent(ben())
      await service.until(MONDAY + 15 * DAY + 10 * MINUTE)
      deepEqual(service.diary().slice(before), [
        '12-08 16:30 ben receipt.2.0',
        '12-08 16:30 sam notify.2.0',
        '12-08 16:35 sam step.2.0',
      ])
      const { lead, timeline } = await readLead(service, 2)
      equal(lead.owner, 'sam')
      deepEqual(
        timeline.filter(({ kind }) => kind === 'assigned').map(({ detail }) => detail),
        ['sam: looked after them before'],
      )
    })
  })

  describe('the follow-up of a site', () => {
    test('reminds the team after 1 and 3 working days, and never emails the person', async t => {
      // Friday: the next working days are Monday and Wednesday.
      const service = await startSchool(t, { engine, clock: testClock(at('11-27 16:30')) })
      await service.postSite(aSite({ email: 'ana@mercy.example' }, at('11-27 16:30')))
      await service.until('12-31 00:00')
      deepEqual(service.diary(), [
        '11-27 16:30 partnerships notify.1.0',
        '11-30 16:30 partnerships step.1.0',
        '12-02 16:30 partnerships step.1.1',
      ])
      doesNotMatch(service.diary().join('\n'), / ana /)
      const { lead, timeline } = await readLead(service)
      equal(lead.stage, 'new')
      deepEqual(
        timeline.filter(({ kind }) => kind === 'assigned'),
        [],
      )
    })

    test('counts from the release of a quarantined submission', async t => {
      const service = await startSchool(t, { engine })
      const body = aSite({ email: 'ana@mercy.example', website: 'https://x.example' }, MONDAY)
      equal((await service.postSite(body)).status, 400)
      await service.until(MONDAY + 2 * DAY)
      deepEqual(stepsIn(service.diary()), [])
      equal(await service.app.store.releaseQuarantined(1, { now: service.clock.now() }), true)
      await service.until(MONDAY + 10 * DAY)
      deepEqual(
        service.diary().filter(line => !line.includes('digest')),
        [
          '11-25 16:30 partnerships notify.1.0',
          '11-26 16:30 partnerships step.1.0',
          '11-30 16:30 partnerships step.1.1',
        ],
      )
      equal((await readLead(service)).lead.createdAt, MONDAY)
    })
  })
})
