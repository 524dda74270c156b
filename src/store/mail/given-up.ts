/** Concludes messages of the outbox that are given up. */
import type { Kysely } from 'kysely'
import { recordFailedMail } from '../leads/failed-mail.ts'
import { lockLead } from '../leads/leads.ts'
import { readEntry } from '../leads/timeline.ts'
import { leadOfSubmission } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { isToPerson, subjectOf } from '../tables/task-kinds.ts'
import { finishTask, type Task } from '../tasks/tasks.ts'

/** Gives up a claimed message; tells destinations if it was to a person. Returns false once the claim has ended. */
export async function giveUpMail(
  db: Kysely<Schema>,
  task: Task,
  { note, now }: { note: string; now: number },
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const id = isToPerson(task) ? await leadOf(tx, task) : undefined
    // The lead is locked before the task, as everywhere.
    const lead = id === undefined ? undefined : await lockLead(tx, id)
    if (!(await finishTask(tx, task, { state: 'dead', note, now }))) return false
    if (lead !== undefined) await recordFailedMail(tx, lead.id, task, now)
    return true
  })
}

const leadOf = async (db: Kysely<Schema>, { kind, subject }: Task): Promise<number | undefined> =>
  subjectOf(kind) === 'submission' ? leadOfSubmission(db, subject) : (await readEntry(db, subject))?.leadId
