/** Erasing by the retention rules: planned, announced, and only people without any change. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'
import { nextErasure, ruleFor } from '../../src/follow-up/erasure-days.ts'
import { HOUR } from '../../src/platform/time.ts'
import { eraseByRetention, planRetention, removeErasedMessages } from '../../src/tasks/retention-erasing.ts'
import { withoutFollowUp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { asked } from '../support/store.ts'
import { startSchool } from './school.ts'

const at = (text: string) => Date.parse(text)
const NEW_YORK = 'America/New_York'
const settings = { closedLeadMonths: 6, enrolledLeadMonths: 0, eraseNoticeDays: 7 }
const open = new AbortController().signal

describe('the day of an erasure', () => {
  test('is the first of a month at the school that leaves a day to plan and the days of the notice', () => {
    const next = (now: string) => new Date(nextErasure(at(now), settings, NEW_YORK)).toISOString()
    equal(next('2026-11-02T12:00:00Z'), '2026-12-01T05:00:00.000Z')
    equal(next('2026-11-23T05:00:00Z'), '2026-12-01T05:00:00.000Z')
    equal(next('2026-11-23T05:00:01Z'), '2027-01-01T05:00:00.000Z')
    equal(next('2027-03-10T12:00:00Z'), '2027-04-01T04:00:00.000Z', 'also in summer')
  })

  test('takes what ended before the same day some months earlier, and nothing where the rule is off', () => {
    const eraseAt = at('2026-12-01T05:00:00Z')
    deepEqual(ruleFor(eraseAt, settings, NEW_YORK), {
      eraseAt,
      closedBefore: at('2026-06-01T04:00:00Z'),
      enrolledBefore: null,
    })
  })
})

const JANUARY = at('2026-01-10T15:00:00Z')

const schoolSettings: PartialSettings = {
  ...withoutFollowUp,
  school: { timeZone: NEW_YORK },
  admissions: { counselors: [], manager: { name: 'Dana Kim', email: 'dana@school.example' } },
  privacy: settings,
}

/** Leads that were closed in January, by the name of what has happened to them since. */
async function aSchool(t: TestContext, engine: Engine, mail: () => Promise<void> = async () => {}) {
  const service = await startSchool(t, { engine, clock: testClock(JANUARY), settings: schoolSettings, mail })
  const { store } = service.app
  const lead = async (email: string, stage: string) => {
    await service.postStudent(aStudent({ email, lastName: 'Canaryson' }))
    await service.settle()
    const [found] = await store.findLeadsOf(email)
    const closedReason = stage === 'closed' ? ('not interested' as const) : null
    const now = service.clock.now()
    await store.changeStage(found?.id ?? 0, { stage, closedReason, actor: 'manager', now })
    return found?.id ?? 0
  }
  const deps = { store, clock: service.clock, config: configOf(service.dataDir, settings) }
  return {
    ...service,
    store,
    lead,
    notices: () => service.sent.filter(({ subject }) => /will be erased/.test(subject)),
    plan: () => planRetention(deps, open),
    erase: () => eraseByRetention(deps, open),
    sweep: () => removeErasedMessages(deps, open),
    to: (text: string) => service.clock.advance(at(text) - service.clock.now()),
    left: async () => (await store.listLeads({ limit: 50 })).map(({ id }) => id).sort((a, b) => a - b),
  }
}

const configOf = (dataDir: string, privacy: typeof settings) => ({
  settings: checkSettings({ ...schoolSettings, privacy }).settings,
  dataDir,
  consoleUrl: 'https://desk.example.edu',
})

