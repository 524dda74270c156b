/** Recording that a person took back their consent to calls and texts, for example on the phone. */
import type { Kysely, Transaction } from 'kysely'
import type { ConsentState } from '../../leads/body/consent.ts'
import { consentWord } from '../../leads/words/search-words.ts'
import { addWords } from '../leads/lead-words.ts'
import { addEntry } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'
import { type ActionContext, type Changed, changeLead } from './change-lead.ts'

/**
 * Records that the person took back their agreement to calls and texts from the school's systems. A later
 * form in which they agree counts again. `before`: they have not agreed, or took it back already.
 */
export async function withdrawConsent(db: Kysely<Schema>, id: number, by: ActionContext): Promise<Changed> {
  const { actor, now } = by
  return changeLead(db, { id, ...by }, async (tx, lead) => {
    if (lead.consent !== 'given') return 'before'
    await tx
      .updateTable('leads')
      .set({ consent: 'withdrawn', consent_at: now, updated_at: now })
      .where('id', '=', lead.id)
      .execute()
    await indexConsent(tx, lead.id, 'withdrawn')
    const was = { consent: lead.consent, consentAt: lead.consent_at }
    return addEntry(tx, lead.id, { at: now, kind: 'withdrawn', actor, was })
  })
}

/** Has lists find the lead by its current consent. */
export async function indexConsent(tx: Transaction<Schema>, leadId: number, consent: ConsentState): Promise<void> {
  await addWords(tx, { leadId, words: consentWord(consent) })
}
