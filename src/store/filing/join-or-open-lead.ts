/** How a person gets an open lead, and how its follow-up starts. */
import type { Transaction } from 'kysely'
import type { Cadence } from '../../follow-up/cadence.ts'
import { type PlannedStep, restartAt } from '../../follow-up/schedule.ts'
import type { Submission } from '../../leads/body/submission.ts'
import { readCadenceOf } from '../follow-up/cadence-versions.ts'
import { addSteps, addStepsOf, restartSteps } from '../follow-up/steps.ts'
import { beginUnanswered } from '../follow-up/unanswered.ts'
import type { Person } from '../leads/leads.ts'
import { insertLeads, type OpenLead } from '../leads/new-leads.ts'
import { addOrigin } from '../leads/origins.ts'
import type { Schema } from '../tables/schema.ts'

/** How a new lead is followed up, and the time from which its steps count. */
export type CadenceStart = { cadenceId: number; since: number; firstSteps: readonly PlannedStep[] }

/** A person who has written, and how they are followed up if a lead is opened. */
type Joining = {
  submission: Pick<Submission, 'id' | 'kind' | 'receivedAt' | 'form'>
  person: Person
  cadenceStart: CadenceStart | null
  account: 'none' | 'revealed' | 'concealed'
  programs: readonly string[]
  heat: number | null
  /** The lead of the inquiry that this one completes, if any; then reminders do not start again. */
  completes?: number | undefined
}

/** The facts that a lead gets from the latest form that asked for them. Lists find the lead by these facts. */
type Facts = Pick<OpenLead, 'consent' | 'language' | 'program' | 'campus'>

/** The outcome of a person's submission, and the facts that now apply to the lead. */
export type Joined<J> = J & { id: number; opened: boolean } & Facts

/**
 * Adds people to their open leads, or opens leads; returns them with the ids, in order. The same person must not appear
 * twice. A further submission never overwrites contact data, because anyone could send one: another phone number is
 * saved beside the first. It does not start a second cadence, either. Unless the staff entered the submission, the
 * person then waits for an answer. Until someone makes contact, each submission postpones the automatic close. With
 * `quiet`, an open lead stays as it is.
 */
export async function joinOrOpenLeads<J extends Joining>(
  tx: Transaction<Schema>,
  people: readonly J[],
  { now, quiet }: { now: number; quiet: boolean },
): Promise<Joined<J>[]> {
  const newLeads = people.map(({ submission, person, cadenceStart, account, programs, heat }) => ({
    submission,
    person,
    programs,
    account: account !== 'none',
    heat: heat ?? NO_HEAT,
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
  const added = new Map<number, Facts>()
  for (const { one, lead } of joined.filter(({ opened }) => !opened && !quiet)) {
    const further = one.completes !== lead.id
    // If the number is the same, nothing is saved: the staff may have corrected the lead's number meanwhile.
    if (further) await saveLatestPhone(tx, lead, one.person.phoneE164)
    if (one.heat !== null) await tx.updateTable('leads').set({ heat: one.heat }).where('id', '=', lead.id).execute()
    added.set(lead.id, await addOrigin(tx, lead, { ...one.submission, named: one.programs }))
    if (further) await continueFollowUp(tx, lead, one, now)
  }
  return joined.map(({ one, lead, opened }) => {
    const { consent, language, program, campus } = added.get(lead.id) ?? lead
    return { ...one, id: lead.id, opened, consent, language, program, campus }
  })
}

/** The value of the column if the heat is unknown. */
const NO_HEAT = -1

/** Saves the phone number of a further submission, if it differs from the first one's. */
async function saveLatestPhone(
  tx: Transaction<Schema>,
  lead: Pick<OpenLead, 'id' | 'phone_e164' | 'latest_phone'>,
  phone: string | undefined,
): Promise<void> {
  // If the person writes again with the first number, the second number stays, since someone else may have sent either.
  if (phone === undefined || phone === lead.phone_e164 || phone === lead.latest_phone) return
  await tx.updateTable('leads').set({ latest_phone: phone }).where('id', '=', lead.id).execute()
}

/** Restarts the follow-up of a lead whose person has written again, with the cadence version that it began with. */
async function continueFollowUp(
  tx: Transaction<Schema>,
  lead: OpenLead,
  { submission, cadenceStart }: Joining,
  now: number,
): Promise<void> {
  const wrote = submission.form?.entered === undefined
  const isNew = lead.stage === 'new'
  const cadence = cadenceStart && (wrote || isNew) ? await cadenceOf(tx, lead, cadenceStart) : []
  const restarts = (cadenceStart?.firstSteps ?? []).flatMap(({ track, dueAt }) =>
    track === 'student' ? [] : (restartAt(cadence, track, () => dueAt) ?? []),
  )
  if (isNew && lead.cadence_id === null) await addSteps(tx, lead.id, cadenceStart?.firstSteps ?? [], now)
  else if (isNew) await restartSteps(tx, lead.id, restarts, now)
  const reminders = restarts.find(({ first }) => first.track === 'staff')
  if (wrote) await beginUnanswered(tx, lead, { reminders, now })
}

/** The cadence that a lead follows. A lead without one gets the cadence in force, counted from now. */
async function cadenceOf(
  tx: Transaction<Schema>,
  { id, cadence_id }: OpenLead,
  { cadenceId, since }: CadenceStart,
): Promise<Cadence> {
  if (cadence_id === null) {
    const begun = { cadence_id: cadenceId, follow_up_since: since }
    await tx.updateTable('leads').set(begun).where('id', '=', id).execute()
  }
  return readCadenceOf(tx, id)
}
