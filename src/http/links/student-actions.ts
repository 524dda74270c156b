/** What the links in emails to students do. */
import type { Services } from '../../lead-actions/services.ts'
import { languageFor } from '../../leads/body/languages.ts'
import { mailboxHash } from '../../leads/body/mailbox-key.ts'
import { addressAt } from '../../leads/lead/corrections.ts'
import type { StudentAction } from '../../signed-links.ts'

export type StudentActions = {
  /**
   * Acts on the address that the lead had at the moment `since` (see `StudentLink`). Acting twice is harmless. Returns
   * false, and does nothing, if that lead no longer exists: it was erased, or a backup from before it was restored.
   */
  act(action: StudentAction, leadId: number, since: number): Promise<boolean>
  /** The language of the school in which we write to the person of a lead; undefined if the lead no longer exists. */
  languageOfLead(leadId: number): Promise<string | undefined>
}

export const createStudentActions = ({ store, clock, settings, addressSecret, changed }: Services): StudentActions => ({
  async act(action, leadId, since) {
    const lead = await store.findExactLead(leadId)
    if (lead === undefined) return false
    const corrections = await store.readCorrections(lead)
    // After a restore, another lead may have this id.
    if (since !== lead.createdAt && !corrections.some(({ at }) => at === since)) return false
    const email = addressAt(lead, corrections, since)
    if (email === null) return false
    const reason = action === 'not-me' ? 'not me' : 'unsubscribed'
    const hash = mailboxHash(addressSecret, email)
    await store.stopFollowUpEmails(leadId, { email, addressHash: hash, reason, now: clock.now() })
    changed()
    return true
  },

  async languageOfLead(leadId) {
    const lead = await store.findLead(leadId)
    return lead && languageFor(lead.language, settings.languages)
  },
})
