/** Checks that every step of every cadence was done once, or skipped for a reason that is true. */
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { closingOf } from './audit-stages.ts'
import { type Expect, type Facts, type LeadFact, sinceOf, type TaskFact } from './facts.ts'
import type { LeadAct } from './ledger.ts'
import { keyOf } from './post-office.ts'
import { CLOSING, isStaff, LETTERS, STEPS, standsIn } from './school.ts'
import { mayHaveEnded, mayWait, waitsOf } from './waits.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

const isMove = ({ what }: LeadAct) => what === 'contacted' || what === 'not a lead' || what === 'stage'

export function auditSteps(world: World, facts: Facts, expect: Expect): void {
  const { ledger } = world
  const toTheTeam = new Set(facts.assigned.filter(({ counselor }) => counselor === 'the team').map(({ lead }) => lead))
  for (const lead of facts.leads) {
    const { id, kind, steps } = lead
    const existing = new Set(steps.map(({ step }) => step))
    // Reminders about someone who was answered do not follow any more.
    const answered = steps.some(({ note }) => note === ANSWERED)
    const missing = Array.from({ length: STEPS[kind] }, (_, i) => i).filter(
      step =>
        !existing.has(step) && !(answered && isReminder(lead, step)) && !(lead.person.phoneOnly && LETTERS.has(step)),
    )
    expect(missing.length === 0, `lead ${id} lacks the steps ${missing.join(' ')}`)
    auditWaits(lead, expect)
    for (const task of steps) {
      const what = `step ${task.step} of lead ${id}`
      if (task.state === 'skipped') {
        const right = isTrue(world, lead, task, toTheTeam)
        expect(right, `${what} was skipped, but not because ${task.note}`)
      } else if (task.state === 'dead') {
        const rejected = world.post.rejected.has(keyOf(task))
        const right = rejected || (lead.person.unknown && LETTERS.has(task.step))
        expect(right, `${what} was given up: ${task.note}`)
      } else expect(task.state === 'done', `${what} is ${task.state}`)
    }
    auditStops(world, lead, expect)
    auditTimes(world, lead, expect)
  }
  for (const task of facts.tasks)
    if (task.kind === 'step' && ledger.erasedLeads.has(task.subject))
      expect(task.state !== 'due', `step ${task.step} of the erased lead ${task.subject} is due`)
}

const ANSWERED = 'someone has answered'

const isReminder = ({ kind }: LeadFact, step: number): boolean =>
  kind === 'site' || (step !== CLOSING && !LETTERS.has(step))

/** An outage may delay a reminder for as long. */
const REMINDED_WITHIN = 7 * DAY

/** No one who wrote back may be left without an answer, or without reminders until they get one. */
function auditWaits(lead: LeadFact, expect: Expect) {
  const { id, unanswered, steps, reason } = lead
  expect(!unanswered, `the person of lead ${id} still waits for an answer`)
  for (const { from, soonest } of waitsOf(lead)) {
    const ended = mayHaveEnded(lead, from) || closingOf(lead) !== undefined || reason === 'spam'
    expect(ended, `no one answered the person of lead ${id}, who wrote back on day ${from.elapsed / DAY}`)
    const long = soonest !== undefined && soonest.elapsed - from.elapsed > REMINDED_WITHIN
    if (!long || reason === 'spam') continue
    const reminders = steps.flatMap(({ messages }) => messages.filter(({ to }) => isStaff(to)))
    const came = reminders.some(({ deliveries }) => deliveries.some(({ tick }) => tick >= from.tick))
    expect(came, `no reminder came about lead ${id}, whose person wrote back on day ${from.elapsed / DAY}`)
  }
}

