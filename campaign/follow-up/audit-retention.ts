/** Checks that the retention rules have erased everyone whose time had come, and no one else. */
import { DAY, HOUR } from '../../src/platform/time.ts'
import type { Expect } from './facts.ts'
import { isTakenBack } from './lists.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

/** Midnight at the school: those who were closed before the first are erased on the second. */
const MONTHS = [Date.parse('2026-11-01T04:00:00Z'), Date.parse('2026-12-01T05:00:00Z')] as const

/** The manager has as long to object. */
export const NOTICE = 7 * DAY

/** What is due is carried out within this time, in milliseconds, and the clock must be trusted by then. */
const SOON = 2 * DAY

export function auditRetention({ retention, lists, ledger, time, post }: World, expect: Expect): void {
  const [cutoff, day] = MONTHS
  for (const { id, reach, closed, at } of retention.erased) {
    const what = `lead ${id} of ${reach} was erased on ${new Date(at.at).toISOString()}`
    expect(at.at + SKEW >= day, `${what}, before its day`)
    expect(closed !== undefined, `${what} although it was open`)
    const since = closed?.lastOpen?.at ?? 0
    expect(since - SKEW < cutoff, `${what} although it was open on ${new Date(since).toISOString()}`)
    const listed = retention.listed.get(id) ?? []
    const early = listed.some(moment => moment <= at.at + SKEW - NOTICE)
    expect(early, `${what}, and the manager heard of it on ${listed.map(one => new Date(one).toISOString()).join()}`)
    const held = lists.personOf(id)?.acts.some(({ what }) => what === 'hold')
    expect(held !== true, `${what} although someone wanted to keep it`)
    const acts = [...(ledger.leads.get(id) ?? []), ...(lists.personOf(id)?.acts ?? [])]
    // To say that no answer is needed changes nothing if no one waits.
    const late = acts.find(act => act.what !== 'answered' && act.at - SKEW >= cutoff)
    expect(late === undefined, `${what} although someone had done this a short while ago: ${late?.what}`)
  }
  // Without the email to the manager, no one is erased.
  const [unlisted] = [...post.rejected].filter(key => key.startsWith('retention.'))
  const gone = new Set(retention.erased.map(({ id }) => id))
  const last = time.tickWhere(0, elapsed => time.shownAfter(elapsed) >= day + SOON)
  if (last === undefined || unlisted !== undefined) return
  for (const person of lists.all.flatMap(({ people }) => people)) {
    const { lead, email, acts } = person
    const held = acts.some(({ what }) => what === 'hold')
    const closed = acts.findLast(({ what }) => what === 'closed')
    const settled = closed !== undefined && acts.every(act => act.at < cutoff - HOUR)
    if (lead === undefined || held || !settled || isTakenBack(person)) continue
    expect(gone.has(lead), `lead ${lead} of ${email.slice(0, 4)} was closed for a month, and is still there`)
  }
}
