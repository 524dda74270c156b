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
