/** Queries on leads: reading, inserting and locking them. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { mailboxKey } from '../../leads/body/mailbox-key.ts'
import { personKey } from '../../leads/body/person-key.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { Schema } from '../tables/schema.ts'
import { submissionColumns } from './submission-row.ts'

/** The lead with this id. If it was merged into another, the lead that was kept. Undefined if there is none. */
export async function findLead(db: Kysely<Schema>, id: number): Promise<Lead | undefined> {
  const lead = await findExactLead(db, id)
  return lead === undefined || lead.mergedInto === null ? lead : findLead(db, lead.mergedInto)
}

/** The lead with this id, even if it was merged into another. */
export async function findExactLead(db: Kysely<Schema>, id: number): Promise<Lead | undefined> {
  const row = await db.selectFrom('leads').selectAll().where('id', '=', id).executeTakeFirst()
  return row && asLead(row)
}

/** The submissions of leads, each with the id of its lead and of its entry. */
export const submissionsOf = (db: Kysely<Schema>, leadIds: readonly number[]) =>
  db
    .selectFrom('timeline as e')
    .innerJoin('submissions as s', 's.id', 'e.submission_id')
    .select(submissionColumns)
    .select(['e.lead_id', 'e.id as entry'])
    .where('e.lead_id', 'in', leadIds)
    .where('e.kind', '=', sql.lit('submission'))

/** The contact data that a new lead gets from its first submission. */
export type Person = {
  /** The key that identifies the person: leads with this key are theirs. */
  key: string
  /** One of the two is never null. */
  email: string | null
  phone: string | null
  firstName: string
  lastName: string
  phoneE164: string | undefined
  company: string | undefined
  state: string | undefined
}

/** The columns that say where a person lives and when they like to be called, as a `Place`. */
export const placeColumns = [
  ...(['state', 'phone_e164 as phoneE164', 'latest_phone as latestPhone', 'best_time as bestTime'] as const),
] as const

/**
 * The columns of an address, with the keys of its person and of its mailbox. The number identifies someone without an
 * address. The mailbox is null if no other address leads to it.
 */
export function addressColumns({ email, phone, phone_e164 }: Pick<LockedLead, 'email' | 'phone' | 'phone_e164'>) {
  const key = personKey({ email, phone }, phone_e164)
  const mailbox = mailboxKey(key)
  return { email, person_key: key, mailbox_key: mailbox === key ? null : mailbox }
}

export type LockedLead = Selectable<Schema['leads']>

/**
 * Locks a lead. If the lead was merged into another, locks and returns the kept lead as well. Every transaction locks
 * the lead first, then its tasks.
 */
export async function lockLead(tx: Transaction<Schema>, leadId: number): Promise<LockedLead | undefined> {
  const lead = await lockExactLead(tx, leadId)
  return lead === undefined || lead.merged_into === null ? lead : lockLead(tx, lead.merged_into)
}

/** Locks the lead with this id, even if it was merged into another. */
export async function lockExactLead(tx: Transaction<Schema>, leadId: number): Promise<LockedLead | undefined> {
  return tx.selectFrom('leads').selectAll().where('id', '=', leadId).forNoKeyUpdate().executeTakeFirst()
}

/**
 * Selects from the leads with these ids, at least one. SQLite keeps the order of a cross join. Otherwise, given
 * hundreds of ids and further conditions, it would read all leads of a stage.
 */
export const leadsWithIds = (db: Kysely<Schema>, ids: readonly number[]) => {
  const rows = sql.join(ids.map(id => sql`(cast(${id} as bigint))`))
  return db
    .with('found(id)', () => sql<{ id: number }>`(values ${rows})`)
    .selectFrom('found')
    .crossJoin('leads')
    .whereRef('leads.id', '=', 'found.id')
}

/** Locks the leads with these ids, in their order, including leads that were merged into others. */
export const lockLeads = (tx: Transaction<Schema>, ids: readonly number[]): Promise<LockedLead[]> =>
  tx.selectFrom('leads').selectAll().where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute()

/** Whether there is an open lead of this person and kind: there can be only one. */
export const hasOpenLead = async (
  tx: Transaction<Schema>,
  person: Pick<LockedLead, 'person_key' | 'kind'>,
): Promise<boolean> => (await findOpenLead(tx, person)) !== undefined

/** The id of the open lead of this person and kind, unless it is `except`. */
export async function findOpenLead(
  db: Kysely<Schema>,
  { person_key, kind }: Pick<LockedLead, 'person_key' | 'kind'>,
  except = 0,
): Promise<number | undefined> {
  const open = await db
    .selectFrom('leads')
    .select('id')
    .where('person_key', '=', person_key)
    .where('kind', '=', kind)
    .where('stage', '<>', sql.lit('closed'))
    .executeTakeFirst()
  return open?.id === except ? undefined : open?.id
}

/** Keeps a lead from being erased meanwhile. It waits only if a transaction is erasing the lead. */
export async function lockLeadShared(
  tx: Transaction<Schema>,
  leadId: number,
): Promise<Pick<LockedLead, 'id' | 'merged_into'> | undefined> {
  return tx.selectFrom('leads').select(['id', 'merged_into']).where('id', '=', leadId).forKeyShare().executeTakeFirst()
}

export const asLead = (row: Selectable<Schema['leads']>): Lead => ({
  id: row.id,
  kind: row.kind,
  stage: row.stage,
  closedReason: row.closed_reason,
  email: row.email,
  firstName: row.first_name,
  lastName: row.last_name,
  phone: row.phone,
  phoneE164: row.phone_e164,
  latestPhone: row.latest_phone,
  wrongPhone: row.wrong_phone,
  company: row.company,
  state: row.state,
  owner: row.owner,
  firstAttemptAt: row.first_attempt_at,
  firstContactAt: row.first_contact_at,
  pausedAt: row.paused_at,
  callbackAt: row.callback_at,
  callbackFor: row.callback_for?.split(' ') ?? [],
  repliedAt: row.replied_at,
  unansweredSince: row.unanswered_since,
  account: row.account === 1,
  correctedAt: row.corrected_at,
  language: row.language,
  languageAt: row.language_at,
  campaign: row.campaign,
  cameFrom: row.came_from,
  program: row.program,
  bestTime: row.best_time,
  campus: row.campus,
  form: row.form,
  consent: row.consent,
  consentAt: row.consent_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  mergedInto: row.merged_into,
})

/** Marks a lead so that it is counted again although its row does not change. */
export async function markChanged(tx: Transaction<Schema>, leadId: number): Promise<void> {
  await tx.insertInto('changed_leads').values({ lead_id: leadId }).execute()
}
