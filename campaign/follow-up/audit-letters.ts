/** Checks that each student gets the follow-up emails in time, until something stops them. */
import { DAY, HOUR } from '../../src/platform/time.ts'
import type { Expect, LeadFact } from './facts.ts'
import { isDaytime } from './hours.ts'
import { latestStep } from './latest-step.ts'
import { keyOf } from './post-office.ts'
import { LETTERS } from './school.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

/** A kill may have held up the filing, or the email before, for as many steps of time. */
const HELD_UP = 2

type Known = Pick<World, 'time' | 'post'> & { ledger: Pick<World['ledger'], 'takenBack'> }

export function auditLetters(known: Known, leads: readonly LeadFact[], expect: Expect): void {
  for (const lead of leads) {
    const { kind, person, since } = lead
    const gets = kind === 'student' && !person.phoneOnly && !person.unknown && !Number.isNaN(since)
    // What has stopped an email may have been taken back later.
    if (gets && !known.ledger.takenBack.has(lead.id)) auditLead(known, lead, expect)
  }
}

function auditLead({ time, post }: Known, lead: LeadFact, expect: Expect) {
  const { id, person, steps, acts, wishes, inquiries } = lead
  const stops = [...acts.filter(({ what }) => what !== 'attempted'), ...wishes, ...inquiries]
  const mayCome = (shown: number) => [shown, shown + SKEW].every(one => isDaytime(person.state, one))
  let from = { at: lead.since, tick: lead.sinceTick, days: 0 }
  for (const [step, days] of LETTERS) {
    const task = steps.find(one => one.step === step)
    if (task === undefined) return
    const key = keyOf(task)
    // The same time of day comes an hour later once the clocks of the state have changed.
    const due = from.at + (days - from.days) * DAY + HOUR
    const latest = latestStep({ time, post }, { from: from.tick, due, mayCome, key })
    if (latest === undefined || post.rejected.has(key)) return
    const last = latest + HELD_UP
    // Once the clocks are set back, what was due keeps its interval.
    if (stops.some(({ tick }) => tick <= last) || time.setBack(from.tick, last) > 0) return
    const came = task.messages[0]?.deliveries[0]
    const late = came === undefined ? 'never came' : `came ${((came.at - due) / HOUR).toFixed(1)} hours late`
    expect(came !== undefined && came.tick <= last, `email ${step} of lead ${id} ${late}`)
    const known = task.messages[0]?.deliveries.at(-1)
    if (known === undefined) return
    // The next one is counted from the moment at which the service knew that this one had come.
    from = { ...known, days }
  }
}
