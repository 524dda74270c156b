/** Records in the audit log what the signed-in operator saw, exported, changed or erased. */
import type { By } from '../../lead-actions/services.ts'
import type { AuditEntry } from '../../store/operators/audit-log.ts'
import type { ConsoleContext } from './context.ts'

type About = {
  leadId?: number | undefined
  /** Several leads, each with an entry of its own. */
  leads?: readonly number[]
  /** Numbers, dates, names of staff or settings; never what people typed: entries remain after a person is erased. */
  detail?: string
}

/** `action` is in the past tense, such as `exported leads`. With a lead, its number follows: `opened lead 1`. */
export async function audit(c: ConsoleContext, action: string, about: About = {}): Promise<void> {
  await c.get('frame').deps.store.recordAudit(auditEntries(c, action, about))
}

/** Returns the same entries, for a store method that records them in its own transaction. */
export function auditEntries(c: ConsoleContext, action: string, { leadId, leads, detail }: About = {}): AuditEntry[] {
  const { clock, networkOf } = c.get('frame').deps
  const { id, name } = c.get('operator')
  const entry = { at: clock.now(), operatorId: id, actor: name, action, detail, network: networkOf(c.env.incoming) }
  return (leads ?? [leadId]).map(leadId => ({ ...entry, leadId }))
}

/** Who acts on a lead; `seen` is the newest entry that their page showed. */
export function byOperator(c: ConsoleContext, seen?: number): By {
  const { id, name, actor } = c.get('operator')
  return { actor, seen, operator: { id, name, network: c.get('frame').deps.networkOf(c.env.incoming) } }
}
