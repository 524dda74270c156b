/** The audit of daily digests in the simulated month: what it accepts, and what it does not. */
import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { auditDigest } from '../../campaign/follow-up/audit-notices.ts'
import type { Facts } from '../../campaign/follow-up/facts.ts'
import { Ledger } from '../../campaign/follow-up/ledger.ts'
import { DAILY, mailboxOf } from '../../campaign/follow-up/school.ts'
import type { World } from '../../campaign/follow-up/world.ts'
import { WorldTime } from '../../campaign/follow-up/world-time.ts'
import { DAY } from '../../src/platform/time.ts'

test('a lead that no email told of is named by the digest of the next morning, and a later one is too late', () => {
  const time = new WorldTime(1, 8)
  while (time.elapsed < 4 * DAY) time.step()
  const tickAt = (shown: string) =>
    time.tickWhere(0, elapsed => time.shownAfter(elapsed) >= Date.parse(`2026-10-${shown}:00-04:00`)) ?? 0
  const filed = tickAt('19T11:00')
  const morning = tickAt('20T09:00')
  deepEqual(violationsOf([{ leads: [6, 7], tick: morning }]), [])
  const missing = ['lead 7 was not in the daily digest that was to name it']
  deepEqual(violationsOf([]), missing)
  deepEqual(violationsOf([{ leads: [6], tick: morning }]), missing)
  deepEqual(violationsOf([{ leads: [7], tick: tickAt('19T09:00') }]), missing)
  deepEqual(violationsOf([{ leads: [7], tick: tickAt('21T09:00') }]), missing)
  deepEqual(violationsOf([{ leads: [7], tick: morning, to: 'ana@school.example' }]), missing)
  const rejected = ['daily.20261020.3']
  deepEqual(violationsOf([{ leads: [7], tick: tickAt('21T09:00') }], rejected), [])
  deepEqual(violationsOf([{ leads: [7], tick: tickAt('22T09:00') }], rejected), missing)

  function violationsOf(came: { leads: number[]; tick: number; to?: string }[], refused: string[] = []): string[] {
    const digests = came.map(one => ({ to: mailboxOf(DAILY, 'student'), ...one }))
    const known = { killedIn: new Set(), mayHaveDeferred: () => false, endOfOutage: () => undefined }
    const post = { ...known, rejected: new Set(refused) }
    const today = { operators: new Map([[DAILY, 3]]) }
    const world = { time, ledger: new Ledger(time), notices: { digests }, post, today } as unknown as World
    const facts = { submissions: [{ id: 7, lead: 7 }], leads: [{ id: 7 }] } as Facts
    const task = { kind: 'notify', subject: 7, finishedAt: time.shownAfter(time.elapsedIn(filed)) } as const
    const violations: string[] = []
    auditDigest(world, facts, task, (holds, otherwise) => void (holds || violations.push(otherwise)))
    return violations
  }
})
