/** The phone numbers that were given for a lead. None replaces another, since anyone can write in under an address. */
import type { Kysely } from 'kysely'
import { distinctPhones, type GivenPhone } from '../../leads/body/phone.ts'
import { type Correction, wasCorrected } from '../../leads/lead/corrections.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { submissionsOf } from '../leads/leads.ts'
import { readMergedLeads } from '../leads/merged-leads.ts'
import { readCorrections } from '../leads/read-corrections.ts'
import { asSubmission } from '../leads/submission-row.ts'
import type { Schema } from '../tables/schema.ts'

/** How many of the latest submissions are searched for other numbers. */
const LATEST = 20

/**
 * The number of the first submission or its correction, then the numbers of leads that were merged into it, then others
 * from the latest submissions: at most four, each once.
 */
export async function readPhones(
  db: Kysely<Schema>,
  lead: Pick<Lead, 'id' | 'phone' | 'createdAt' | 'correctedAt' | 'mergedInto'>,
): Promise<GivenPhone[]> {
  const { id } = lead
  const merged = (await readMergedLeads(db, id)).map(one => one.lead)
  const corrections: Correction[] = []
  for (const one of [lead, ...merged]) corrections.push(...(await readCorrections(db, one)))
  const latest = await submissionsOf(db, [id]).orderBy('e.id', 'desc').limit(LATEST).execute()
  const given = latest
    .map(asSubmission)
    .flatMap(({ body, receivedAt }) => (body.phone === undefined ? [] : { phone: body.phone, at: receivedAt }))
    .filter(given => !wasCorrected(given.phone, given.at, corrections))
  const first = [lead, ...merged].flatMap(one => (one.phone === null ? [] : { phone: one.phone, at: one.createdAt }))
  return distinctPhones([...first, ...given.reverse()])
}
