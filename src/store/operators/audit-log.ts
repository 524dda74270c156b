/** Queries on the audit log: who saw, exported, changed or erased something in the console. */
import type { DeleteResult, Kysely, Selectable, Transaction, UpdateResult } from 'kysely'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'

export type AuditEntry = {
  at: number
  operatorId: number | null
  /** A name, or words such as `command line`. */
  actor: string
  /** A few words, such as `exported leads`. If the entry is about a lead, its number follows: `opened`. */
  action: string
  leadId?: number | undefined
  detail?: string | undefined
  network?: string | undefined
}

export async function recordAudit(db: Kysely<Schema>, entries: Entries): Promise<void> {
  await insertEntries(db, entries)
}

type Entries = AuditEntry | readonly AuditEntry[]

/** Does something in a transaction, with its entries in the audit log, unless it returns false. */
export const audited = <T>(
  db: Kysely<Schema>,
  audit: Entries | undefined,
  work: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> =>
  db.transaction().execute(async tx => {
    const result = await work(tx)
    if (result !== false) await recordAudit(tx, audit ?? [])
    return result
  })

type Changing = { executeTakeFirst(): Promise<UpdateResult | DeleteResult> }

/** Changes or deletes rows, with the entries in the audit log if there were any. Returns whether there were. */
export const changeAudited = (
  db: Kysely<Schema>,
  audit: Entries | undefined,
  changing: (tx: Transaction<Schema>) => Changing,
): Promise<boolean> =>
  audited(db, audit, async tx => {
    const result = await changing(tx).executeTakeFirst()
    return ('numUpdatedRows' in result ? result.numUpdatedRows : result.numDeletedRows) > 0n
  })

/**
 * Records what changes how an operator signs in, or shows that someone else tries to. The operator also gets an email
 * about it, since it may have been someone else who did it.
 */
export async function recordAndTell(tx: Transaction<Schema>, entries: Entries): Promise<void> {
  for (const { id, at } of await insertEntries(tx, entries)) await addMail(tx, 'security', id, { now: at })
}

async function insertEntries(db: Kysely<Schema>, entries: Entries) {
  const values = [entries]
    .flat()
    .map(entry => ({
      at: entry.at,
      operator_id: entry.operatorId,
      actor: entry.actor,
      action: entry.action,
      lead_id: entry.leadId ?? null,
      detail: entry.detail ?? '',
      network: entry.network ?? '',
    }))
  return values.length === 0 ? [] : db.insertInto('audit_log').values(values).returning(['id', 'at']).execute()
}

export type ListedAudit = AuditEntry & { id: number }

/** Entries, the latest first; `before` continues after the last one of an earlier list. */
export async function listAudit(
  db: Kysely<Schema>,
  {
    operatorId,
    leadId,
    withoutOpened,
    before,
    limit,
  }: {
    operatorId?: number | undefined
    leadId?: number | undefined
    /** Leaves out entries that say that someone opened a lead. */
    withoutOpened?: boolean
    /** The id of an entry. */
    before?: number | undefined
    limit: number
  },
): Promise<ListedAudit[]> {
  let query = db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(limit)
  if (operatorId !== undefined) query = query.where('operator_id', '=', operatorId)
  if (leadId !== undefined) query = query.where('lead_id', '=', leadId)
  if (withoutOpened) query = query.where('action', '!=', OPENED)
  if (before !== undefined) query = query.where('id', '<', before)
  const rows = await query.execute()
  return rows.map(asEntry)
}

export async function readAudit(db: Kysely<Schema>, id: number): Promise<ListedAudit | undefined> {
  const row = await db.selectFrom('audit_log').selectAll().where('id', '=', id).executeTakeFirst()
  return row && asEntry(row)
}

const asEntry = (row: Selectable<Schema['audit_log']>): ListedAudit => ({
  id: row.id,
  at: row.at,
  operatorId: row.operator_id,
  actor: row.actor,
  action: row.action,
  leadId: row.lead_id ?? undefined,
  detail: row.detail,
  network: row.network,
})

const OPENED = 'opened'

/** Deletes at most `limit` entries from before that moment, the oldest first. Returns whether there may be more. */
export async function expireAudit(
  db: Kysely<Schema>,
  { before, limit }: { before: number; limit: number },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('audit_log')
    .where('id', 'in', eb =>
      eb.selectFrom('audit_log as old').select('old.id').where('old.at', '<', before).orderBy('old.at').limit(limit),
    )
    .executeTakeFirst()
  return numDeletedRows === BigInt(limit)
}
