/** Checks that the staff is reminded in time of students, until someone does something. */
import { MINUTE } from '../../src/platform/time.ts'
import type { Expect, Facts, LeadFact, TaskFact } from './facts.ts'
import { isTimeToCall, minutesToCallAfter } from './hours.ts'
import { latestStep } from './latest-step.ts'
import { keyOf } from './post-office.ts'
import { HOLIDAYS } from './school.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

/** After how many minutes, of those in which staff may call the person, each reminder comes. */
const AFTER = [5, 15, 60]

/** A kill may have held up the filing, or the step before, for as many steps of time. */
const HELD_UP = 2

type Known = Pick<World, 'time' | 'post'>

type KnownFacts = Pick<Facts, 'leads' | 'tasks' | 'waits'>

export function auditReminders(known: Known, { leads, tasks, waits }: KnownFacts, expect: Expect): void {
  const all = new Map(tasks.map(task => [keyOf(task), task]))
  for (const lead of leads) {
    // When someone writes again, or gets the lead, its reminders begin again.
    const beganOnce = (waits.get(lead.id) ?? 1) <= 1
    // A reminder lets the notification go first, each time it is due again. A lead has the id of its first inquiry.
    const notification = `notify.${lead.id}.0`
    if (known.post.rejected.has(notification)) continue
    if (lead.kind === 'student' && beganOnce && !Number.isNaN(lead.since)) {
      auditLead(known, lead, all.get(notification), expect)
    }
  }
}

function auditLead({ time, post }: Known, lead: LeadFact, notification: TaskFact | undefined, expect: Expect) {
  const { id, person, since, sinceTick, acts, steps } = lead
  const notified = notification === undefined ? [] : time.ticksOfEnd(notification.finishedAt)
  // In a step in which the notification is tried, the reminder waits for some seconds.
  const missedIn = (tick: number) =>
    notified.includes(tick) || (notification !== undefined && post.mayHaveDeferred(tick, keyOf(notification)))
  let from = { at: since, tick: sinceTick }
  const mayCome = (shown: number) => [shown, shown + SKEW].every(one => isTimeToCall(person, one, HOLIDAYS))
  for (const [step, minutes] of AFTER.entries()) {
    const task = steps.find(one => one.step === step)
    if (task === undefined) return
    const key = keyOf(task)
    const begin = Math.ceil(from.at / MINUTE) * MINUTE
    const due = minutesToCallAfter(begin, minutes - (AFTER[step - 1] ?? 0), { ...person, holidays: HOLIDAYS })
    const latest = latestStep({ time, post }, { from: from.tick, due, mayCome, key, missedIn })
    if (latest === undefined || post.rejected.has(key)) return
    // Once the clocks are set back, what was due keeps its interval.
    const last = latest + HELD_UP
    if (acts.some(({ tick }) => tick <= last) || time.setBack(from.tick, last) > 0) return
    const came = task.messages[0]?.deliveries[0]
    const ends = task.state === 'skipped' ? time.ticksOfEnd(task.finishedAt) : []
    // What is skipped later than that never came: the lead may have been closed because no one had heard of it.
    if (ends.length > 0 && (came !== undefined || ends.some(tick => tick <= last))) {
      from = { at: task.finishedAt, tick: Math.max(...ends) }
      continue
    }
    const late = came === undefined ? 'never came' : `came ${((came.at - due) / MINUTE).toFixed(0)} minutes late`
    expect(came !== undefined && came.tick <= last, `reminder ${step} of lead ${id} ${late}`)
    const known = task.messages[0]?.deliveries.at(-1)
    if (known === undefined) return
    // The next one is counted from the moment at which the service knew that this one had come.
    from = known
  }
}
