/** When people waited for an answer: from the moment that they wrote again or replied, until someone answered. */
import { HOUR } from '../../src/platform/time.ts'
import type { LeadAct } from './ledger.ts'
import type { Moment } from './world-time.ts'

/** An outage or a kill may delay the filing of an inquiry for as long. */
const FILED_WITHIN = 4 * HOUR

/** Everything that ends the wait of someone who wrote back. */
const isEnd = ({ what, stage }: LeadAct) =>
  what === 'contacted' || what === 'not a lead' || what === 'answered' || (what === 'stage' && stage === 'closed')

/** What the ledger has of a lead, and when its person wrote again. */
type Known = { acts: LeadAct[]; inquiries: Moment[] }

/** `soonest`: the end if what they wrote was filed at once. */
type Wait = { from: Moment; soonest: LeadAct | undefined; end: LeadAct | undefined }

/** The times at which someone wrote again or replied, each with what ended that wait. */
export function waitsOf({ acts, inquiries }: Known): Wait[] {
  const endAfter = (elapsed: number) => acts.find(act => isEnd(act) && act.elapsed > elapsed)
  const replies = acts.filter(({ what }) => what === 'reply')
  return [
    ...replies.map(from => ({ from, soonest: endAfter(from.elapsed), end: endAfter(from.elapsed) })),
    ...inquiries.map(from => ({ from, soonest: endAfter(from.elapsed), end: endAfter(from.elapsed + FILED_WITHIN) })),
  ]
}

/** Whether something was done from this moment on that may have ended a wait: also in the same step, or by a new stage. */
export const mayHaveEnded = ({ acts }: Pick<Known, 'acts'>, { elapsed }: Moment): boolean =>
  acts.some(act => (isEnd(act) || act.what === 'stage') && act.elapsed >= elapsed)

/** Whether the person may have waited for an answer in this step of time. */
export const mayWait = (lead: Known, tick: number): boolean =>
  waitsOf(lead).some(({ from, end }) => from.tick <= tick && (end === undefined || end.from >= tick))

/** Whether someone has replied after everything that ends a wait. */
export const waitsNow = (acts: readonly LeadAct[]): boolean =>
  acts.findLastIndex(({ what }) => what === 'reply') > acts.findLastIndex(isEnd)
