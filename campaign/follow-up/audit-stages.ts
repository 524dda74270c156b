/** Checks that each lead is in the stage that follows from everything that was done to it. */
import { DAY, HOUR } from '../../src/platform/time.ts'
import type { Expect } from './audit.ts'
import { type Facts, type LeadFact, sinceOf } from './facts.ts'
import type { LeadAct } from './ledger.ts'
import { CLOSING } from './school.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

type Outcome = { stage: string; reason: string | null }

export function auditStages({ time }: World, { leads }: Facts, expect: Expect): void {
  for (const lead of leads) {
    const { id, stage, reason } = lead
    const closing = closingOf(lead)
    const possible =
      closing === undefined
        ? [replay(lead.acts, [])]
        : time.ticksAt(closing).flatMap(tick => endings(lead, tick))
    const right = possible.some(one => one?.stage === stage && one.reason === reason)
    const wanted = possible.map(one => (one ? `${one.stage} ${one.reason ?? ''}` : 'not closed'))
    expect(right, `lead ${id} is ${stage} ${reason ?? ''}, not ${wanted.join(' or ')}`)
    if (closing !== undefined) {
      // One hour for a change between standard time and daylight saving time.
      const since = Math.min(...time.ticksAt(closing).map(tick => sinceOf(lead, tick)))
      const early = since + 14 * DAY - HOUR - SKEW - closing
      expect(early <= 0, `lead ${id} was closed ${early / HOUR} hours early`)
    }
  }
}

/** The time on the clocks at which the end of the cadence closed the lead. */
export const closingOf = ({ steps, kind }: LeadFact): number | undefined => {
  const end = kind === 'student' ? steps.find(({ step }) => step === CLOSING) : undefined
  return end?.state === 'done' ? end.finishedAt : undefined
}

/** The possible outcomes for a lead that was closed in this step. Actions in the same step may come before. */
function endings(lead: LeadFact, tick: number): (Outcome | undefined)[] {
  const before = lead.acts.filter(
    act => act.tick < tick || (act.tick === tick && act.from === tick),
  )
  const beside = lead.acts.filter(act => act.tick === tick && act.from > tick)
  const after = lead.acts.filter(act => act.tick > tick)
  return reasonsOf(lead, tick).flatMap(reason => [
    replay(before, [...beside, ...after], { stage: 'closed', reason }),
    replay([...before, ...beside], after, { stage: 'closed', reason }),
  ])
}

/** The possible reasons for closing the lead. A person's first wish counts. */
function reasonsOf({ person, wishes }: LeadFact, tick: number): string[] {
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
function replay(before: LeadAct[], after: LeadAct[], closed?: Outcome): Outcome | undefined {
  let outcome: Outcome = { stage: 'new', reason: null }
  const act = ({ what, stage = '', reason = null }: LeadAct) => {
    if (what === 'contacted' && outcome.stage === 'new')
      outcome = { stage: 'contacted', reason: null }
    if (what === 'not a lead') outcome = { stage: 'closed', reason: 'not a lead' }
    if (what === 'stage') outcome = { stage, reason }
  }
  before.forEach(act)
  if (closed !== undefined) {
    if (outcome.stage !== 'new') return undefined
    outcome = closed
  }
  after.forEach(act)
  return outcome
}
