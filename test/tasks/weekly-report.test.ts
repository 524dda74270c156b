import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { DAY } from '../../src/platform/time.ts'
import { scheduleReports } from '../../src/tasks/messages/weekly-report.ts'
import type { TestOptions } from '../support/app.ts'
import { aSite } from '../support/bodies.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, at, ben, contact, type School, startSchool } from './school.ts'

type Reporting = School & {
  /** Schedules the reports, as a service does when it starts and once an hour. */
  schedule(): Promise<void>
  /** The reports sent: who got them, and their subjects. */
  reports(): string[]
  /** The text of the last one, in one line. */
  text(): string
}

/** A service that has started to work. */
async function startReporting(t: TestContext, options: TestOptions): Promise<Reporting> {
  const school = await startSchool(t, options)
  const calendar = createCalendar(checkSettings(options.settings ?? aSchool).settings)
  const deps = { store: school.app.store, clock: school.clock, calendar }
  await scheduleReports(deps)
  const sent = () => school.sent.filter(({ id }) => id.startsWith('report.'))
  return {
    ...school,
    schedule: () => scheduleReports(deps),
    reports: () => sent().map(({ to, subject }) => `${to.address}: ${subject}`),
    text: () => (sent().at(-1)?.text ?? '').replace(/\s+/g, ' '),
  }
}

/** Nothing but what people do changes a lead. */
const withoutSteps = { ...aSchool, followUp: { student: [], site: [] } }

