/** When people waited for an answer: from the moment that they wrote again or replied, until someone answered. */
import { HOUR } from '../../src/platform/time.ts'
import type { LeadAct } from './ledger.ts'
import type { Moment } from './world-time.ts'

/** An outage or a kill may delay the filing of an inquiry for as long. */
const FILED_WITHIN = 4 * HOUR

/** Everything that ends the wait of someone who wrote back. */
const isEnd = ({ what, stage, takenBack }: LeadAct) =>
  takenBack === undefined &&
  (what === 'contacted' || what === 'not a lead' || what === 'answered' || (what === 'stage' && stage === 'closed'))

/** Whether it can end a wait that began then: an email answers only what its author knew of. */
const knewOf = ({ writtenAt = Number.POSITIVE_INFINITY }: LeadAct, elapsed: number): boolean => writtenAt >= elapsed

/** What the ledger has of a lead, and when its person wrote again. */
type Known = { acts: LeadAct[]; inquiries: Moment[] }

/** `soonest`: the end if what they wrote was filed at once. */
type Wait = { from: Moment; soonest: LeadAct | undefined; end: LeadAct | undefined }

/** The times at which someone wrote again or replied, each with what ended that wait. */
export function waitsOf({ acts, inquiries }: Known): Wait[] {
  const isAnswerTo = (elapsed: number) => (act: LeadAct) => isEnd(act) && knewOf(act, elapsed)
  const endAfter = (elapsed: number) => acts.filter(act => act.elapsed > elapsed).find(isAnswerTo(elapsed))
  // What people do is in its order, also within a step.
  const replies = acts.flatMap((act, i) => (act.what === 'reply' ? [{ from: act, later: acts.slice(i + 1) }] : []))
  return [
    ...replies.map(({ from, later }) => ({ from, end: later.find(isAnswerTo(from.elapsed)) })).map(sure),
    ...inquiries.map(from => ({ from, soonest: endAfter(from.elapsed), end: endAfter(from.elapsed + FILED_WITHIN) })),
  ]
}

const sure = ({ from, end }: Pick<Wait, 'from' | 'end'>): Wait => ({ from, soonest: end, end })

/** Whether something was done from this moment on that may have ended a wait: also in the same step, or by a new stage. */
export const mayHaveEnded = ({ acts }: Pick<Known, 'acts'>, { elapsed }: Moment): boolean =>
  acts.some(act => (isEnd(act) || act.what === 'stage') && act.elapsed >= elapsed && knewOf(act, elapsed))

/** Whether the person may have waited for an answer in this step of time. */
export const mayWait = (lead: Known, tick: number): boolean =>
  waitsOf(lead).some(({ from, end }) => from.tick <= tick && (end === undefined || end.from >= tick))

/** The replies that no one has answered so far. */
export const openReplies = (acts: readonly LeadAct[]): LeadAct[] =>
  acts.filter((reply, i) => {
    const isReply = reply.what === 'reply'
    return isReply && !acts.slice(i + 1).some(act => isEnd(act) && knewOf(act, reply.elapsed))
  })

/** The first reply that no one may have answered until this step of time, or in it; undefined if there is none. */
export const surelyWaits = (acts: readonly LeadAct[], tick: number): LeadAct | undefined => {
  const before = acts.filter(act => act.tick <= tick)
  // Some emails were answers until it turned out that they are not sent.
  const ends = before.filter(act => isEnd(act) || act.what === 'stage' || (act.takenBack ?? 0) >= tick)
  return before.find(reply => {
    // What was done in the step of the reply may have come after it.
    const mayBeAnswered = ends.some(act => act.tick >= reply.tick && knewOf(act, reply.elapsed))
    return reply.what === 'reply' && reply.from < tick && !mayBeAnswered
  })
}
