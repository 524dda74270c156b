/** Renews the words of a lead after it was merged or unmerged, or lost an inquiry, so that a search finds all of it. */
import { sql, type Transaction } from 'kysely'
import { textIn } from '../../leads/lead/timeline-details.ts'
import { indexedWords, mergedWords, wordsOfText } from '../../leads/words/search-words.ts'
import { asEntry } from '../leads/entry-row.ts'
import { asLead, submissionsOf } from '../leads/leads.ts'
import { readMergedLeads } from '../leads/merged-leads.ts'
import { readCorrections } from '../leads/read-corrections.ts'
import { readableSubmission } from '../leads/submission-row.ts'
import type { Schema } from '../tables/schema.ts'
import { readLabels } from './lead-labels.ts'

export async function renewWords(tx: Transaction<Schema>, leadId: number): Promise<void> {
  const row = await tx.selectFrom('leads').selectAll().where('id', '=', leadId).executeTakeFirstOrThrow()
  const lead = asLead(row)
  const submissions = await submissionsOf(tx, [leadId]).execute()
  const merged = (await readMergedLeads(tx, leadId)).map(one => one.lead)
  let words = indexedWords(
    lead,
    submissions.flatMap(one => readableSubmission(one) ?? []),
    ((await readLabels(tx, [leadId])).get(leadId) ?? []).map(({ id }) => id),
  )
  for (const { firstName, lastName, email, phone, phoneE164 } of merged)
    words = mergedWords(words, contactWords({ firstName, lastName, email, phone, phoneE164 }))
  for (const text of await readTexts(tx, leadId)) words = mergedWords(words, wordsOfText(text))
  // People also search for an address that has since been corrected.
  for (const one of [lead, ...merged])
    for (const { email, phone } of await readCorrections(tx, one))
      if (email || phone) words = mergedWords(words, contactWords({ email, phone }))
  await tx.updateTable('lead_words').set({ words }).where('lead_id', '=', leadId).execute()
}

/** What the staff and the person wrote, besides the inquiries. */
async function readTexts(tx: Transaction<Schema>, leadId: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('timeline')
    .selectAll()
    .where('lead_id', '=', leadId)
    .where('kind', '<>', sql.lit('submission'))
    .execute()
  return rows.map(asEntry).map(textIn).filter(Boolean)
}

type Contact = {
  firstName?: string
  lastName?: string
  email?: string | null | undefined
  phone?: string | null | undefined
  phoneE164?: string | null
}

const noFacts = { consent: null, language: null, program: null, campus: null }

const contactWords = ({ firstName = '', lastName = '', email = null, phone = null, phoneE164 }: Contact) =>
  indexedWords({ firstName, lastName, email, phone, phoneE164, company: null, state: null, ...noFacts }, [])
