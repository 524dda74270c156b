/** Queries on the words that searches find leads by. Filing saves them with the lead. */
import type { Kysely, Transaction } from 'kysely'
import { mergedWords } from '../../leads/words/search-words.ts'
import type { Schema } from '../tables/schema.ts'

/** Saves the words of leads that were just opened. */
export async function saveWords(
  tx: Transaction<Schema>,
  leads: readonly { leadId: number; words: string }[],
): Promise<void> {
  if (leads.length === 0) return
  await tx
    .insertInto('lead_words')
    .values(leads.map(({ leadId, words }) => ({ lead_id: leadId, words })))
    .onConflict(oc => oc.doNothing())
    .execute()
}

export const addWords = (db: Kysely<Schema>, { leadId, words }: { leadId: number; words: string }): Promise<void> =>
  changeWords(db, leadId, stored => mergedWords(stored, words))

/** Removes a word from a lead, so that lists no longer find the lead by it. */
export const removeWord = (
  tx: Transaction<Schema>,
  { leadId, word }: { leadId: number; word: string },
): Promise<void> =>
  changeWords(tx, leadId, stored =>
    stored
      .split(' ')
      .filter(one => one !== word)
      .join(' '),
  )

async function changeWords(db: Kysely<Schema>, leadId: number, change: (stored: string) => string): Promise<void> {
  const stored = await db.selectFrom('lead_words').select('words').where('lead_id', '=', leadId).executeTakeFirst()
  if (stored === undefined) return
  const words = change(stored.words)
  if (words === stored.words) return
  await db.updateTable('lead_words').set({ words }).where('lead_id', '=', leadId).execute()
}
