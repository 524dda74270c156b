/** Records in the audit log what the person who is signed in saw, exported, changed or erased. */
import type { ConsoleContext } from './context.ts'

/** `action` is a few words in the past tense, such as `exported leads`; with a lead, they stand before its number: `opened` for `opened lead 1`. */
export async function audit(
  c: ConsoleContext,
  action: string,
  { leadId, detail }: { leadId?: number; detail?: string } = {},
): Promise<void> {
  const { store, clock, networkOf } = c.get('frame').deps
  const { id, name } = c.get('operator')
  await store.recordAudit({
    at: clock.now(),
    operatorId: id,
    actor: name,
    action,
    leadId,
    detail,
    network: networkOf(c.env.incoming),
  })
}
