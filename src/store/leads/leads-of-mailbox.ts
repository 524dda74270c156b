/** The leads that share one mailbox under several addresses, such as `ana@` and `ana+school@`. */
import { type Kysely, sql } from 'kysely'
import { mailboxKey } from '../../leads/body/mailbox-key.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { DAY } from '../../platform/time.ts'
import { anyOf } from '../tables/any-of.ts'
import type { Schema } from '../tables/schema.ts'
import type { Task } from '../tasks/tasks.ts'
import type { LockedLead } from './leads.ts'
import { readMerges } from './merged-leads.ts'

/** The ids of the leads of a kind with the mailbox of this person, as a query. */
export const leadsOfMailbox = (db: Kysely<Schema>, { key, kind }: { key: string; kind: Kind }) =>
  db
    .selectFrom('leads')
    .select('id')
    .where('person_key', '=', mailboxKey(key))
    .where('kind', '=', kind)
    // Not one condition with "or": the two parts have different indexes.
    .union(db.selectFrom('leads').select('id').where('mailbox_key', '=', mailboxKey(key)).where('kind', '=', kind))

/** Which of these mailboxes (`mailboxKey`) have a lead, of any kind. */
export async function mailboxesWithLeads(db: Kysely<Schema>, mailboxes: readonly string[]): Promise<Set<string>> {
  if (mailboxes.length === 0) return new Set()
  const rows = await db
    .selectFrom('leads')
    .select('person_key as mailbox')
    .where('person_key', 'in', mailboxes)
    .union(db.selectFrom('leads').select(sql<string>`mailbox_key`.as('mailbox')).where('mailbox_key', 'in', mailboxes))
    .execute()
  return new Set(rows.map(({ mailbox }) => mailbox))
}

/** How long a follow-up email to one address of a mailbox counts for the others, in milliseconds. */
const STANDS_FOR = 30 * DAY

/** The leads that were merged into a lead and whose addresses still work, as far as we know. */
async function mergedLeads(db: Kysely<Schema>, id: number): Promise<number[]> {
  const merges = await readMerges(db, id)
  if (merges.length === 0) return []
  const returned = await db
    .selectFrom('timeline')
    .select('merged_from')
    .where('lead_id', '=', id)
    .where('kind', 'in', ['bounce', 'not-me'])
    .execute()
  return merges
    .map(({ record }) => record.lead)
    .filter(lead => returned.every(({ merged_from }) => merged_from !== lead))
}

/**
 * Whether the email of the same step goes, or went, to another address of this mailbox, or to a lead that was merged
 * into this one, so that no one can fill a mailbox by entering many of its addresses. An email that bounced does not
 * count.
 */
export async function mailboxHasStep(
  db: Kysely<Schema>,
  lead: Pick<LockedLead, 'id' | 'person_key' | 'kind'>,
  { step }: Pick<Task, 'step'>,
  now: number,
): Promise<boolean> {
  const merged = await mergedLeads(db, lead.id)
  const others = db
    .selectFrom('leads')
    .select('id')
    .where('id', 'in', leadsOfMailbox(db, { key: lead.person_key, kind: lead.kind }))
    .where('person_key', '<>', lead.person_key)
  const sent = await db
    .selectFrom('tasks')
    .select('id')
    .where('kind', '=', sql.lit('step'))
    .where(eb => eb.or([eb('subject', 'in', others), eb('subject', 'in', anyOf(merged))]))
    .where('step', '=', step)
    .where('begun_at', '>', now - STANDS_FOR)
    .where('state', 'in', ['due', 'done'])
    .limit(1)
    .executeTakeFirst()
  return sent !== undefined
}
