/** A person who waits for a reply as on the first day is followed up as on the first day. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { restartOf } from '../../src/follow-up/schedule.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { aSite } from '../support/bodies.ts'
import { onEachEngine } from '../support/engines.ts'
import { aSchool, ben, MONDAY, readLead, startSchool, stepsIn } from './school.ts'

onEachEngine(engine => {
  describe('a person who writes again before anyone has reached them', () => {
    test('is not closed a moment later, and the reminders begin again', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.until(MONDAY + 14 * DAY - HOUR)
      const before = service.diary().length
      await service.postStudent(ben({ message: 'Is anybody there?' }))
      await service.until(MONDAY + 14 * DAY + 2 * HOUR)
      equal((await readLead(service)).lead.stage, 'new')
      equal(stepsIn(service.diary().slice(before)).length, 3)
      await service.until(MONDAY + 33 * DAY)
      equal((await readLead(service)).lead.stage, 'new', 'they wait for an answer')
      await service.app.store.needNoAnswer(1, { actor: 'maria', now: service.clock.now() })
      await service.until(MONDAY + 37 * DAY)
      equal((await readLead(service)).lead.stage, 'closed')
    })

    test('does not postpone reminders that are still to come', async t => {
      const service = await startSchool(t, { engine })
      await service.postStudent(ben())
      await service.until(MONDAY + HOUR / 2)
      await service.postStudent(ben({ message: 'Hello?' }))
      await service.until(MONDAY + 2 * HOUR)
      deepEqual(stepsIn(service.diary()), [
        '11-23 16:35 maria step.1.0',
        '11-23 16:45 sam step.1.1',
        '11-23 17:30 dana step.1.2',
      ])
    })

    test('gets new reminders if all that is left is a message to the chat channels', async t => {
      const chat = { name: 'chat', after: '3 hours', clock: 'school', channel: 'chat' } as const
      const student = [...defaultSettings.followUp.student, chat]
      const service = await startSchool(t, { engine, settings: { ...aSchool, followUp: { student } } })
      await service.postStudent(ben())
      await service.until(MONDAY + 2 * HOUR)
      const before = service.diary().length
      await service.postStudent(ben({ message: 'Hello?' }))
      await service.until(MONDAY + 5 * HOUR)
      deepEqual(stepsIn(service.diary().slice(before)), [
        '11-23 18:35 maria step.1.0',
        '11-23 18:45 sam step.1.1',
        '11-23 19:30 dana step.1.2',
      ])
    })

    test('may be a site, months later', async t => {
      const service = await startSchool(t, { engine })
      const email = 'ana@mercy.example'
      await service.postSite(aSite({ email, startedAt: service.clock.now() - HOUR }))
      await service.until(MONDAY + 30 * DAY)
      equal(stepsIn(service.diary()).length, 2)
      await service.postSite(aSite({ email, startedAt: service.clock.now() - HOUR }))
      await service.until(MONDAY + 40 * DAY)
      equal(stepsIn(service.diary()).length, 4)
    })
  })

  test('a lead that is set back to new gets reminders and is closed like a new one', async t => {
    const service = await startSchool(t, { engine })
    await service.postStudent(ben())
    await service.settle()
    const { store } = service.app
    const spam = { stage: 'closed', closedReason: 'spam', actor: null } as const
    await store.changeStage(1, { ...spam, now: MONDAY })
    await service.until(MONDAY + 16 * DAY)
    equal(stepsIn(service.diary()).length, 0)
    const followUp = await store.readFollowUp(1)
    ok(followUp)
    const { settings } = checkSettings(aSchool)
    const clocks = createCalendar(settings).hoursFor({ state: 'TX', phoneE164: null })
    const restarts = (['staff', 'end'] as const).flatMap(
      track => restartOf(followUp.cadence, track, service.clock.now(), clocks) ?? [],
    )
    const anew = { stage: 'new', closedReason: null, restarts, actor: 'maria' }
    await store.changeStage(1, { ...anew, now: service.clock.now() })
    await service.until(MONDAY + 31 * DAY)
    equal(stepsIn(service.diary()).length, 3)
    deepEqual((await readLead(service)).lead.closedReason, 'no reply')
  })

  test('a lead that was closed automatically can still be reached', async t => {
    const service = await startSchool(t, { engine })
    await service.postStudent(ben())
    await service.until(MONDAY + 17 * DAY)
    const { store } = service.app
    equal((await readLead(service)).lead.closedReason, 'never contacted')
    const now = service.clock.now()
    const contacted = { stage: 'contacted', closedReason: null, from: ['new'], actor: 'maria' }
    equal((await store.changeStage(1, { ...contacted, now } as const)).outcome, 'done')
    equal((await readLead(service)).lead.firstContactAt, now)
  })
})
