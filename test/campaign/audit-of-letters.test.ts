/** The audit of follow-up emails to students in the simulated month: what it accepts, and what it does not. */
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditLetters } from '../../campaign/follow-up/audit-letters.ts'
import type { LeadFact, TaskFact } from '../../campaign/follow-up/facts.ts'
import type { World } from '../../campaign/follow-up/world.ts'
import { WorldTime } from '../../campaign/follow-up/world-time.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'

/** Monday, 21:00 in New York. */
const WROTE = Date.parse('2026-10-20T01:00:00Z')

/** The next morning, when it is day in New York. */
const FIRST = WROTE + DAY + 12 * HOUR
const SECOND = FIRST + 2 * DAY

describe('a follow-up email to someone who did nothing', () => {
  test('is right if it came in time, and wrong if it came late or never', () => {
    deepEqual(violationsOf([FIRST, SECOND]), [])
    deepEqual(violationsOf([FIRST + DAY]), ['email 3 of lead 7 came some hours late'])
    deepEqual(violationsOf([FIRST, SECOND + DAY]), ['email 4 of lead 7 came some hours late'])
    deepEqual(violationsOf([FIRST, undefined]), ['email 4 of lead 7 never came'])
  })

  test('keeps its distance from the one before', () => {
    deepEqual(violationsOf([FIRST + DAY, SECOND + DAY]), ['email 3 of lead 7 came some hours late'])
  })

  test('is not judged once they or someone else did something', () => {
    const act = { tick: 0, from: 0, at: WROTE, elapsed: 0 }
    deepEqual(violationsOf([undefined], { acts: [{ ...act, what: 'contacted' }] }), [])
    deepEqual(violationsOf([undefined], { wishes: [{ ...act, what: 'unsubscribed' }] }), [])
    deepEqual(violationsOf([undefined], { takenBack: true }), [])
    deepEqual(violationsOf([undefined], { acts: [{ ...act, what: 'attempted' }] }), ['email 3 of lead 7 never came'])
  })
})

/** What the audit finds if someone wrote on Monday evening, and follow-up emails came at these moments. */
function violationsOf(
  came: (number | undefined)[],
  {
    acts = [],
    wishes = [],
    takenBack = false,
  }: Partial<Pick<LeadFact, 'acts' | 'wishes'>> & { takenBack?: boolean } = {},
): string[] {
  // With this seed, the clocks jump later than that.
  const time = new WorldTime(2, 1)
  while (time.elapsed < 7.5 * DAY) time.step()
  const tickAt = (moment: number) => time.tickWhere(0, elapsed => time.shownAfter(elapsed) >= moment) ?? 0
  const steps = came.map((moment, i) => {
    const tick = tickAt(moment ?? 0)
    const deliveries = [{ tick, at: time.shownAfter(time.elapsedIn(tick)), to: 'p7@people.example', dropped: false }]
    const messages = moment === undefined ? [] : [{ deliveries }]
    return { kind: 'step', subject: 7, step: 3 + i, state: 'done', messages } as unknown as TaskFact
  })
  const lead = {
    id: 7,
    kind: 'student',
    person: { state: 'NY', email: 'p7@people.example' },
    since: WROTE,
    sinceTick: tickAt(WROTE),
    inquiries: [],
    acts,
    wishes,
    steps,
  } as unknown as LeadFact
  const post = {
    rejected: new Set(),
    killedIn: new Set(),
    mayHaveDeferred: () => false,
    endOfOutage: () => undefined,
  } as unknown as World['post']
  const violations: string[] = []
  const ledger = { takenBack: new Set(takenBack ? [7] : []) }
  auditLetters({ time, post, ledger }, [lead], (holds, otherwise) => {
    if (!holds) violations.push(otherwise.replace(/[\d.]+ hours/, 'some hours'))
  })
  return violations
}
