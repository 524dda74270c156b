/**
 * Checks that no callback was lost, and that each that no one saw to was escalated in time and not before: to the
 * person who was to call, the backup and the manager.
 */
import { HOUR } from '../../src/platform/time.ts'
import { presentAt } from './audit-assignment.ts'
import { managerAt } from './audit-manager.ts'
import type { Expect, Facts, LeadFact } from './facts.ts'
import { isTimeToCall, minutesToCallAfter } from './hours.ts'
import { latestStep } from './latest-step.ts'
import type { Message } from './post-office.ts'
import { keyOf } from './post-office.ts'
import type { PromisedCall } from './promises.ts'
import { COUNSELORS, HOLIDAYS, MANAGER, mailboxOf } from './school.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

/** What this audit needs to know of the world. */
type Known = Pick<World, 'time' | 'ledger' | 'post'>

/** After how many minutes each of them gets an email. Only minutes in which staff may call the person count. */
const ESCALATED_AFTER = [0, 15, 60]

const ROLES = ['the person who calls', 'the backup', 'the manager']

export function auditCallbacks(known: Known, facts: Facts, expect: Expect): void {
  const { ledger, post } = known
  const leads = new Map(facts.leads.map(lead => [lead.id, lead]))
  const messages = new Map([...post.byId.values()].map(message => [keyOf(message), message]))
  for (const one of ledger.promises.all) {
    const open = facts.callbacks.get(one.entry)
    if (one.ended === undefined) {
      const right = open !== undefined && open.lead === one.lead && open.dueAt === one.dueAt
      expect(right, `the callback ${one.entry} of lead ${one.lead} is lost: ${JSON.stringify(open)}`)
    } else expect(open === undefined, `the callback ${one.entry} of lead ${one.lead} is still open`)
    const lead = leads.get(one.lead)
    // Another audit judges what came after an erasure; what came before it is no longer known.
    if (lead === undefined) continue
    for (const copy of ESCALATED_AFTER.keys())
      auditEmail(known, one, { lead, copy, owners: facts.owners.get(one.lead) ?? new Set() }, { messages, expect })
  }
  const entries = new Set(ledger.promises.all.map(({ entry }) => entry))
  for (const [entry, { lead }] of facts.callbacks)
    expect(entries.has(entry), `lead ${lead} has a callback that no one promised`)
}

type Email = { lead: LeadFact; copy: number; owners: ReadonlySet<string | null> }

function auditEmail(
  known: Known,
  one: PromisedCall,
  email: Email,
  { messages, expect }: { messages: ReadonlyMap<string, Message>; expect: Expect },
): void {
  const { post } = known
  const { lead, copy } = email
  const key = keyOf({ kind: 'news', subject: one.entry, step: copy })
  const place = { state: lead.person.state, holidays: HOLIDAYS }
  const what = `the email to ${ROLES[copy]} about the callback ${one.entry} of lead ${lead.id}`
  const due = minutesToCallAfter(one.dueAt, ESCALATED_AFTER[copy] ?? 0, place)
  const came = messages.get(key)
  const first = came?.deliveries[0]
  if (came !== undefined && first !== undefined) {
    const early = due - SKEW - first.at
    expect(early <= 0, `${what} came ${early / HOUR} hours early`)
    const after = one.ended !== undefined && first.tick > one.ended.from
    expect(!after, `${what} came after its end`)
    const right = recipientsOf(known, one, email, first.at)
    expect(right.includes(came.to), `${what} went to ${came.to}, not ${right.join(' or ')}`)
  }
  // An email that is due as the school closes may wait for the next morning.
  const opens = isTimeToCall(place, due, HOLIDAYS) ? due : minutesToCallAfter(due, 1, place)
  const latest = latestStep(known, {
    from: one.made.from,
    due: due === one.dueAt ? due : opens,
    key,
    // The replicas may have looked for work before someone took back that it had ended.
    missedIn: tick => one.endedDuring.includes(tick),
  })
  const needed = latest !== undefined && (one.ended === undefined || one.ended.tick > latest)
  if (!needed || post.rejected.has(key) || (copy === 1 && hasNoBackup(one, email))) return
  const late = first === undefined ? 'never came' : `came ${(first.at - due) / HOUR} hours late`
  expect(first !== undefined && first.tick <= latest, `${what} ${late}`)
}

/** Without a counselor, the team gets the first email, and the manager the last one. */
const hasNoBackup = ({ assignee, assigneeBefore }: PromisedCall, { owners }: Email): boolean =>
  [assignee, ...(assigneeBefore === undefined ? [] : [assigneeBefore])].some(isCounselorsOrGone) && owners.has(null)

const isCounselorsOrGone = (assignee: string | null): boolean => assignee === null || !isOnTheTeam(assignee)

const isOnTheTeam = (id: string): boolean => id === MANAGER || COUNSELORS.some(one => one.id === id)

/** Who may get what is for the counselor of a lead at this moment on the clocks. */
export const counselorsAt = (known: Pick<World, 'time' | 'ledger'>, about: Omit<Email, 'copy'>, at: number): string[] =>
  recipientsOf(known, { assignee: null }, { ...about, copy: 0 }, at)

/** Who may get it at this moment on the clocks: more than one if the lead changed hands. */
function recipientsOf(
  known: Pick<World, 'time' | 'ledger'>,
  one: Pick<PromisedCall, 'assignee' | 'assigneeBefore'>,
  { lead, copy, owners }: Email,
  at: number,
): string[] {
  const { assignee, assigneeBefore = assignee } = one
  const callers = [...new Set([assignee, assigneeBefore])].flatMap(id =>
    id === null || !isOnTheTeam(id) ? [...owners] : [id],
  )
  const present = new Set([at, at + SKEW].flatMap(moment => presentAt(known, moment).map(({ id }) => id)))
  const recipients = callers.flatMap(caller => {
    const { kind } = lead
    const team = mailboxOf(null, kind)
    if (copy === 2) return caller === MANAGER ? team : managerAt(known, at, kind)
    if (caller === null) return team
    if (copy === 0 && caller === MANAGER) return managerAt(known, at, kind)
    if (copy === 0 && present.has(caller)) return mailboxOf(caller, kind)
    // The backup of someone who is away has got the first email in their place.
    if (copy === 1 && !present.has(caller)) return team
    const { backup } = COUNSELORS.find(({ id }) => id === caller) ?? {}
    return backup !== undefined && present.has(backup) ? mailboxOf(backup, kind) : team
  })
  return [...new Set(recipients)]
}
