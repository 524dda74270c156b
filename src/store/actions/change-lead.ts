/**
 * Changing one lead. Every staff action goes through here, in one transaction with the lead locked. It leaves an entry
 * in the timeline that says who did it and, for operators of the console, one in the audit log. Every action is safe to
 * repeat.
 */
import type { Kysely, Transaction } from 'kysely'
import type { Lead } from '../../leads/lead/lead.ts'
import { endDraft } from '../leads/drafts.ts'
import { asLead, type LockedLead, lockExactLead, lockLead } from '../leads/leads.ts'
import { readChangesSince } from '../lookup/history-counts.ts'
import { type AuditEntry, recordAudit } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'

/** Who acts, and when. The actor is the id of a counselor, `manager`, or words such as `command line`. */
export type ActionContext = {
  actor: string | null
  now: number
  /** The newest entry of the timeline that the person saw. Default: later entries do not matter. */
  seen?: number | undefined
  /** What the audit log says if the lead changes; the number of the lead is added. Default: nothing. */
  audit?: Omit<AuditEntry, 'leadId'> | undefined
  /** The operator's draft of this kind about the lead is deleted if the lead changes. Default: none. */
  endsDraft?: 'email' | 'note' | undefined
}

/** The lead after the change; `entry` is the change's own entry in the timeline, if it has one. */
export type Done = { outcome: 'done'; lead: Lead; entry: number | undefined }

/**
 * The outcome of a change. `before`: it had already been done, and nothing changed. `stale`: others have changed the
 * lead since the person saw it, and nothing changed. `gone`: the lead does not exist.
 */
export type Changed = Done | { outcome: 'before'; lead: Lead } | { outcome: 'stale'; lead: Lead } | { outcome: 'gone' }

/** Returns the id of the entry that it wrote, if any; `before` if nothing had to change. */
type Change = (tx: Transaction<Schema>, lead: LockedLead) => Promise<number | undefined | 'before'>

/**
 * Changes a lead in a transaction of its own, with the lead locked. If the lead was merged into another, even a moment
 * ago, `change` gets the other lead, and this one stays as it is.
 */
export async function changeLead(
  db: Kysely<Schema>,
  { id, actor = null, seen, ...by }: { id: number } & Partial<Omit<ActionContext, 'now'>>,
  change: Change,
): Promise<Changed> {
  return db.transaction().execute(async tx => {
    const lead = await lockLead(tx, id)
    if (lead === undefined) return { outcome: 'gone' }
    if (await isStale(tx, lead.id, { actor, seen })) return { outcome: 'stale', lead: asLead(lead) }
    const entry = await change(tx, lead)
    if (entry === 'before') return { outcome: 'before', lead: asLead(lead) }
    return concludeChange(tx, lead, { entry, ...by })
  })
}

/** Records the change of a lead, which is locked, in the audit log, ends its draft, and reads the lead as it is now. */
export async function concludeChange(
  tx: Transaction<Schema>,
  before: LockedLead,
  { entry, audit, endsDraft }: Pick<ActionContext, 'audit' | 'endsDraft'> & { entry: number | undefined },
): Promise<Done> {
  if (audit !== undefined) await recordAudit(tx, { ...audit, leadId: before.id })
  await endDraft(tx, before.id, { audit, endsDraft })
  return { outcome: 'done', lead: asLead((await lockExactLead(tx, before.id)) ?? before), entry }
}

/** Whether others have changed a lead, which is locked, since the person saw it. */
export async function isStale(
  tx: Transaction<Schema>,
  id: number,
  { actor, seen }: Pick<ActionContext, 'actor' | 'seen'>,
): Promise<boolean> {
  if (seen === undefined) return false
  return (await readChangesSince(tx, id, { seen, actor: actor ?? '' })).length > 0
}
