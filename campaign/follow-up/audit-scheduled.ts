/**
 * Checks that each email that someone wrote for a later day came once and in its time, unless there was a reason against
 * it; that none came in the name of someone who had left, but each became a draft, and the counselor of the lead was told;
 * and that the lists of the school mornings name everyone who wrote back before that day and waits, and no one else.
 */
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { counselorsAt } from './audit-callbacks.ts'
import { isNotice } from './audit-notices.ts'
import { closingOf } from './audit-stages.ts'
import type { Expect, Facts, LeadFact, TaskFact } from './facts.ts'
import { dayNumber } from './hours.ts'
import { latestStep } from './latest-step.ts'
import { keyOf } from './post-office.ts'
import { AUTHOR_LEFT, type Leaver, type ScheduledEmail } from './scheduled-emails.ts'
import { mayWait, surelyWaits } from './waits.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

/** What this audit needs to know of the world. */
type Known = Pick<World, 'time' | 'ledger' | 'post' | 'scheduled'>

/** How long after someone has left the counselors are told, in milliseconds. */
const TOLD_AFTER = 2 * MINUTE

/** The email names as many people in each part, and how many more there are. */
const MOST_NAMED = 20

export function auditScheduled(known: Known, facts: Facts, expect: Expect): void {
  const tasks = new Map(facts.tasks.map(task => [keyOf(task), task]))
  const leads = new Map(facts.leads.map(lead => [lead.id, lead]))
  for (const one of known.scheduled.all) {
    const lead = leads.get(one.lead)
    const leaver = known.scheduled.leavers.find(({ name }) => name === one.author)
    auditInTime(known, one, leaver, expect)
    // Another audit judges what came after an erasure; what came before it is no longer known.
    if (lead === undefined) continue
    const task = tasks.get(keyOf({ kind: 'message', subject: one.entry, step: 0 }))
    auditEnd(known, one, { lead, leaver, task, owners: facts.owners.get(lead.id) ?? new Set(), tasks }, expect)
  }
  auditNamed(known, facts.leads, expect)
}

const whatOf = ({ entry, author, lead }: ScheduledEmail) => `the email of entry ${entry} by ${author} to lead ${lead}`

/** It comes to the person, not early, and not after its author has left, unless it was on its way. */
function auditInTime({ time, post }: Known, one: ScheduledEmail, leaver: Leaver | undefined, expect: Expect) {
  const what = whatOf(one)
  for (const { subject, kind, to, deliveries } of post.byId.values()) {
    if (kind !== 'message' || subject !== one.entry) continue
    const [first] = deliveries
    if (first === undefined) continue
    expect(to.toLowerCase() === one.to.toLowerCase(), `${what} went to ${to}`)
    // Once the clocks are set back, what was scheduled keeps its intervals.
    const early = one.dueAt - SKEW - time.setBack(one.made.tick, first.tick) - first.at
    expect(early <= 0, `${what} came ${(early / HOUR).toFixed(1)} hours early`)
    const after = leaver?.left !== undefined && first.tick >= leaver.left.from
    expect(!after, `${what} came although its author had left`)
  }
}

/** What is known of an email in the end. */
type End = {
  lead: LeadFact
  leaver: Leaver | undefined
  task: TaskFact | undefined
  owners: ReadonlySet<string | null>
  tasks: ReadonlyMap<string, TaskFact>
}

