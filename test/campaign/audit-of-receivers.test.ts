/** The audit of a program of the school that fails for days: what it accepts, and what it does not. */
import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { auditFailing } from '../../campaign/follow-up/audit-receivers.ts'
import type { World } from '../../campaign/follow-up/world.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'

test('a program is switched off five days after the first of its events was tried, which may have failed by chance', () => {
  deepEqual(violationsOf({ since: 0, off: 5 * DAY }), [])
  deepEqual(violationsOf({ since: -HOUR, off: 5 * DAY - HOUR }), [])
  deepEqual(violationsOf({ since: 0, off: 4 * DAY }), ['Old records was switched off 4 days after it began to fail'])
  deepEqual(violationsOf({ since: 0, off: 7 * DAY }), ['Old records was switched off 7 days after it began to fail'])
})

test('the mail server may reject one of the two emails about that, but there must be both', () => {
  const [alarm, over] = [{ kind: 'alarm' }, { kind: 'alarm-over' }]
  deepEqual(violationsOf({ came: [over], rejected: ['alarm.1.0'] }), [])
  deepEqual(violationsOf({ came: [alarm], rejected: ['alarm-over.1.0'] }), [])
  const untold = 'no one was told that Old records was switched off, and is on again'
  deepEqual(violationsOf({ came: [over] }), [untold])
  deepEqual(violationsOf({ came: [alarm] }), [untold])
})

test('an alarm says that a program fails, and none says so of one that has not failed', () => {
  deepEqual(violationsOf({ alarms: [{ since: [7], raised: [8] }] }), [])
  deepEqual(violationsOf({ alarms: [] }), ['no alarm said that Old records fails'])
  deepEqual(violationsOf({ alarms: [{ since: [7], raised: [90] }] }), ['no alarm said that Old records fails'])
  deepEqual(
    violationsOf({
      alarms: [
        { since: [7], raised: [8] },
        { since: [3], raised: [4] },
      ],
    }),
    ['an alarm said that events wait since step 3, but no program had failed'],
  )
})

/** What the audit finds if the program began to fail at 0, in step 7. */
function violationsOf({
  alarms = [{ since: [7], raised: [8] }],
  since = 0,
  off = 5 * DAY,
  came = [{ kind: 'alarm' }, { kind: 'alarm-over' }],
  rejected = [],
}: {
  alarms?: { since: number[]; raised: number[] }[]
  since?: number
  off?: number
  came?: { kind: string }[]
  rejected?: string[]
}): string[] {
  const failing = { first: { at: 0, tick: 7 }, last: { at: off, tick: 60 }, since }
  const receiver = { name: 'Old records', failures: [7, 60], failing, off: { at: off, reason: 'given up' } }
  const byId = new Map(came.map((one, id) => [id, one]))
  const world = { receivers: { all: [receiver] }, post: { byId, rejected: new Set(rejected) } } as unknown as World
  const violations: string[] = []
  auditFailing(world, alarms, (holds, otherwise) => void (holds || violations.push(otherwise)))
  return violations
}