/** Whether the reason for skipping a step was known when it was skipped. */
function isTrue({ time, ledger, post }: World, lead: LeadFact, task: TaskFact, toTheTeam: Set<number>) {
  const ticks = time.ticksOfEnd(task.finishedAt)
  const tick = Math.max(...ticks)
  const wished = (...whats: string[]) => lead.wishes.some(wish => whats.includes(wish.what) && wish.tick <= tick)
  const note = task.note ?? ''
  if (/^the lead is \w+$/.test(note)) {
    const closing = closingOf(lead)
    const closed = closing !== undefined && Math.min(...time.ticksAt(closing)) <= tick
    return closed || lead.acts.some(act => isMove(act) && act.tick <= tick)
  }
  switch (note) {
    case 'the student has unsubscribed':
      return wished('unsubscribed', 'erased')
    case 'the student reported an email as spam':
      return wished('complaint')
    case 'the owner of the address did not write to us':
      return wished('not me')
    case 'email to the address bounces':
      return lead.person.unknown
    case 'the student has replied':
      return lead.acts.some(act => act.what === 'reply' && act.tick <= tick)
    case 'they wait for an answer to what they wrote':
      return ticks.some(one => mayWait(lead, one))
    case ANSWERED:
      return lead.acts.some(act => act.what === 'answered' && act.tick <= tick)
    case 'the lead has no counselor to stand in for':
      return task.step === 1 && toTheTeam.has(lead.id)
    case 'they have been reminded in place of the counselor':
      return (
        task.step === 1 &&
        lead.steps
          .filter(({ step }) => step === 0)
          .some(({ messages }) => messages.some(({ deliveries }) => deliveries.some(({ to }) => standsIn(to))))
      )
    case 'the next step has taken its place':
      return post.rejected.has(keyOf(task)) || (lead.person.unknown && LETTERS.has(task.step))
    case 'the lead was erased':
      return ledger.erasedLeads.has(lead.id)
    default:
      return false
  }
}

/** Nothing may come from step `from` until before step `to`. Both are steps of time. */
type Stop = { from: number; to: number; why: string }

/** No follow-up email may come after a stop, and no reminder after a stop that also ends reminders. */
function auditStops({ time }: World, lead: LeadFact, expect: Expect) {
  const always = Number.POSITIVE_INFINITY
  const closing = closingOf(lead)
  const closed = closing === undefined ? always : Math.max(...time.ticksAt(closing)) + 1
  const ofAll: Stop[] = [
    { from: closed, to: always, why: 'it was closed' },
    ...lead.acts.filter(isMove).map(({ from, what }) => ({ from, to: always, why: what })),
    ...lead.acts
      .filter(({ what }) => what === 'pause')
      .map(({ from, elapsed }) => ({
        from,
        to: lead.acts.find(act => act.what === 'resume' && act.elapsed >= elapsed)?.tick ?? always,
        why: 'a pause',
      })),
  ]
  const ofLetters: Stop[] = [
    ...ofAll,
    ...[...lead.acts.filter(({ what }) => what === 'reply'), ...lead.wishes].map(({ from, what }) => ({
      from,
      to: always,
      why: what,
    })),
  ]
  for (const { step, messages } of lead.steps) {
    const tick = messages[0]?.deliveries[0]?.tick
    if (tick === undefined) continue
    const isLetter = lead.kind === 'student' && LETTERS.has(step)
    if (isReminder(lead, step) && mayWait(lead, tick)) continue
    const stop = (isLetter ? ofLetters : ofAll).find(({ from, to }) => from <= tick && tick < to)
    expect(stop === undefined, `step ${step} of lead ${lead.id} came after: ${stop?.why}`)
  }
}

const REMINDERS = [5, 15, 60]

/** The least time between two follow-up emails to one person, in milliseconds. */
const APART = 20 * HOUR

/** No message may come early, and late emails may not come all at once. */
function auditTimes({ time }: World, lead: LeadFact, expect: Expect) {
  const { id, kind, steps } = lead
  let before = { at: Number.NEGATIVE_INFINITY, tick: 0 }
  for (const { step, messages } of steps) {
    const first = messages[0]?.deliveries[0]
    if (first === undefined || step === CLOSING) continue
    const { at, tick } = first
    const days = kind === 'site' ? [1, 3][step] : LETTERS.get(step)
    const least = days === undefined ? (REMINDERS[step] ?? 0) * MINUTE : days * DAY - HOUR
    const early = sinceOf(lead, tick, time) + least - SKEW - at
    expect(early <= 0, `step ${step} of lead ${id} came ${early / MINUTE} minutes early`)
    if (kind === 'site' || !LETTERS.has(step)) continue
    const apart = at - before.at + time.setBack(before.tick, tick)
    expect(apart >= APART, `email ${step} of lead ${id} came ${apart / HOUR} hours after another`)
    before = first
  }
}
