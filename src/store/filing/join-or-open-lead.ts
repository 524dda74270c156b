/** How a person gets an open lead, and how its follow-up starts. */
import type { Transaction } from 'kysely'
import { stepsOn } from '../../follow-up/cadence.ts'
import type { PlannedStep } from '../../follow-up/schedule.ts'
import type { Submission } from '../../leads/body/submission.ts'
import { parseCadence } from '../follow-up/cadence-versions.ts'
import { addSteps, addStepsOf, restartSteps } from '../follow-up/steps.ts'
import type { Person } from '../leads/leads.ts'
import { insertLeads, type OpenLead } from '../leads/new-leads.ts'
import { addOrigin } from '../leads/origins.ts'
import type { Schema } from '../tables/schema.ts'

/** How a new lead is followed up, and from which moment on. */
export type CadenceStart = { cadenceId: number; since: number; firstSteps: readonly PlannedStep[] }

/** A person who has written, and how they are followed up if that opens a lead. */
type Joining = {
  submission: Pick<Submission, 'id' | 'kind' | 'receivedAt' | 'form'>
  person: Person
  cadenceStart: CadenceStart | null
  account: 'none' | 'revealed' | 'concealed'
}

/** What became of one; `consent` and `language` are what counts for the lead now. */
export type Joined<J> = J & { id: number; opened: boolean } & Pick<OpenLead, 'consent' | 'language'>

/**
 * Adds people, none of them twice, to their open leads, or opens leads; returns them with the ids, in order.
 * A further submission never overwrites contact data, because anyone could send one: another phone number
 * is saved beside the first. It does not start a second cadence. While no one has made contact, it restarts
 * the reminders and postpones the close. With `quiet`, an open lead stays as it is.
 */
export async function joinOrOpenLeads<J extends Joining>(
  tx: Transaction<Schema>,
  people: readonly J[],
  { now, quiet }: { now: number; quiet: boolean },
): Promise<Joined<J>[]> {
  const newLeads = people.map(({ submission, person, cadenceStart, account }) => ({
    submission,
    person,
    account: account !== 'none',
    cadenceId: cadenceStart?.cadenceId ?? null,
    followUpSince: cadenceStart?.since ?? null,
  }))
  const leads = await insertLeads(tx, newLeads, { now, quiet })
  const joined = people.map((one, i) => {
    const lead = leads[i] as OpenLead
    return { one, lead, opened: lead.id === one.submission.id }
  })
  const firstSteps = joined.flatMap(({ one, lead, opened }) =>
    opened ? (one.cadenceStart?.firstSteps ?? []).map(step => ({ leadId: lead.id, ...step })) : [],
  )
  await addStepsOf(tx, firstSteps, now)
  const added = new Map<number, Pick<OpenLead, 'consent' | 'language'>>()
  for (const { one, lead } of joined.filter(({ opened }) => !opened && !quiet)) {
    await saveLatestPhone(tx, lead, one.person.phoneE164)
    added.set(lead.id, await addOrigin(tx, lead, one.submission))
    if (one.cadenceStart !== null && lead.stage === 'new')
      await continueFollowUp(tx, lead.id, lead.cadence_id, one.cadenceStart, now)
  }
  return joined.map(({ one, lead, opened }) => {
    const { consent, language } = added.get(lead.id) ?? lead
    return { ...one, id: lead.id, opened, consent, language }
  })
}

/** Saves the phone number of a further submission, if it differs from the first one's. */
async function saveLatestPhone(
  tx: Transaction<Schema>,
  lead: Pick<OpenLead, 'id' | 'phone_e164' | 'latest_phone'>,
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
