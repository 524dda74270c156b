/** How a person gets an open lead, and how its follow-up starts. */
import type { Transaction } from 'kysely'
import { stepsOn } from '../follow-up/cadence.ts'
import type { PlannedStep } from '../follow-up/schedule.ts'
import type { Submission } from '../leads/submission.ts'
import { parseCadence } from './cadence-versions.ts'
import { insertLead, type LockedLead, type Person } from './leads.ts'
import type { Schema } from './schema.ts'
import { addSteps, restartSteps } from './steps.ts'

/** How a new lead is followed up, and from which moment on. */
export type CadenceStart = { cadenceId: number; since: number; firstSteps: readonly PlannedStep[] }

/**
 * Adds a person to their open lead, or opens one. A further submission never overwrites contact data,
 * because anyone could send one: another phone number is saved beside the first. It does not start a
 * second cadence. While no one has made contact, it restarts the reminders and postpones the close.
 */
export async function joinOrOpenLead(
  tx: Transaction<Schema>,
  submission: Pick<Submission, 'id' | 'kind' | 'receivedAt'>,
  person: Person,
  {
    cadenceStart,
    account,
    now,
  }: { cadenceStart: CadenceStart | null; account: boolean; now: number },
): Promise<{ id: number; opened: boolean }> {
  const lead = await insertLead(
    tx,
    {
      submission,
      person,
      cadenceId: cadenceStart?.cadenceId ?? null,
      followUpSince: cadenceStart?.since ?? null,
      account,
    },
    now,
  )
  const { id, stage, cadence_id } = lead
  const opened = id === submission.id
  if (!opened) await saveLatestPhone(tx, lead, person.phoneE164)
  if (cadenceStart !== null) {
    if (opened) await addSteps(tx, id, cadenceStart.firstSteps, now)
    else if (stage === 'new') await continueFollowUp(tx, id, cadence_id, cadenceStart, now)
  }
  return { id, opened }
}

/** Saves the phone number of a further submission, if it is another than that of the first. */
async function saveLatestPhone(
  tx: Transaction<Schema>,
  lead: Pick<LockedLead, 'id' | 'phone_e164' | 'latest_phone'>,
  phone: string | undefined,
): Promise<void> {
  // Writing again with the first number does not remove the second: someone else may have done it.
  if (phone === undefined || phone === lead.phone_e164 || phone === lead.latest_phone) return
  await tx.updateTable('leads').set({ latest_phone: phone }).where('id', '=', lead.id).execute()
}

/** Follows up a lead whose person has written again, by the version of the cadence that it began with. */
async function continueFollowUp(
  tx: Transaction<Schema>,
  id: number,
  cadenceId: number | null,
  start: CadenceStart,
  now: number,
): Promise<void> {
  if (cadenceId === null) {
    await tx
      .updateTable('leads')
      .set({ cadence_id: start.cadenceId, follow_up_since: start.since })
      .where('id', '=', id)
      .execute()
    await addSteps(tx, id, start.firstSteps, now)
    return
  }
  const { steps } = await tx
    .selectFrom('cadences')
    .select('steps')
    .where('id', '=', cadenceId)
    .executeTakeFirstOrThrow()
  const cadence = parseCadence(steps)
  const restarts = start.firstSteps.flatMap(({ track, dueAt }) => {
    const all = track === 'student' ? [] : stepsOn(cadence, track)
    const [step] = all
    return step === undefined ? [] : { steps: all, first: { step, track, dueAt } }
  })
  await restartSteps(tx, id, restarts, now)
}
