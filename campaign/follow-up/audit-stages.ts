/** Whether each lead is in the stage that all that was done calls for. */
import { DAY, HOUR } from '../../src/time.ts'
import type { Expect } from './audit.ts'
import { type Facts, type LeadFact, sinceOf } from './facts.ts'
import type { LeadAct } from './ledger.ts'
import { CLOSING } from './school.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

type Place = { stage: string; reason: string | null }

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
      // One hour for a change of the clocks.
      const since = Math.min(...time.ticksAt(closing).map(tick => sinceOf(lead, tick)))
      const early = since + 14 * DAY - HOUR - SKEW - closing
      expect(early <= 0, `lead ${id} was closed ${early / HOUR} hours early`)
    }
  }
}

/** When the end of the cadence closed it, by the clocks. */
export const closingOf = ({ steps, kind }: LeadFact): number | undefined => {
  const end = kind === 'student' ? steps.find(({ step }) => step === CLOSING) : undefined
  return end?.state === 'done' ? end.finishedAt : undefined
}

/** What may have become of a lead that was closed in this step; what was done beside it may come before. */
function endings(lead: LeadFact, tick: number): (Place | undefined)[] {
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

/** The first wish of those who have any counts. */
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

/** The stage after all acts; undefined where it was closed although it was not new any more. */
function replay(before: LeadAct[], after: LeadAct[], closed?: Place): Place | undefined {
  let place: Place = { stage: 'new', reason: null }
  const act = ({ what, stage = '', reason = null }: LeadAct) => {
    if (what === 'contacted' && place.stage === 'new') place = { stage: 'contacted', reason: null }
    if (what === 'spam') place = { stage: 'closed', reason: 'spam' }
    if (what === 'stage') place = { stage, reason }
  }
  before.forEach(act)
  if (closed !== undefined) {
    if (place.stage !== 'new') return undefined
    place = closed
  }
  after.forEach(act)
  return place
}
