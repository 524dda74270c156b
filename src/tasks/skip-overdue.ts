/** Skips the steps that are due, for a database that does not know what has happened since they became due. */
import { randomUUID } from 'node:crypto'
import type { Lane } from '../store/tables/schema.ts'
import { type Concluding, skipStep } from './stepping.ts'

const LANES: Lane[] = ['follow-up', 'letters']
const AT_ONCE = 100

/**
 * Concludes, without sending it, every reminder and follow-up email that is due by now, for the reason in `note`, and
 * the steps after it whose time has passed. Later steps keep their times. Steps that close a lead stay. Returns how
 * many were skipped, and the ids of their leads in order.
 *
 * Safe to do twice, and while a worker runs.
 */
export async function skipOverdue(deps: Concluding, note: string): Promise<{ steps: number; leads: number[] }> {
  const { store, clock } = deps
  const token = randomUUID()
  const leads: number[] = []
  const left: number[] = []
  for (const lane of LANES) {
    for (;;) {
      const tasks = await store.claimTasks({ lane, now: clock.now(), token, limit: AT_ONCE })
      if (tasks.length === 0) break
      for (const task of tasks) {
        const skipped = await skipStep(deps, task, note)
        if (skipped) leads.push(task.subject)
        else left.push(task.id)
      }
    }
  }
  if (left.length > 0) await store.releaseTasks(left, token)
  return { steps: leads.length, leads: [...new Set(leads)].sort((a, b) => a - b) }
}
