/** Queries on sources, which post leads to us. Their keys are stored as hashes only. */
import type { Kysely, Selectable } from 'kysely'
import { FORMER_KEY, type LeadSource } from '../../leads/source/lead-source.ts'
import { type AuditEntry, audited, changeAudited } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'

export type StoredSource = LeadSource & {
  createdAt: number
  off: boolean
  /** When the previous key stops working; null if there is none. */
  formerKeyUntil: number | null
  /** When the last post came that could not become a lead, and why. */
  rejected: { at: number; why: string } | undefined
}

/** The settings of a source that someone chooses. */
export type SourceChoices = Pick<LeadSource, 'name' | 'leadKind' | 'language' | 'mayWrite' | 'mapping'>

export async function listSources(db: Kysely<Schema>): Promise<StoredSource[]> {
  const rows = await db.selectFrom('sources').selectAll().orderBy('name').orderBy('id').execute()
  return rows.map(toSource)
}

export async function readSource(db: Kysely<Schema>, id: number): Promise<StoredSource | undefined> {
  const row = await db.selectFrom('sources').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toSource(row)
}

/** The source whose key has this hash, even if it is off. */
export async function findSource(db: Kysely<Schema>, keyHash: string, now: number): Promise<StoredSource | undefined> {
  const row = await db
    .selectFrom('sources')
    .selectAll()
    .where(eb =>
      eb.or([
        eb('key_hash', '=', keyHash),
        eb.and([eb('former_key_hash', '=', keyHash), eb('former_key_until', '>', now)]),
      ]),
    )
    .executeTakeFirst()
  return row && toSource(row)
}

export async function addSource(
  db: Kysely<Schema>,
  choices: SourceChoices & Pick<LeadSource, 'kind'>,
  { keyHash, now, audit }: { keyHash: string; now: number; audit: AuditEntry[] },
): Promise<number> {
  return audited(db, audit, async tx => {
    const { id } = await tx
      .insertInto('sources')
      .values({ ...columnsOf(choices), kind: choices.kind, key_hash: keyHash, created_at: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  })
}

export async function changeSource(
  db: Kysely<Schema>,
  id: number,
  choices: SourceChoices,
  audit: AuditEntry[],
): Promise<void> {
  await change(db, id, columnsOf(choices), audit)
}

/** Gives a source a new key. The previous key still works for `FORMER_KEY`; the key before it stops working now. */
export async function replaceSourceKey(
  db: Kysely<Schema>,
  id: number,
  { keyHash, now, audit }: { keyHash: string; now: number; audit: AuditEntry[] },
): Promise<void> {
  await audited(db, audit, async tx => {
    await tx
      .updateTable('sources')
      .set(eb => ({ former_key_hash: eb.ref('key_hash'), former_key_until: now + FORMER_KEY, key_hash: keyHash }))
      .where('id', '=', id)
      .execute()
  })
}

/** Switches a source on or off. While it is off, its posts are rejected. */
export async function switchSource(
  db: Kysely<Schema>,
  id: number,
  { offAt, audit }: { offAt: number | null; audit: AuditEntry[] },
): Promise<void> {
  await change(db, id, { off_at: offAt }, audit)
}

/** Deletes a source. Its leads stay, and keep its name. */
export async function deleteSource(db: Kysely<Schema>, id: number, audit: AuditEntry[]): Promise<void> {
  await audited(db, audit, async tx => {
    await tx.deleteFrom('sources').where('id', '=', id).execute()
  })
}

/** Records that a post could not become a lead. `why` is a sentence that contains no words of the post. */
export async function recordRejectedPost(
  db: Kysely<Schema>,
  id: number,
  { at, why }: { at: number; why: string },
): Promise<void> {
  await change(db, id, { rejected_at: at, rejected_why: why }, [])
}

async function change(
  db: Kysely<Schema>,
  id: number,
  columns: Partial<Omit<Selectable<Schema['sources']>, 'id'>>,
  audit: AuditEntry[],
): Promise<void> {
  await changeAudited(db, audit, tx => tx.updateTable('sources').set(columns).where('id', '=', id))
}

const columnsOf = ({ name, leadKind, language, mayWrite, mapping }: SourceChoices) => ({
  name,
  lead_kind: leadKind,
  language,
  may_write: mayWrite ? (1 as const) : (0 as const),
  mapping: JSON.stringify(mapping),
})

const toSource = (row: Selectable<Schema['sources']>): StoredSource => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  leadKind: row.lead_kind,
  language: row.language,
  mayWrite: row.may_write === 1,
  mapping: JSON.parse(row.mapping),
  createdAt: row.created_at,
  off: row.off_at !== null,
  formerKeyUntil: row.former_key_until,
  rejected: row.rejected_at === null ? undefined : { at: row.rejected_at, why: row.rejected_why ?? '' },
})
