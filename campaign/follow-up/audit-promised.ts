/**
 * Checks that the list of each school morning names everyone who was to be called before that day and was not, and no one
 * else among the promised calls.
 */
import { DAY } from '../../src/platform/time.ts'
import type { Expect, Facts, LeadFact } from './facts.ts'
import { dayNumber } from './hours.ts'
import type { Message } from './post-office.ts'
import type { PromisedCall } from './promises.ts'
import type { World } from './world.ts'

/** What this audit needs to know of the world. */
type Known = Pick<World, 'time' | 'ledger' | 'post'>

/** The email names as many people in each part, and how many more there are. */
const MOST_NAMED = 20

/**
 * After a call that no one makes for so long, at least one list has come, whatever holidays, outages and jumps of the
 * clocks there are.
 */
const LISTED_WITHIN = 10 * DAY

export function auditPromised({ time, ledger, post }: Known, { leads }: Pick<Facts, 'leads'>, expect: Expect): void {
  const known = new Map(leads.filter(({ id }) => !ledger.takenBack.has(id)).map(lead => [lead.id, lead]))
  const mails = [...post.byId.values()].filter(({ kind }) => kind === 'unattended')
  const judged = ledger.promises.all.filter(one => known.has(one.lead))
  for (const {
    id,
    promised,
    deliveries: [first],
  } of mails) {
    if (first === undefined || promised === undefined) continue
    const due = judged.filter(one => isBefore(one, first.at) && one.made.tick <= first.tick)
    for (const lead of promised.filter(one => known.has(one)))
      expect(
        due.some(one => one.lead === lead && (one.ended === undefined || one.ended.tick >= first.tick)),
        `${id} says that lead ${lead} was to be called, but no such callback was open`,
      )
  }
  for (const one of judged) {
    const lead = known.get(one.lead) as LeadFact
    const those = mails.filter(mail => mustName(mail, one, lead))
    for (const { id, promised = [] } of those)
      expect(
        promised.includes(one.lead) || promised.length >= MOST_NAMED,
        `${id} does not say that lead ${one.lead} was to be called`,
      )
    const open = (one.ended?.elapsed ?? time.elapsed) - one.made.elapsed
    const isLong = open > Math.max(0, one.dueAt - one.made.at) + LISTED_WITHIN
    expect(!isLong || haveWritten(lead) || those.length > 0, `no list came that could name lead ${one.lead}`)
  }
}

/** When the person wrote again: then they may be on another list. */
const written = ({ inquiries, acts }: LeadFact) => [...inquiries, ...acts.filter(({ what }) => what === 'reply')]
const haveWritten = (lead: LeadFact): boolean => written(lead).length > 0

const isBefore = ({ dueAt }: PromisedCall, at: number): boolean => dayNumber(dueAt) < dayNumber(at)

/** Whether an email must name a person who was to be called: the call was open, and they do not wait for an answer. */
function mustName({ step, deliveries: [first] }: Message, one: PromisedCall, lead: LeadFact): boolean {
  if (first === undefined || step !== stepOf(lead) || !isBefore(one, first.at)) return false
  const open = one.made.tick < first.tick && (one.ended === undefined || one.ended.tick > first.tick)
  return open && [...one.endedDuring, ...written(lead).map(({ tick }) => tick)].every(tick => tick > first.tick)
}

/** The step of a list's task says for which kind of lead it is. */
const stepOf = ({ kind }: LeadFact): number => (kind === 'student' ? 0 : 1)
