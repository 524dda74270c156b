/**
 * The audit of reminders in the simulated month, and when someone may be called: what it accepts, and what it does not.
 */
import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditReminders } from '../../campaign/follow-up/audit-reminders.ts'
import type { LeadFact, TaskFact } from '../../campaign/follow-up/facts.ts'
import { isTimeToCall, type Reach } from '../../campaign/follow-up/hours.ts'
import type { World } from '../../campaign/follow-up/world.ts'
import { WorldTime } from '../../campaign/follow-up/world-time.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'

/** Monday, 10:00 in New York. */
const WROTE = Date.parse('2026-10-19T14:00:00Z')

const time = new WorldTime(1, 1)
while (time.elapsed < 3.5 * DAY) time.step()
const tickAt = (moment: number) => time.tickWhere(0, elapsed => time.shownAfter(elapsed) >= moment) ?? 0

/**
 * `skipped`: when the last of the reminders was skipped, and did not come. `notified`: when the notification ended,
 * if it was late.
 */
type Known = Partial<Reach & LeadFact> & { skipped?: number; notified?: number }

/** What the audit finds if someone wrote on Monday at 10:00, and reminders came at these moments, some of them twice. */
function violationsOf(came: (number | number[] | undefined)[], known: Known = {}): string[] {
  const { bestTime, acts = [], skipped, notified } = known
  const steps = came.map((moment, step) => {
    const moments = moment === undefined ? [] : [moment].flat()
    const deliveries = moments.map((one, i) => {
      const tick = tickAt(one)
      const dropped = i < moments.length - 1
      return { tick, at: time.shownAfter(time.elapsedIn(tick)), to: 'ana@school.example', dropped }
    })
    const messages = moment === undefined ? [] : [{ deliveries }]
    const end = skipped !== undefined && step === came.length - 1 ? skipped : undefined
    const state = end === undefined ? 'done' : 'skipped'
    const finishedAt = time.shownAfter(time.elapsedIn(tickAt(end ?? moments.at(-1) ?? 0)))
    return { kind: 'step', subject: 7, step, state, finishedAt, messages } as unknown as TaskFact
  })
  const since = { since: WROTE, sinceTick: tickAt(WROTE) }
  const lead = { id: 7, kind: 'student', person: { state: 'NY', bestTime }, acts, steps, ...since } as LeadFact
  const finishedAt = notified === undefined ? Number.NaN : time.shownAfter(time.elapsedIn(tickAt(notified)))
  const tasks = [{ kind: 'notify', subject: 7, step: 0, finishedAt }] as TaskFact[]
  const post = {
    rejected: new Set(),
    killedIn: new Set(),
    mayHaveDeferred: () => false,
    endOfOutage: () => undefined,
  } as unknown as World['post']
  const violations: string[] = []
  auditReminders({ time, post }, { leads: [lead], tasks, waits: new Map() }, (holds, otherwise) => {
    if (!holds) violations.push(otherwise.replace(/\d+ minutes/, 'some minutes'))
  })
  return violations
}

const inTime = [5, 15, 60].map(minutes => WROTE + minutes * MINUTE)

describe('a reminder about a lead that no one has touched', () => {
  test('is right if it came in time, and wrong if it came late or never', () => {
    deepEqual(violationsOf(inTime), [])
    deepEqual(violationsOf([WROTE + 3 * HOUR]), ['reminder 0 of lead 7 came some minutes late'])
    deepEqual(violationsOf([inTime[0], undefined]), ['reminder 1 of lead 7 never came'])
    deepEqual(violationsOf([WROTE + DAY]), ['reminder 0 of lead 7 came some minutes late'])
  })

  test('is counted from the moment at which the service knew of the one before, if that came twice', () => {
    const [first, second, third] = [WROTE + 5 * MINUTE, WROTE + 2 * HOUR, WROTE + 2 * HOUR + 10 * MINUTE]
    deepEqual(violationsOf([[first, second], third]), [])
    deepEqual(violationsOf([[first, second], third + 2 * HOUR]), ['reminder 1 of lead 7 came some minutes late'])
  })

  test('is wrong if it was skipped long after it should have come', () => {
    deepEqual(violationsOf([inTime[0], undefined], { skipped: WROTE + 20 * MINUTE }), [])
    deepEqual(violationsOf([inTime[0], undefined], { skipped: WROTE + 2 * DAY }), ['reminder 1 of lead 7 never came'])
  })

  test('lets the notification go first, once', () => {
    const due = WROTE + 5 * MINUTE
    const stepsLater = (count: number) => time.shownAfter(time.elapsedIn(tickAt(due) + count))
    const late = ['reminder 0 of lead 7 came some minutes late']
    deepEqual(violationsOf([stepsLater(3)]), late)
    deepEqual(violationsOf([stepsLater(3)], { notified: due }), [])
    deepEqual(violationsOf([stepsLater(4)], { notified: due }), late)
  })

  test('is not judged once someone did something', () => {
    const acts = [{ what: 'contacted', tick: 0, from: 0, at: WROTE, elapsed: 0 }] as LeadFact['acts']
    deepEqual(violationsOf([undefined], { acts }), [])
  })

  test('waits for the time of day that suits them, and not longer', () => {
    const afternoon = [2 * HOUR + 5 * MINUTE, 2 * HOUR + 15 * MINUTE, 3 * HOUR].map(wait => WROTE + wait)
    deepEqual(violationsOf(afternoon, { bestTime: 'afternoon' }), [])
    deepEqual(violationsOf([WROTE + 5 * HOUR], { bestTime: 'afternoon' }), [
      'reminder 0 of lead 7 came some minutes late',
    ])
  })
})

test('someone is called at the time that suits them, unless that does not come within four days', () => {
  const may = (reach: Reach, moment: string) => isTimeToCall(reach, Date.parse(moment), ['2026-11-26', '2026-11-27'])
  const eastern = { state: 'NY', bestTime: 'morning' } as const
  equal(may(eastern, '2026-11-18T15:00:00Z'), true)
  equal(may(eastern, '2026-11-18T18:00:00Z'), false)
  // On Wednesday afternoon, before a long weekend: the next morning comes on Monday, after more than four days.
  equal(may(eastern, '2026-11-25T18:00:00Z'), true)
  // In the evening the school is closed.
  equal(may({ ...eastern, bestTime: 'evening' }, '2026-11-18T18:00:00Z'), true)
  // In Puerto Rico it is an hour later, once New York has standard time.
  equal(may({ state: 'PR', bestTime: 'evening' }, '2026-11-18T18:00:00Z'), false)
  equal(may({ state: 'PR', bestTime: 'evening' }, '2026-11-18T21:30:00Z'), true)
  equal(may({ state: 'PR', bestTime: 'evening' }, '2026-10-20T18:00:00Z'), true)
})
