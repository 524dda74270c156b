/** Stops the follow-up emails to an address, and records it with the lead. */
import type { Kysely } from 'kysely'
import type { SuppressionReason } from '../../follow-up/stop-conditions.ts'
import { emailKey } from '../../leads/body/email.ts'
import { type Suppression, suppress } from '../follow-up/suppressions.ts'
import { lockExactLead, lockLead } from '../leads/leads.ts'
import { countEntries } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'
import { type LeadEvent, recordLeadEvent } from './person-events.ts'

/**
 * Stops follow-up emails to the address of a lead, because its reader asked for that or the address does not work. The
 * staff gets one email for each address and reason, however often it happens. `detail`: what a mail server said.
 * `email`: the address, by default the lead's; if it is no longer the lead's, it is only suppressed.
 */
export async function stopFollowUpEmails(
  db: Kysely<Schema>,
  leadId: number,
  { email, addressHash, reason, detail = '', now }: Suppression & { email?: string; detail?: string; now: number },
): Promise<void> {
  await db.transaction().execute(async tx => {
    const lead = await lockLead(tx, leadId)
    await suppress(tx, addressHash, reason, now)
    const own = lead?.id === leadId ? lead : await lockExactLead(tx, leadId)
    if (lead === undefined || own === undefined || own.email === null) return
    if (emailKey(email ?? own.email) !== own.person_key) return
    const kind = eventKinds[reason]
    // The emails of a merged lead go to the other address now.
    const merged = own === lead ? undefined : { mail: { address: own.email }, mergedFrom: own.id }
    const since = own.corrected_at ?? 0
    const address = merged?.mail.address
    if ((await countEntries(tx, lead.id, { kind, since, address })) > 0) return
    await recordLeadEvent(tx, lead, { kind, detail, tell: merged === undefined, ...merged }, now)
  })
}

const eventKinds = {
  unsubscribed: 'unsubscribed',
  'not me': 'not-me',
  bounced: 'bounce',
  complaint: 'complaint',
} as const satisfies Record<SuppressionReason, LeadEvent['kind']>