/** What became of it in the end: it came in time, or there was a reason. */
function auditEnd(known: Known, one: ScheduledEmail, { lead, leaver, task, owners, tasks }: End, expect: Expect) {
  const { time, post } = known
  const what = whatOf(one)
  if (task === undefined) return expect(false, `${what} has no task`)
  const key = keyOf(task)
  const left = leaver?.left
  const first = task.messages[0]?.deliveries[0]
  const latest = latestStep({ time, post }, { from: one.made.from, due: one.dueAt, key })
  if (task.state === 'skipped') {
    if (task.note === 'canceled') return expect(one.canceled === true, `${what} was canceled by no one`)
    if (task.note === AUTHOR_LEFT) {
      expect(left !== undefined, `${what} was not sent, as if its author had left`)
      if (left !== undefined && leaver !== undefined)
        auditTold(known, one, { lead, leaver, owners, tasks, task }, expect)
      return
    }
    const closed =
      closingOf(lead) !== undefined || lead.acts.some(({ what, stage }) => what === 'not a lead' || stage === 'closed')
    return expect(
      /^the lead is closed/.test(task.note ?? '') && closed,
      `${what} was skipped, but not because ${task.note}`,
    )
  }
  expect(task.state === 'done', `${what} is ${task.state}: ${task.note}`)
  if (latest === undefined || time.setBack(one.made.tick, latest) > 0) return
  const late = first === undefined ? 'never came' : `came ${((first.at - one.dueAt) / HOUR).toFixed(1)} hours late`
  expect(first !== undefined && first.tick <= latest + HELD_UP, `${what} ${late}`)
}

/** A kill may hold up the writing or the sending for as many steps. */
const HELD_UP = 2

/** The counselor of the lead gets an email about it, and its text is a draft. */
function auditTold(
  known: Known,
  one: ScheduledEmail,
  { lead, leaver, owners, tasks, task }: End & { leaver: Leaver; task: TaskFact },
  expect: Expect,
) {
  const { time, post } = known
  const what = whatOf(one)
  const { left, withdrawn, drafts } = leaver
  if (left === undefined) return
  const ends = time.ticksOfEnd(task.finishedAt)
  if (withdrawn) {
    expect(
      ends.some(tick => tick <= left.from),
      `${what} was not withdrawn when its author left`,
    )
    expect(drafts.includes(lead.id), `${what} is not a draft`)
  }
  const key = keyOf({ kind: 'news', subject: one.entry, step: 0 })
  const news = tasks.get(key)
  if (post.rejected.has(key) || (news !== undefined && isNotice(news))) return
  const from = withdrawn ? left.from : Math.max(...ends)
  const due = (withdrawn ? left.at : task.finishedAt) + TOLD_AFTER
  const latest = latestStep({ time, post }, { from, due, key })
  const came = news?.messages[0]
  const told = came?.deliveries[0]
  for (const { at, to } of came?.deliveries ?? []) {
    const right = counselorsAt(known, { lead, owners }, at)
    expect(right.includes(to), `that ${what} was not sent went to ${to}, not ${right.join(' or ')}`)
  }
  if (latest === undefined || time.setBack(from, latest + HELD_UP) > 0) return
  expect(told !== undefined && told.tick <= latest + HELD_UP, `no one was told that ${what} was not sent`)
}

/** The list of each school morning names everyone who wrote back before that day and waits, and no one else. */
export function auditNamed(
  { post, ledger }: Pick<World, 'post' | 'ledger'>,
  leads: readonly LeadFact[],
  expect: Expect,
): void {
  const judged = new Map(leads.filter(({ id }) => !ledger.takenBack.has(id)).map(lead => [lead.id, lead]))
  for (const { id, kind, step, wroteBack, deliveries } of post.byId.values()) {
    const [first] = deliveries
    if (kind !== 'unattended' || wroteBack === undefined || first === undefined) continue
    for (const lead of wroteBack.flatMap(one => judged.get(one) ?? []))
      expect(mayWait(lead, first.tick), `${id} says that lead ${lead.id} wrote back, but no one waits for an answer`)
    for (const lead of judged.values()) {
      if (step !== (lead.kind === 'student' ? 0 : 1)) continue
      const since = surelyWaits(lead.acts, first.tick)
      if (since === undefined || dayNumber(since.at) >= dayNumber(first.at)) continue
      const named = wroteBack.includes(lead.id) || wroteBack.length >= MOST_NAMED
      expect(named, `${id} does not say that lead ${lead.id} wrote back and waits for an answer`)
    }
  }
}
