import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { scheduleUnattendedMail } from '../../src/tasks/messages/unattended.ts'
import type { TestOptions } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, at, ben, contact, type School, startSchool } from './school.ts'

/** A school that schedules the mail, as a service does when it starts to work. */
async function startWithMail(t: TestContext, options: TestOptions): Promise<School> {
  const school = await startSchool(t, options)
  const calendar = createCalendar(checkSettings(options.settings ?? aSchool).settings)
  await scheduleUnattendedMail({ store: school.app.store, clock: school.clock, calendar })
  return school
}

/** Nothing reminds of a lead, and nothing closes it. */
const withoutSteps = { ...aSchool, followUp: { student: [], site: [] } }

const mailsIn = ({ sent }: School) =>
  sent.filter(({ id }) => id.startsWith('unattended.')).map(({ subject }) => subject)

onEachEngine(engine => {
  describe('the mail about unattended leads', () => {
    test('lists twenty, and says how many more there are and how to list them', async t => {
      const service = await startWithMail(t, { engine, settings: withoutSteps })
      for (let i = 0; i < 23; i++) await service.postStudent(ben({ email: `ben${i}@mail.example` }))
      await service.until('12-07 15:00')
      deepEqual(mailsIn(service), ['23 students have been waiting for over a week'])
      const text = service.sent.at(-1)?.text ?? ''
      equal(text.match(/^Call /gm)?.length, 20)
      match(
        text.slice(-200).replace(/\s+/g, ' '),
        /And 3 more\. .* list them all: `?npx frontdesk leads list --waiting/,
      )
    })

    test('lists those who wait on Mondays only, whatever else is due', async t => {
      const service = await startWithMail(t, { engine })
      await service.postStudent(ben())
      await service.until('11-30 16:00')
      await service.postStudent(ben({ firstName: 'Zoe', email: 'zoe@mail.example' }))
      await service.until('12-08 15:00')
      deepEqual(mailsIn(service), [
        'Ben Okafor has been waiting for 13 days',
        'Ben Okafor is about to be closed, and no one has called',
      ])
      doesNotMatch(service.sent.at(-1)?.text ?? '', /Zoe/)
      await service.until('12-14 15:00')
      equal(mailsIn(service).at(-1), 'Zoe Okafor has been waiting for 13 days')
    })

    test('lists those whose follow-up has been paused for over a week, unless a call is promised', async t => {
      const service = await startWithMail(t, { engine })
      const { store } = service.app
      await service.postStudent(ben())
      await service.postStudent(ben({ firstName: 'Zoe', email: 'zoe@mail.example' }))
      await service.settle()
      const by = { actor: 'maria', now: service.clock.now() }
      for (const id of [1, 2]) await store.pauseLead(id, by)
      const promise = { dueAt: at('12-18 16:00'), words: 'Call her', reminders: [], moment: 'December 18' }
      await store.planCallback(2, { ...promise, ...by })
      await service.until('11-30 16:00')
      deepEqual(mailsIn(service), [])
      await service.until('12-07 15:00')
      deepEqual(mailsIn(service), ['Ben Okafor has been waiting for 13 days'])
      match(service.sent.at(-1)?.text.replace(/\s+/g, ' ') ?? '', /was paused on Monday, .* so no one is reminded/)
    })

    test('names everyone who wrote back before today and was not answered, on every school morning', async t => {
      const service = await startWithMail(t, { engine })
      await service.postStudent(ben())
      await service.settle()
      await contact(service)
      await service.until('11-24 20:00')
      await service.postStudent(ben({ message: 'Is there a place left?' }))
      await service.until('11-26 15:00')
      deepEqual(mailsIn(service), new Array(2).fill('Ben Okafor wrote back, and no one has answered'))
      const { text } = service.sent.findLast(({ id }) => id.startsWith('unattended.')) ?? { text: '' }
      match(text, /Wrote back on Tuesday[\s\S]*No answer needed/)
      const path = /\/act\/w[^>\s]+/.exec(text)?.[0] ?? ''
      const pressed = await fetch(service.origin.console + path, { method: 'POST' })
      match(await pressed.text(), /Saved: no answer needed/)
      await service.until('11-30 15:00')
      equal(mailsIn(service).length, 2)
    })

    test('names everyone who was to be called before today, on every school morning, until someone records what came of it', async t => {
      const service = await startWithMail(t, { engine })
      const { store } = service.app
      await service.postStudent(ben())
      await service.postStudent(ben({ firstName: 'Zoe', email: 'zoe@mail.example' }))
      await service.settle()
      await contact(service)
      const by = { actor: 'maria', now: service.clock.now() }
      const promise = { words: '', reminders: [], moment: 'November 24' }
      await store.planCallback(1, { ...promise, dueAt: at('11-24 16:00'), ...by })
      await store.planCallback(2, { ...promise, dueAt: at('11-25 16:00'), ...by })
      await service.until('11-26 15:00')
      deepEqual(mailsIn(service), [
        'Ben Okafor was promised a call, and no one has made it',
        '2 people were promised a call, and no one has made it',
      ])
      const { text } = service.sent.findLast(({ id }) => id.startsWith('unattended.')) ?? { text: '' }
      match(
        text.replace(/\s+/g, ' '),
        /Ben Okafor -+ We promised to call on Tuesday, [^.]*\. Assigned to Maria Example\./,
      )
      const ended = { callback: 1, words: 'called off', resumption: undefined, ...by }
      await store.endCallback(1, ended)
      await store.endCallback(2, { ...ended, callback: 2 })
      await service.until('11-27 15:00')
      equal(mailsIn(service).length, 2)
    })

    test('lists those who wait once the service works again, if it was down on Monday', async t => {
      const service = await startWithMail(t, { engine, settings: withoutSteps })
      await service.postStudent(ben())
      await service.until('12-03 15:00')
      service.clock.advance(at('12-08 15:00') - service.clock.now())
      await service.settle()
      deepEqual(mailsIn(service), ['Ben Okafor has been waiting for 14 days'])
      await service.until('12-11 15:00')
      equal(mailsIn(service).length, 1)
    })

    test('comes on the first school day of a week that begins with a holiday', async t => {
      const service = await startWithMail(t, {
        engine,
        settings: { ...withoutSteps, school: { ...aSchool.school, holidays: ['2026-12-07'] } },
      })
      await service.postStudent(ben())
      await service.until('12-08 13:00')
      deepEqual(mailsIn(service), [])
      await service.until('12-08 15:00')
      deepEqual(mailsIn(service), ['Ben Okafor has been waiting for 14 days'])
    })
  })
})
