/**
 * Drafts: what operators have typed into an email, a note or a new lead and not sent yet. Everyone who works on a lead
 * sees all drafts about it, so that a text is not lost when its author is away, and two people do not unknowingly write
 * the same thing.
 */
import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import { isAddress } from '../../leads/body/person-key.ts'
import { isSameNumber } from '../../leads/body/phone.ts'
import { MINUTE } from '../../platform/time.ts'
import { anyOf } from '../tables/any-of.ts'
import type { DraftKind } from '../tables/console-tables.ts'
import type { Schema } from '../tables/schema.ts'

/** The text of each field, by its name. */
export type DraftFields = Readonly<Record<string, string>>

/** Whose draft it is, and what it is about; a draft of a new lead does not name a lead. */
export type DraftKey = { operatorId: number; kind: DraftKind; leadId: number | null }

export type Draft = Omit<DraftKey, 'leadId'> & {
  /** The author's name. */
  author: string
  fields: DraftFields
  /** When the author began, and when they last changed it. */
  beganAt: number
  savedAt: number
}

/** After this long without a change, in milliseconds, the next change counts as a new beginning. */
const BREAK = 10 * MINUTE

/** Saves a draft in place of the one with the same key. Throws if the lead does not exist anymore. */
export async function saveDraft(
  db: Kysely<Schema>,
  { operatorId, kind, leadId }: DraftKey,
  { fields, now }: { fields: DraftFields; now: number },
): Promise<void> {
  const text = JSON.stringify(fields)
  await db
    .insertInto('drafts')
    .values({ operator_id: operatorId, lead_id: leadId, kind, fields: text, began_at: now, saved_at: now })
    .onConflict(oc =>
      oc.expression(sql`operator_id, kind, coalesce(lead_id, 0)`).doUpdateSet(eb => ({
        fields: text,
        began_at: eb
          .case()
          .when('drafts.saved_at', '<', now - BREAK)
          .then(now)
          .else(eb.ref('drafts.began_at'))
          .end(),
        saved_at: now,
      })),
    )
    .execute()
}

/** Adds text to an operator's draft about a lead, which is locked. */
export async function addToDraft(
  tx: Transaction<Schema>,
  key: DraftKey & { kind: 'email'; leadId: number },
  { fields, now }: { fields: DraftFields; now: number },
): Promise<void> {
  const known = await tx
    .selectFrom('drafts')
    .selectAll()
    .where('operator_id', '=', key.operatorId)
    .where('kind', '=', key.kind)
    .where('lead_id', '=', key.leadId)
    .executeTakeFirst()
  const all = known === undefined ? fields : JSON.parse(joined(known, { fields: JSON.stringify(fields) }))
  await saveDraft(tx, key, { fields: all, now })
}

