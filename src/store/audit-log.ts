/** Queries on the audit log: who saw, exported, changed or erased something in the console. */
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

export type AuditEntry = {
  at: number
  operatorId: number | null
  /** A name, or words such as `command line`. */
  actor: string
  /** A few words: `opened a lead`. */
  action: string
  leadId?: number | undefined
  detail?: string | undefined
  network?: string | undefined
}

/** Whether an operator has done this from that network. */
export async function hasActed(
  db: Kysely<Schema>,
  operatorId: number,
  action: string,
  network: string,
): Promise<boolean> {
  const found = await db
    .selectFrom('audit_log')
    .select('id')
    .where('operator_id', '=', operatorId)
    .where('action', '=', action)
    .where('network', '=', network)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export async function recordAudit(db: Kysely<Schema>, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit_log')
    .values({
      at: entry.at,
      operator_id: entry.operatorId,
      actor: entry.actor,
      action: entry.action,
      lead_id: entry.leadId ?? null,
      detail: entry.detail ?? '',
      network: entry.network ?? '',
    })
    .execute()
}