onEachEngine(engine => {
  test('files of messages about people who are erased are removed, however they came to be left', async t => {
    const { lead, store, clock, dataDir, sweep } = await aSchool(t, engine)
    const erased = await lead('one@mail.example', 'closed')
    const other = await lead('two@mail.example', 'closed')
    const now = clock.now()
    await store.erasePerson('one@mail.example', { ...asked, addressHash: undefined, now })
    const folder = join(dataDir, 'mail')
    mkdirSync(folder)
    // The last one was sent after the backup from which the database was restored.
    for (const about of [`notify.${erased}`, `receipt.${erased}`, `notify.${other}`, 'notify.99'])
      writeFileSync(join(folder, `20260110T150000Z-${about}.0.abc.eml`), '')
    await sweep()
    deepEqual(
      readdirSync(folder)
        .map(name => name.split('-')[1])
        .toSorted(),
      [`notify.${other}.0.abc.eml`, 'notify.99.0.abc.eml'].toSorted(),
    )
  })

  test('closed leads are announced to the manager, and erased on the first of the month', async t => {
    const { lead, plan, erase, to, left, settle, notices, store } = await aSchool(t, engine)
    const [one, two] = [await lead('one@mail.example', 'closed'), await lead('two@mail.example', 'closed')]
    const enrolled = await lead('three@mail.example', 'enrolled')
    to('2026-06-20T12:00:00Z')
    await plan()
    deepEqual(await store.countPlanned(), [], 'not six months on the first of July')
    to('2026-07-10T12:00:00Z')
    await plan()
    await plan()
    deepEqual(await store.countPlanned(), [{ eraseAt: at('2026-08-01T04:00:00Z'), leads: 2 }])
    await settle()
    equal(notices().length, 0, 'the notice waits for its day')
    to('2026-07-25T04:00:00Z')
    await settle()
    deepEqual(
      notices().map(({ to, subject }) => [to.address, subject]),
      [['dana@school.example', '2 leads will be erased on Saturday, August 1, 2026 at 12:00 AM EDT']],
    )
    const [notice] = notices()
    match(notice?.text ?? '', new RegExp(`Lead ${one}`))
    match(notice?.html ?? '', new RegExp(`/leads/${two}"`))
    doesNotMatch((notice?.text ?? '') + notice?.html, /Canaryson|mail\.example/, 'it stays in a mailbox')
    to('2026-08-01T03:59:00Z')
    equal(await erase(), 0)
    to('2026-08-01T04:00:00Z')
    await erase()
    deepEqual(await left(), [enrolled])
    deepEqual(
      (await store.listErasures({ limit: 9 })).map(({ id: _, ...row }) => row),
      [
        {
          at: at('2026-08-01T04:00:00Z'),
          asked_by: 'retention rule',
          confirmed_by: null,
          reason: 'retention',
          people: 2,
          leads: 2,
          submissions: 2,
          messages: 4,
        },
      ],
    )
    equal(await store.readSuppression(['any']), undefined)
    equal(await erase(), 0)
  })

  test('a lead that is held, called again, or of a person with an open lead is kept', async t => {
    const { lead, plan, erase, to, left, settle, store, clock, postStudent } = await aSchool(t, engine)
    const names = ['held', 'noted', 'open', 'gone', 'expired'] as const
    const ids: Record<string, number> = {}
    for (const name of names) ids[name] = await lead(`${name}@mail.example`, 'closed')
    const hold = { actor: 'manager', note: 'Kept: a refund', reason: 'a refund', now: clock.now() }
    await store.holdLead(ids['held'] ?? 0, { ...hold, until: null })
    await store.holdLead(ids['expired'] ?? 0, { ...hold, until: at('2026-03-01T00:00:00Z') })
    to('2026-07-10T12:00:00Z')
    await postStudent(aStudent({ email: 'open@mail.example' }))
    await settle()
    await plan()
    equal((await store.countPlanned())[0]?.leads, 3, 'noted, gone and expired')
    to('2026-07-25T04:00:00Z')
    await settle()
    await store.addNote(ids['noted'] ?? 0, { text: 'Called', actor: 'manager', now: clock.now() })
    to('2026-08-01T05:00:00Z')
    await erase()
    const kept = await left()
    ok(!kept.includes(ids['gone'] ?? 0) && !kept.includes(ids['expired'] ?? 0))
    ok(kept.includes(ids['held'] ?? 0) && kept.includes(ids['noted'] ?? 0))
    ok(kept.includes(ids['open'] ?? 0), 'their earlier lead, too')
    deepEqual(await store.countPlanned(), [])
  })

  test('someone whose lead was closed while its follow-up was paused is erased', async t => {
    const { lead, plan, to, settle, erase, left, store, clock, postStudent } = await aSchool(t, engine)
    await postStudent(aStudent({ email: 'one@mail.example' }))
    await settle()
    const by = () => ({ actor: 'manager', now: clock.now() })
    const [one] = await store.findLeadsOf('one@mail.example')
    await store.pauseLead(one?.id ?? 0, by())
    await store.changeStage(one?.id ?? 0, { stage: 'closed', closedReason: 'not interested', ...by() })
    const open = await lead('two@mail.example', 'contacted')
    await settle()
    to('2026-07-10T12:00:00Z')
    await plan()
    to('2026-07-25T04:00:00Z')
    await settle()
    await plan()
    equal((await store.countPlanned())[0]?.leads, 1)
    to('2026-08-01T04:00:00Z')
    await erase()
    deepEqual(await left(), [open])
  })

  test('someone whose follow-up was paused when it was merged with another of theirs is erased with that one', async t => {
    const { lead, plan, to, settle, erase, left, store, clock } = await aSchool(t, engine)
    const [kept, other] = [await lead('one@mail.example', 'contacted'), await lead('two@mail.example', 'contacted')]
    const by = () => ({ actor: 'manager', now: clock.now() })
    await store.pauseLead(other, by())
    equal((await store.mergeLeads(kept, { other, ...by() })).outcome, 'done')
    await store.resumeLead(kept, { ...by(), since: clock.now(), steps: [] })
    await store.changeStage(kept, { stage: 'closed', closedReason: 'not interested', ...by() })
    await settle()
    to('2026-07-10T12:00:00Z')
    await plan()
    to('2026-07-25T04:00:00Z')
    await settle()
    to('2026-08-01T04:00:00Z')
    await erase()
    deepEqual(await left(), [])
    equal(await store.findExactLead(other), undefined)
  })

  test('nothing is erased before the notice was sent, nor before its days are over', async t => {
    const { lead, plan, erase, to, left, settle } = await aSchool(t, engine)
    const id = await lead('one@mail.example', 'closed')
    to('2026-07-10T12:00:00Z')
    await plan()
    to('2026-08-01T05:00:00Z')
    equal(await erase(), 0, 'the service was down for the days of the notice')
    await settle()
    equal(await erase(), 0)
    deepEqual(await left(), [id])
    to('2026-08-08T05:00:00Z')
    await erase()
    deepEqual(await left(), [])
  })

  test('the notice, which has waited for its day for weeks, is tried for days when the mail server is away', async t => {
    let away = false
    const { lead, plan, to, settle, notices, clock } = await aSchool(t, engine, async () => {
      if (away) throw new Error('the mail server is away')
    })
    await lead('one@mail.example', 'closed')
    to('2026-07-10T12:00:00Z')
    await plan()
    to('2026-07-25T04:00:00Z')
    away = true
    for (let attempt = 0; attempt < 12; attempt++) {
      await settle()
      clock.advance(5 * HOUR)
    }
    equal(notices().length, 0)
    away = false
    await settle()
    equal(notices().length, 1)
  })

  test('what a clock that was ahead has planned and announced counts for nothing once it is set right', async t => {
    const { lead, plan, erase, to, left, settle, notices, clock, store } = await aSchool(t, engine)
    const id = await lead('one@mail.example', 'closed')
    to('2027-05-10T12:00:00Z')
    await plan()
    to('2027-05-26T12:00:00Z')
    await settle()
    equal(notices().length, 1)
    clock.advance(at('2026-02-10T12:00:00Z') - clock.now())
    equal(await erase(), 0)
    await plan()
    deepEqual(await store.countPlanned(), [])
    to('2026-07-10T12:00:00Z')
    await plan()
    to('2026-08-01T05:00:00Z')
    equal(await erase(), 0, 'the notice of another year is none')
    deepEqual(await left(), [id])
    await settle()
    equal(notices().length, 2)
    to('2026-08-08T06:00:00Z')
    await erase()
    deepEqual(await left(), [])
  })

  test('a rule that was switched off erases no one', async t => {
    const { lead, plan, to, left, settle, store, clock, dataDir } = await aSchool(t, engine)
    const id = await lead('one@mail.example', 'closed')
    to('2026-07-10T12:00:00Z')
    await plan()
    to('2026-07-25T04:00:00Z')
    await settle()
    to('2026-08-02T05:00:00Z')
    const off = configOf(dataDir, { ...settings, closedLeadMonths: 0 })
    await eraseByRetention({ store, clock, config: off }, open)
    deepEqual(await left(), [id])
  })
})
