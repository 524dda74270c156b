/** Ends pauses when their time comes. */
import type { Calendar } from '../follow-up/calendar.ts'
import { resumeFollowUp } from '../lead-actions/resume.ts'
import type { Clock } from '../platform/time.ts'
import type { Store } from '../store/store.ts'
import type { Task } from '../store/tasks/tasks.ts'

/** Ends the pause that a claimed task is about. A pause that was given a later end goes on until then. */
export async function endPause(deps: { store: Store; clock: Clock; calendar: Calendar }, task: Task): Promise<void> {
  const { store, clock } = deps
  const now = clock.now()
  const lead = await store.findExactLead(task.subject)
  const until = lead?.pausedUntil ?? null
  if (lead === undefined || until === null) {
    await store.finishTask(task, { state: 'skipped', note: 'the pause is over', now })
  } else if (until > now) {
    await store.postponeTask(task, { dueAt: until, note: 'paused', now, countsAsAttempt: false })
  } else await resumeFollowUp(deps, lead, { tell: true, actor: null, now })
}
