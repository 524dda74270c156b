/** Hours of calls in a state with two time zones: by the area code where it says more than the state. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { startConsole } from '../support/console.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { readable } from '../support/forms.ts'

const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }
const settings = {
  admissions: { counselors: [maria] },
  school: { timeZone: 'America/Chicago', hours: { tuesday: '08:00-17:00' } },
}
/** A Tuesday, 9:20 in Houston and 8:20 in El Paso. */
const NOW = Date.parse('2026-11-24T15:20:00Z')

const people = [
  ['Houston', '(713) 555-0142', 'TX'],
  ['Elpaso', '(915) 555-0142', 'TX'],
  ['Mover', '(212) 555-0142', 'TX'],
  ['Chicago', '(915) 555-0142', 'IL'],
  ['Both', '(713) 555-0143', 'TX'],
] as const

async function aDesk(t: TestContext, engine: Engine) {
  const service = await startConsole(t, { engine, settings })
  service.clock.advance(NOW - service.clock.now())
  for (const [lastName, phone, state] of people)
    await service.postStudent(aStudent({ lastName, phone, state, email: `${lastName}@mail.example` }))
  // Someone who moved, and gave a number of El Paso the second time.
  await service.postStudent(
    aStudent({ email: 'Both@mail.example', phone: '(915) 555-0143', message: 'My new number.' }),
  )
  await service.settle()
  return { ...service, manager: await service.client('manager') }
}

onEachEngine(engine => {
  describe('at 9:20 in Houston, and 8:20 in El Paso', () => {
    test('people who are certainly where it is 9:20 may be called, and each row says why', async t => {
      const { manager, postSite, settle } = await aDesk(t, engine)
      await postSite(aSite({ lastName: 'Nowhere' }))
      await settle()
      const text = readable((await manager.get('/today')).text)
      const [now = '', notYet = ''] = text.split('Not to be called yet')
      match(now, /Houston.*9:20 AM there \(by area code 713\), call until 8:00 PM/s)
      match(now, /Chicago.*9:20 AM there, call until/s)
      match(now, /Nowhere.*9:20 AM at the school, call until/s)
      match(now, /Both.*9:20 or 8:20 AM there, do not call before 10:00 AM, school time/s)
      equal(/Elpaso|Mover/.test(now), false)
      match(notYet, /8:20 AM there \(by area code 915\), do not call before 9:00 AM there/)
      const eitherZone = /9:20 or 8:20 AM there, do not call before 10:00 AM, school time/
      match(notYet, eitherZone)
      match(readable((await manager.get('/leads/1')).text), /9:20 AM where they are \(by area code 713\), call until/)
      match(
        readable((await manager.get('/leads/3')).text),
        /9:20 or 8:20 AM where they are \(their state has two time zones\), do not call before 10:00 AM, school time/,
      )
    })

    test('they are found among more people than are read at once', async t => {
      const { app, clock } = await aDesk(t, engine)
      const calendar = createCalendar(checkSettings(settings).settings)
      const namesAt = async (now: number) => {
        const open = calendar.areasOf(['TX', 'IL', null]).filter(({ place }) => calendar.callWindow(place, now).open)
        const { leads, wroteBack } = await app.store.listDueLeads({
          until: now,
          limit: 9,
          areas: open.map(({ area }) => area),
        })
        return [...leads, ...wroteBack].map(({ lastName }) => lastName).toSorted()
      }
      deepEqual(await namesAt(clock.now()), ['Chicago', 'Houston'])
      deepEqual(await namesAt(clock.now() + 60 * MINUTE), people.map(([name]) => name).toSorted())
    })

    test('their reminders, and who is late, count from 9:00 where they are', async t => {
      const { app, clock, settle, manager } = await aDesk(t, engine)
      const dueOf = async (id: number) => {
        const followUp = await app.store.readFollowUp(id)
        const [first] = followUp?.steps.filter(({ step }) => step === 0) ?? []
        return new Date(first?.dueAt ?? 0).toISOString().slice(11, 16)
      }
      deepEqual([await dueOf(1), await dueOf(2), await dueOf(3)], ['15:25', '16:05', '16:05'])
      clock.advance(10 * MINUTE)
      await settle()
      match(readable((await manager.get('/team')).text), /5 not called yet 2 late/)
    })
  })
})
