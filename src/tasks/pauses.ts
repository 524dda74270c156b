/** Ends pauses when their time comes, and resumes follow-ups on request. */
import type { Calendar } from '../follow-up/calendar.ts'
import { resumption } from '../follow-up/schedule.ts'
import type { Lead } from '../leads/lead/lead.ts'
import type { Clock } from '../platform/time.ts'
import type { ActionContext, ActionResult } from '../store/actions/staff-actions.ts'
import type { Store } from '../store/store.ts'
import type { Task } from '../store/tasks/tasks.ts'

type Dependencies = { store: Store; clock: Clock; calendar: Calendar }

/** Ends the pause that a claimed task is about. A pause that was given a later end goes on until then. */
export async function endPause(deps: Dependencies, task: Task): Promise<void> {
  const { store, clock } = deps
  const now = clock.now()
  const lead = await store.findExactLead(task.subject)
  const until = lead?.pausedUntil ?? null
  if (lead === undefined || until === null) {
    await store.finishTask(task, { state: 'skipped', note: 'the pause is over', now })
  } else if (until > now) {
    await store.postponeTask(task, { dueAt: until, note: 'paused', now, countsAsAttempt: false })
  } else await resume(deps, lead, { tell: true, actor: null, now })
}

/** Resumes a follow-up as if the time of the pause had not passed. */
export async function resume(
  { store, calendar }: Omit<Dependencies, 'clock'>,
  lead: Lead,
  { tell = false, actor, now }: { tell?: boolean } & ActionContext,
): Promise<ActionResult> {
  if (lead.pausedAt === null) return 'before'
  const followUp = await store.readFollowUp(lead.id)
  const hours = calendar.hoursFor(lead.state)
  const plan = followUp ? resumption(followUp, lead.pausedAt, now, hours) : { since: lead.createdAt, steps: [] }
  return store.resumeLead(lead.id, { ...plan, tell, actor, now })
}