onEachEngine(engine => {
  describe('the report of a week', () => {
    test('tells the manager on Monday who wrote in, who was reached how fast, and who has not been called', async t => {
      const school = await startReporting(t, { engine, settings: withoutSteps })
      await school.postStudent(ben())
      await school.postStudent(ben({ firstName: 'Zoe', email: 'zoe@mail.example', state: 'OK' }))
      await school.postSite(aSite({ lastName: 'Ruiz' }, school.clock.now()))
      await school.until('11-23 17:00')
      await contact(school, 1)
      await school.app.store.countLeads({ school: checkSettings(withoutSteps).settings.school, limit: 10 })
      const handedOver = { owner: null, actor: 'dana', now: school.clock.now() + 1 }
      await school.app.store.assignLead(1, handedOver)
      await school.until('11-30 13:59')
      deepEqual(school.reports(), [], 'the school is not open yet')
      await school.until('11-30 14:00')
      deepEqual(school.reports(), ['dana@school.example: November 23 to 29: 3 people wrote in, 2 not called yet'])
      const text = school.text()
      match(text, /2 students \(2 more than the week before\) and 1 site \(1 more/)
      match(
        text,
        /Wrote in: 3 \(3 more\), Reached: 33% \(1 of 3\), Half within: –, Not called yet: 2 \(of 3\) 2 students/,
      )
      match(text, /Have someone call them\. Show the 2 <[^>]*\/report\?week=[^>]*#untried>/)
      match(
        text,
        /No one has tried to reach 2 of the people who wrote in\..* - Zoe Okafor <[^>]*>: \(\d+\) [\d-]+, since /,
      )
      equal(text.match(/Zoe Okafor/g)?.length, 1, 'each person is named once')
      match(text, / Maria Example: Wrote in: 2, Reached: 1, Half within: 30 min, Not called yet: 1/)
      match(text, /Oklahoma: Wrote in: 1, Reached: 0, Half within: –, Not called yet: 1/)
      match(text, /- 1 student reached/)
      doesNotMatch(text, /- Ben/, 'who was reached is not listed')
    })

    test('names who was promised a call that no one has recorded, and no one whose call is yet to come', async t => {
      const school = await startReporting(t, { engine, settings: withoutSteps })
      const { store } = school.app
      const promise = (lead: number, moment: string) =>
        store.planCallback(lead, {
          dueAt: at(moment),
          words: '',
          moment,
          reminders: [],
          actor: 'maria',
          now: school.clock.now(),
        })
      for (const [index, firstName] of ['Ben', 'Zoe', 'Cleo'].entries()) {
        await school.postStudent(ben({ firstName, email: `${firstName.toLowerCase()}@mail.example` }))
        await school.settle()
        await contact(school, index + 1)
        await promise(index + 1, ['11-27 16:00', '11-25 17:00', '11-30 20:00'][index] ?? '')
      }
      await school.until('11-30 14:00')
      const [, overdue = ''] =
        /People were promised a call, and no one has recorded one(.*?)By counselor/i.exec(school.text()) ?? []
      match(overdue, /Zoe Okafor.*promised for Wednesday, 12:00 PM, assigned to Maria Example.*Ben Okafor/)
      doesNotMatch(overdue, /Cleo/)
    })

    test('comes once, whatever starts again, and says in one sentence that no one wrote in', async t => {
      const school = await startReporting(t, { engine, settings: withoutSteps })
      await school.schedule()
      await school.until('11-30 15:00')
      deepEqual(school.reports(), ['dana@school.example: November 23 to 29: no one wrote in'])
      match(school.text(), /No one wrote in, as in the week before\./)
      match(school.text(), /Nothing waits for you\./)
      doesNotMatch(school.text(), /By counselor/)
      await school.schedule()
      await school.until('12-07 15:00')
      equal(school.reports().length, 2)
    })

    test('says that people of earlier weeks have not been called, and does not say that nothing waits', async t => {
      const school = await startReporting(t, { engine, settings: withoutSteps })
      await school.postStudent(ben())
      await school.postStudent(ben({ firstName: 'Zoe', email: 'zoe@mail.example' }))
      await school.until('12-07 15:00')
      match(school.text(), /No one wrote in; in the week before it was 2 people\./)
      match(school.text(), / 1\. No one has tried to reach 2 other people\. Have .* <[^>]*\/inbox\?waiting=untried>/)
      doesNotMatch(school.text(), /Nothing waits/)
      await contact(school, 1)
      await school.postStudent(ben({ firstName: 'Cleo', email: 'cleo@mail.example' }))
      await school.until('12-14 15:00')
      match(
        school.text(),
        /No one has tried to reach one person who wrote in\..* - Cleo Okafor.* 2\. No one has tried to reach one other person\. Have/,
      )
      await contact(school, 2)
      await contact(school, 3)
      await school.until('12-21 15:00')
      match(school.text(), /Nothing waits for you\./)
    })

    test('comes late, for its own week, if the service was down', async t => {
      const school = await startReporting(t, { engine, settings: withoutSteps })
      await school.postStudent(ben())
      school.downUntil('12-03 12:00')
      await school.schedule()
      await school.until('12-03 15:00')
      deepEqual(school.reports(), ['dana@school.example: November 23 to 29: 1 person wrote in, 1 not called yet'])
    })

    test('of a week comes again at its time if a clock that was ahead had sent it', async t => {
      const school = await startReporting(t, { engine, settings: withoutSteps })
      school.clock.advance(21 * DAY)
      await school.schedule()
      await school.until('12-21 15:00')
      deepEqual(school.reports(), [
        'dana@school.example: November 23 to 29: no one wrote in',
        'dana@school.example: December 14 to 20: no one wrote in',
      ])
      school.clock.advance(-28 * DAY)
      await school.postStudent(ben())
      for (const moment of ['11-24 12:00', '11-30 13:00', '11-30 15:00', '12-07 15:00']) {
        await school.until(moment)
        await school.schedule()
      }
      await school.until('12-21 13:00')
      deepEqual(school.reports().slice(2), [
        'dana@school.example: November 23 to 29: 1 person wrote in, 1 not called yet',
        'dana@school.example: November 30 to December 6: no one wrote in',
        'dana@school.example: December 7 to 13: no one wrote in',
      ])
      await school.until('12-21 15:00')
      equal(school.reports().length, 6)
    })

    test('goes to the address of the settings, or to the team, or to no one', async t => {
      const { manager, ...admissions } = aSchool.admissions ?? {}
      const cases = [
        [{ ...withoutSteps, reports: { to: 'head@school.example' } }, ['head@school.example']],
        [{ ...withoutSteps, admissions }, ['admissions@localhost']],
        [{ ...withoutSteps, reports: { weekly: 'off' as const } }, []],
      ] as const
      for (const [settings, recipients] of cases) {
        const school = await startReporting(t, { engine, settings })
        await school.until('11-30 15:00')
        const to = school.reports().map(line => line.split(':')[0])
        deepEqual(to, recipients)
      }
    })

    test('goes to the manager where the settings name someone who may no longer sign in', async t => {
      const settings = { ...withoutSteps, reports: { to: 'head@school.example' } }
      const school = await startReporting(t, { engine, settings })
      const { store } = school.app
      const now = school.clock.now()
      const id = await store.addOperator({ email: 'Head@school.example', name: 'Kim', role: 'viewer', now })
      await store.disableOperator(id ?? 0, { now, audit: [] })
      await school.until('11-30 15:00')
      match(school.reports().join(), /^dana@school\.example: /)
    })
  })
})