/** Returns whether there was one. */
export async function deleteDraft(db: Kysely<Schema>, key: DraftKey): Promise<boolean> {
  const { operatorId, kind, leadId } = key
  const { numDeletedRows } = await db
    .deleteFrom('drafts')
    .where('operator_id', '=', operatorId)
    .where('kind', '=', kind)
    .where(eb => (leadId === null ? eb('lead_id', 'is', null) : eb('lead_id', '=', leadId)))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Everyone's drafts about a lead, the latest first. */
export const readDrafts = (db: Kysely<Schema>, leadId: number): Promise<Draft[]> =>
  read(db, eb => eb('lead_id', '=', leadId))

/** What an operator has typed about a new lead of this kind. */
export async function readOwnDraft(
  db: Kysely<Schema>,
  { operatorId, kind }: Pick<DraftKey, 'operatorId'> & { kind: 'student' | 'site' },
): Promise<Draft | undefined> {
  const [draft] = await read(db, eb => eb.and({ operator_id: operatorId, kind }))
  return draft
}

/** What an operator has typed as a note on these leads, by lead. */
export async function readOwnNotes(
  db: Kysely<Schema>,
  { operatorId, leads }: { operatorId: number; leads: readonly number[] },
): Promise<Map<number, Draft>> {
  if (leads.length === 0) return new Map()
  const drafts = await read(db, eb =>
    eb.and([eb('operator_id', '=', operatorId), eb('kind', '=', 'note'), eb('lead_id', 'in', anyOf(leads))]),
  )
  return new Map(drafts.flatMap(draft => (draft.leadId === null ? [] : [[draft.leadId, draft]])))
}

async function read(
  db: Kysely<Schema>,
  which: (eb: ExpressionBuilder<Schema, 'drafts' | 'operators'>) => Expression<SqlBool>,
): Promise<(Draft & { leadId: number | null })[]> {
  const rows = await db
    .selectFrom('drafts')
    .innerJoin('operators', 'operators.id', 'drafts.operator_id')
    .selectAll('drafts')
    .select('operators.name')
    .where(which)
    .orderBy('saved_at', 'desc')
    .orderBy('drafts.id', 'desc')
    .execute()
  return rows.map(({ operator_id, lead_id, name, kind, fields, began_at, saved_at }) => ({
    operatorId: operator_id,
    leadId: lead_id,
    author: name,
    kind,
    fields: JSON.parse(fields),
    beganAt: began_at,
    savedAt: saved_at,
  }))
}

/** Deletes drafts that no one has changed since `before`, up to `limit`. Returns whether there may be more. */
export async function expireDrafts(
  db: Kysely<Schema>,
  { before, limit }: { before: number; limit: number },
): Promise<boolean> {
  const old = db.selectFrom('drafts').select('id').where('saved_at', '<', before).limit(limit)
  const { numDeletedRows } = await db.deleteFrom('drafts').where('id', 'in', old).executeTakeFirst()
  return numDeletedRows === BigInt(limit)
}

/** Deletes the draft that an operator has used in an action on a lead, inside the transaction of the action. */
export async function endDraft(
  tx: Transaction<Schema>,
  leadId: number,
  { endsDraft, audit }: { endsDraft?: DraftKind | undefined; audit?: { operatorId: number | null } | undefined },
): Promise<void> {
  const operatorId = audit?.operatorId
  if (endsDraft && operatorId) await deleteDraft(tx, { operatorId, kind: endsDraft, leadId })
}

/** Gives a lead the drafts about another; both are locked. An author's drafts about both become one. */
export async function moveDrafts(tx: Transaction<Schema>, { from, to }: { from: number; to: number }): Promise<void> {
  const ofLead = (id: number) => tx.selectFrom('drafts').selectAll().where('lead_id', '=', id).execute()
  const known = await ofLead(to)
  for (const draft of await ofLead(from)) {
    const same = known.find(one => one.operator_id === draft.operator_id && one.kind === draft.kind)
    if (same !== undefined) await tx.deleteFrom('drafts').where('id', '=', same.id).execute()
    const fields = same === undefined ? draft.fields : joined(same, draft)
    await tx.updateTable('drafts').set({ lead_id: to, fields }).where('id', '=', draft.id).execute()
  }
}

type Row = Selectable<Schema['drafts']>

/** A single-line field comes from `one`; longer texts are joined. */
function joined(one: Pick<Row, 'kind' | 'fields'>, other: Pick<Row, 'fields'>): string {
  const [fields, more]: DraftFields[] = [JSON.parse(one.fields), JSON.parse(other.fields)]
  const name = one.kind === 'note' ? 'note' : 'text'
  const text = [fields?.[name], more?.[name]].filter(Boolean).join('\n\n')
  return JSON.stringify({ ...more, ...fields, [name]: text })
}

/** How many drafts an operator has, about leads (which everyone who works on the leads sees) and of new leads. */
export async function countDrafts(
  db: Kysely<Schema>,
  operatorId: number,
): Promise<{ leads: number; newLeads: number }> {
  const { all, leads } = await db
    .selectFrom('drafts')
    .select(eb => [eb.fn.countAll<number>().as('all'), eb.fn.count<number>('lead_id').as('leads')])
    .where('operator_id', '=', operatorId)
    .executeTakeFirstOrThrow()
  return { leads: Number(leads), newLeads: Number(all) - Number(leads) }
}

/** The drafts about these leads, and drafts of a new lead with one of these keys, the oldest first. */
export async function readDraftsAbout(
  db: Kysely<Schema>,
  { leads, keys }: { leads: readonly number[]; keys: readonly string[] },
): Promise<(Draft & { leadId: number | null })[]> {
  const ids = await findNewLeads(db, keys)
  const drafts = await read(db, eb => eb.or([eb('lead_id', 'in', anyOf(leads)), eb('drafts.id', 'in', anyOf(ids))]))
  return drafts.toReversed()
}

/** Deletes the drafts of a new lead with one of these keys. Returns how many there were. */
export async function eraseDrafts(tx: Transaction<Schema>, keys: readonly string[]): Promise<number> {
  const ids = await findNewLeads(tx, keys)
  if (ids.length > 0) await tx.deleteFrom('drafts').where('id', 'in', ids).execute()
  return ids.length
}

async function findNewLeads(db: Kysely<Schema>, keys: readonly string[]): Promise<number[]> {
  const drafts = await db.selectFrom('drafts').select(['id', 'fields']).where('lead_id', 'is', null).execute()
  return drafts.filter(({ fields }) => isAbout(keys, JSON.parse(fields))).map(({ id }) => id)
}

const isAbout = (keys: readonly string[], { email = '', phone = '' }: DraftFields): boolean =>
  keys.some(key => (isAddress(key) ? emailKey(email.trim()) === key : isSameNumber(phone, key)))
