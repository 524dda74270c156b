/**
 * Queries on the words that leads are found by. Filing saves them with the lead. Leads that are older
 * than the search, or than its index, get them in the background, the newest first.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { indexedWords, mergedWords } from '../../leads/words/search-words.ts'
import type { Schema } from '../tables/schema.ts'
import { asLead, submissionsOf } from './leads.ts'
import { readableSubmission } from './submission-row.ts'

/** Saves the words of leads that were just opened. */
export async function saveWords(
  tx: Transaction<Schema>,
  leads: readonly { leadId: number; words: string }[],
): Promise<void> {
  if (leads.length === 0) return
  await tx
    .insertInto('lead_words')
    .values(leads.map(({ leadId, words }) => ({ lead_id: leadId, words, by_block: 1 as const })))
    .onConflict(oc => oc.doNothing())
    .execute()
}

/** Saves words of a lead beside those that it has already. */
export const addWords = (
  tx: Transaction<Schema>,
  { leadId, words }: { leadId: number; words: string },
): Promise<void> => changeWords(tx, leadId, stored => mergedWords(stored, words))

/** Takes a word off a lead, so that lists do not find it by that. */
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

async function changeWords(tx: Transaction<Schema>, leadId: number, change: (stored: string) => string): Promise<void> {
  const stored = await tx.selectFrom('lead_words').select('words').where('lead_id', '=', leadId).executeTakeFirst()
  // A lead that has no words yet gets them all from the background pass.
  if (stored === undefined) return
  const words = change(stored.words)
  if (words === stored.words) return
  await tx.updateTable('lead_words').set({ words }).where('lead_id', '=', leadId).execute()
}

/**
 * Adds the words of up to `limit` leads that have none, and remembers how far it came. Returns whether
 * there may be more. Safe to interrupt, and to ask for in several processes at once.
 */
export async function addMissingWords(db: Kysely<Schema>, limit: number): Promise<boolean> {
  return db.transaction().execute(async tx => {
    const position = await tx.selectFrom('words_missing').select('below').forUpdate().executeTakeFirst()
    if (position === undefined) return false
    const ids = await tx
      .selectFrom('leads')
      .select('id')
      .where('id', '<', position.below)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    await addWordsOf(
      tx,
      ids.map(({ id }) => id),
    )
    const lowest = ids.at(-1)?.id
    if (lowest === undefined) await tx.deleteFrom('words_missing').execute()
    else await tx.updateTable('words_missing').set({ below: lowest }).execute()
    return lowest !== undefined
  })
}

/**
 * Has the words of the newest leads added again where they are missing: during an upgrade, processes of
 * the version before file leads without them.
 */
export async function recheckWords(db: Kysely<Schema>, newest: number): Promise<void> {
  await db.transaction().execute(async tx => {
    const leads = await tx
      .selectFrom('leads')
      .leftJoin('lead_words', 'lead_words.lead_id', 'leads.id')
      .select(['leads.id', 'lead_words.lead_id as indexed'])
      .orderBy('leads.id', 'desc')
      .limit(newest)
      .execute()
    const missing = leads.find(({ indexed }) => indexed === null)?.id
    if (missing === undefined) return
    const below = missing + 1
    const { numUpdatedRows } = await tx
      .updateTable('words_missing')
      .set({ below: sql<number>`case when below > ${below} then below else ${below} end` })
      .executeTakeFirst()
    if (numUpdatedRows === 0n) {
      await tx
        .insertInto('words_missing')
        .values({ below })
        .onConflict(oc => oc.doNothing())
        .execute()
    }
  })
}

/** Adds the words of those of these leads that have none, and indexes the words of the others by block. */
async function addWordsOf(tx: Transaction<Schema>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await indexByBlock(tx, ids)
  const leads = await lockLeadsWithoutWords(tx, ids)
  if (leads.length === 0) return
  const missing = leads.map(({ id }) => id)
  const submissions = Map.groupBy(await submissionsOf(tx, missing).execute(), row => row.lead_id)
  const labels = Map.groupBy(await labelsOf(tx, missing), row => row.lead_id)
  await saveWords(
    tx,
    leads.map(lead => ({
      leadId: lead.id,
      words: indexedWords(
        asLead(lead),
        (submissions.get(lead.id) ?? []).flatMap(row => readableSubmission(row) ?? []),
        (labels.get(lead.id) ?? []).map(({ label_id }) => label_id),
      ),
    })),
  )
}

async function indexByBlock(tx: Transaction<Schema>, ids: readonly number[]): Promise<void> {
  await tx
    .updateTable('lead_words')
    .set({ by_block: 1 })
    .where('lead_id', 'in', ids)
    .where('by_block', '=', 0)
    .execute()
}

/** Keeps them from being erased meanwhile. */
const lockLeadsWithoutWords = (tx: Transaction<Schema>, ids: readonly number[]) =>
  tx
    .selectFrom('leads')
    .selectAll('leads')
    .where('id', 'in', ids)
    .where(eb =>
      eb.not(eb.exists(eb.selectFrom('lead_words').select('lead_id').whereRef('lead_words.lead_id', '=', 'leads.id'))),
    )
    .forKeyShare()
    .execute()

const labelsOf = (tx: Transaction<Schema>, leadIds: readonly number[]) =>
  tx.selectFrom('lead_labels').selectAll().where('lead_id', 'in', leadIds).execute()
