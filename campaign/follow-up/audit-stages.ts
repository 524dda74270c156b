/** Checks that each lead is in the stage that follows from everything that was done to it. */
import { DAY, HOUR } from '../../src/platform/time.ts'
import { type Expect, type Facts, type LeadFact, sinceOf } from './facts.ts'
import { dayNumber } from './hours.ts'
import type { LeadAct } from './ledger.ts'
import { CLOSING } from './school.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

type Outcome = { stage: string; reason: string | null }

/** After a warning there is a whole working day to act. One hour for daylight saving time. */
const TO_ACT = DAY - HOUR

export function auditStages(
  { time }: Pick<World, 'time'>,
  { leads, tasks }: Pick<Facts, 'leads' | 'tasks'>,
  expect: Expect,
): void {
  const mornings = tasks.flatMap(({ kind, subject }) => (kind === 'unattended' ? subject : []))
  for (const lead of leads) {
    const { id, stage, reason } = lead
    const closing = closingOf(lead)
    const others = leads.some(one => one.id !== id && one.person.n === lead.person.n)
    const possible =
      closing === undefined
        ? [replay(lead.acts, [])]
        : time.ticksAt(closing).flatMap(tick => endings(lead, tick, others))
    const right = possible.some(one => one?.stage === stage && one.reason === reason)
    const wanted = possible.map(one => (one ? `${one.stage} ${one.reason ?? ''}` : 'not closed'))
    expect(right, `lead ${id} is ${stage} ${reason ?? ''}, not ${wanted.join(' or ')}`)
    if (closing !== undefined) {
      // One hour for a change between standard time and daylight saving time.
      const since = Math.min(...time.ticksAt(closing).map(tick => sinceOf(lead, tick, time)))
      const early = since + 14 * DAY - HOUR - SKEW - closing
      expect(early <= 0, `lead ${id} was closed ${early / HOUR} hours early`)
      if (reason !== 'never contacted') continue
      const warned = lead.warned.at(-1)
      expect(warned !== undefined, `lead ${id} was closed without a warning`)
      if (warned === undefined) continue
      expect(closing - warned >= TO_ACT, `lead ${id} was closed without time to act`)
      const told = mornings.some(day => day > dayNumber(warned) && day <= dayNumber(closing))
      expect(told, `no mail has named lead ${id} before it was closed`)
    }
  }
}

/** The time on the clocks at which the end of the cadence closed the lead. */
export const closingOf = ({ steps, kind }: LeadFact): number | undefined => {
  const end = kind === 'student' ? steps.find(({ step }) => step === CLOSING) : undefined
  return end?.state === 'done' ? end.finishedAt : undefined
}

/**
 * The possible outcomes for a lead that was closed in this step. Actions in the same step may come before. `others`:
 * whether the person has another lead: if that is open, a reply does not open this one.
 */
function endings(lead: LeadFact, tick: number, others: boolean): (Outcome | undefined)[] {
  const before = lead.acts.filter(act => act.tick < tick || (act.tick === tick && act.from === tick))
  const beside = lead.acts.filter(act => act.tick === tick && act.from > tick)
  const after = lead.acts.filter(act => act.tick > tick)
  return reasonsOf(lead, tick).flatMap(reason =>
    [{ reopens: true }, ...(others ? [{ reopens: false }] : [])].flatMap(how => [
      replay(before, [...beside, ...after], { stage: 'closed', reason, ...how }),
      replay([...before, ...beside], after, { stage: 'closed', reason, ...how }),
    ]),
  )
}

/** What people do with a lead before it is closed by itself, apart from assigning it. */
const isDeed = ({ what }: LeadAct) => ['attempted', 'contacted', 'not a lead', 'stage'].includes(what)

/** The possible reasons for closing the lead. If no one tried, that is the reason. */
function reasonsOf(lead: LeadFact, tick: number): string[] {
  const deeds = lead.acts.filter(isDeed)
  const reasons = deeds.some(act => act.tick <= tick) ? reasonsIfTried(lead, tick) : []
  return deeds.some(({ from }) => from <= tick) ? reasons : [...reasons, 'never contacted']
}

/** A person's first wish counts. */
function reasonsIfTried({ person, wishes }: LeadFact, tick: number): string[] {
  if (person.unknown) return ['unreachable']
  const reasonOf = (known: typeof wishes) => {
    const [first] = known
    if (first === undefined) return 'no reply'
    return first.what === 'not me' ? 'unreachable' : 'unsubscribed'
  }
  const sure = wishes.filter(({ from }) => from <= tick)
  const maybe = wishes.filter(wish => wish.tick <= tick)
  return [reasonOf(sure), reasonOf(maybe)]
}

/** The stage after all acts. Undefined if the lead was closed although it was no longer new. */
function replay(before: LeadAct[], after: LeadAct[], closed?: Outcome & { reopens: boolean }): Outcome | undefined {
  let outcome: Outcome = { stage: 'new', reason: null }
  const act = ({ what, stage = '', reason = null }: LeadAct) => {
    if (what === 'contacted' && (outcome.stage === 'new' || outcome === closed))
      outcome = { stage: 'contacted', reason: null }
    if (what === 'not a lead') outcome = { stage: 'closed', reason: 'not a lead' }
    if (what === 'stage') outcome = { stage, reason }
    if (what === 'reply' && closed?.reopens && outcome === closed) outcome = { stage: 'new', reason: null }
  }
  before.forEach(act)
  if (closed !== undefined) {
    if (outcome.stage !== 'new') return undefined
    outcome = closed
  }
  after.forEach(act)
  return outcome
}
