/** Queries of filing: the lead that a person becomes, who owns it, and how it is followed up. */
import { sql, type Transaction } from 'kysely'
import { assign, type Counselor } from '../follow-up/assignment.ts'
import type { Cadence, PlannedStep } from '../follow-up/cadence.ts'
import { stepsOn } from '../follow-up/restart.ts'
import { emailKey } from '../leads/email.ts'
import type { Submission } from '../leads/submission.ts'
import { restartSteps } from './reschedule.ts'
import type { Schema } from './schema.ts'
import { addSteps } from './steps.ts'
import { addEntry } from './timeline.ts'

/** What the lead of a submission is made from. */
export type Person = {
  email: string
  firstName: string
  lastName: string
  phone: string
  phoneE164: string | undefined
  company: string | undefined
  state: string | undefined
}

/** How a new lead is followed up, and from which moment on. */
export type CadenceStart = { cadenceId: number; since: number; firstSteps: readonly PlannedStep[] }

/** Who may be given leads, and on which day. */
export type Staffing = {
  counselors: readonly Counselor[]
  /** Who is away today as the settings have it; the table of absences is asked besides. */
  away: readonly string[]
  /** Today as yyyy-mm-dd in the school's time zone. */
  today: string
}

type Filed = Pick<Submission, 'id' | 'kind' | 'receivedAt'>

/**
 * Lets a person join their open lead, or opens one. A further submission never overwrites contact
 * data, since anybody could send one, and begins no second cadence: but who still waits is reminded
 * of again, and not closed before there was time to answer.
 */
export async function joinOrOpenLead(
  tx: Transaction<Schema>,
  submission: Filed,
  person: Person,
  { enrolment, account, now }: { enrolment: CadenceStart | null; account: boolean; now: number },
): Promise<{ id: number; opened: boolean }> {
  const { id, stage, cadence_id } = await tx
    .insertInto('leads')
    .values({
      id: submission.id,
      kind: submission.kind,
      stage: 'new',
      email: person.email,
      email_key: emailKey(person.email),
      first_name: person.firstName,
      last_name: person.lastName,
      phone: person.phone,
      phone_e164: person.phoneE164 ?? null,
      company: person.company ?? null,
      state: person.state ?? null,
      cadence_id: enrolment?.cadenceId ?? null,
      follow_up_since: enrolment?.since ?? null,
      account: account ? 1 : 0,
      created_at: submission.receivedAt,
      updated_at: now,
    })
    .onConflict(oc =>
      oc
        .columns(['email_key', 'kind'])
        .where('stage', '<>', sql.lit('closed'))
        .doUpdateSet({ updated_at: now, account: account ? 1 : 0 }),
    )
    .returning(['id', 'stage', 'cadence_id'])
    .executeTakeFirstOrThrow()
  const opened = id === submission.id
  if (opened && enrolment) await addSteps(tx, id, enrolment.firstSteps, now)
  if (!opened && stage === 'new' && enrolment) await goOn(tx, id, cadence_id, enrolment, now)
  return { id, opened }
}

/** Follows up a lead that somebody has written for again, by the version that it began with. */
async function goOn(
  tx: Transaction<Schema>,
  id: number,
  began: number | null,
  { cadenceId, since, firstSteps }: CadenceStart,
  now: number,
): Promise<void> {
  if (began === null) {
    const start = { cadence_id: cadenceId, follow_up_since: since }
    await tx.updateTable('leads').set(start).where('id', '=', id).execute()
    await addSteps(tx, id, firstSteps, now)
    return
  }
  const { steps } = await tx
    .selectFrom('cadences')
    .select('steps')
    .where('id', '=', began)
    .executeTakeFirstOrThrow()
  const cadence: Cadence = JSON.parse(steps)
  const restarts = firstSteps.flatMap(({ track, dueAt }) => {
    const all = track === 'student' ? [] : stepsOn(cadence, track)
    const [step] = all
    return step === undefined ? [] : { steps: all, first: { step, track, dueAt } }
  })
  await restartSteps(tx, id, restarts, now)
}

/** A lead that has just been opened, and needs an owner. */
export type UnassignedLead = { id: number; email: string; state: string | undefined }

/**
 * Gives new leads their owners: whoever had the person before, else as `assign` has it. The turns stay
 * locked until the transaction ends, so that all who file take turns; it comes after all leads.
 */
export async function assignOwners(
  tx: Transaction<Schema>,
  leads: readonly UnassignedLead[],
  staffing: Staffing,
  now: number,
): Promise<void> {
  if (leads.length === 0 || staffing.counselors.length === 0) return
  const away = new Set([...staffing.away, ...(await readAway(tx, staffing.today))])
  const present = (id: string) => !away.has(id)
  const known = new Set(staffing.counselors.map(({ id }) => id))
  const turns = await lockTurns(tx, staffing.counselors)
  for (const lead of leads) {
    const before = await formerOwner(tx, lead)
    const keeps = before !== undefined && known.has(before) && present(before)
    const {
      counselor,
      reason,
      turns: after,
    } = keeps
      ? { counselor: before, reason: 'looked after them before', turns: new Map<string, number>() }
      : assign({ ...staffing, state: lead.state ?? null, present, turns })
    for (const [key, credit] of after) turns.set(key, credit)
    if (counselor !== undefined) {
      await tx.updateTable('leads').set({ owner: counselor }).where('id', '=', lead.id).execute()
    }
    const detail = `${counselor ?? 'the team'}: ${reason}`
    await addEntry(tx, lead.id, { at: now, kind: 'assigned', detail })
  }
  await keepTurns(tx, turns)
}

async function readAway(tx: Transaction<Schema>, today: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('absences')
    .select('counselor')
    .where('first_day', '<=', today)
    .where('last_day', '>=', today)
    .execute()
  return rows.map(row => row.counselor)
}

/** The credits of all pools. One row stands for all of them, and is what transactions wait for. */
async function lockTurns(
  tx: Transaction<Schema>,
  counselors: readonly Counselor[],
): Promise<Map<string, number>> {
  const gate = { pool: '', counselor: '', credit: 0 }
  await tx
    .insertInto('turns')
    .values(gate)
    .onConflict(oc => oc.columns(['pool', 'counselor']).doUpdateSet({ credit: 0 }))
    .execute()
  const rows = await tx
    .selectFrom('turns')
    .selectAll()
    .where(
      'counselor',
      'in',
      counselors.map(({ id }) => id),
    )
    .execute()
  return new Map(rows.map(({ pool, counselor, credit }) => [`${pool} ${counselor}`, credit]))
}

async function keepTurns(tx: Transaction<Schema>, turns: ReadonlyMap<string, number>) {
  for (const [key, credit] of turns) {
    const [pool = '', counselor = ''] = key.split(' ')
    await tx
      .insertInto('turns')
      .values({ pool, counselor, credit })
      .onConflict(oc => oc.columns(['pool', 'counselor']).doUpdateSet({ credit }))
      .execute()
  }
}

/** Who looked after an earlier lead of the same person. */
async function formerOwner(
  tx: Transaction<Schema>,
  lead: UnassignedLead,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('leads')
    .select('owner')
    .where('email_key', '=', emailKey(lead.email))
    .where('kind', '=', 'student')
    .where('id', '<', lead.id)
    .where('owner', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.owner ?? undefined
}
