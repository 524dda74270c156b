/** What a lead takes from the forms that its person has sent. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import { cameFrom, campaignName } from '../leads/came-from.ts'
import { type ConsentState, consentIn } from '../leads/consent.ts'
import type { FormDetails } from '../leads/form-details.ts'
import type { Schema } from './schema.ts'

export const originColumns = ['campaign', 'came_from', 'language', 'consent', 'consent_at'] as const

type Origin = Pick<Selectable<Schema['leads']>, (typeof originColumns)[number]>

/** The columns of a new lead. */
export function originOf(form: FormDetails | null): Origin {
  const asked = consentIn(form)
  return {
    campaign: campaignName(form),
    came_from: cameFrom(form),
    language: form?.language ?? null,
    consent: asked?.is ?? null,
    consent_at: asked?.at ?? null,
  }
}

/**
 * Adds what a further submission knows: where the person first came from stays as it is, we write to them in
 * the language of the form that was filed last, and the latest answer about calls and texts counts, in
 * whatever order they are filed. Returns that answer.
 */
export async function addOrigin(
  tx: Transaction<Schema>,
  lead: Origin & { id: number },
  form: FormDetails | null,
): Promise<ConsentState | null> {
  if (form === null) return lead.consent
  const more = originOf(form)
  const later = more.consent_at !== null && more.consent_at >= (lead.consent_at ?? 0)
  const { consent, consent_at } = later ? more : lead
  const changes = {
    campaign: lead.campaign ?? more.campaign,
    came_from: lead.came_from ?? more.came_from,
    language: more.language,
    ...{ consent, consent_at },
  }
  await tx.updateTable('leads').set(changes).where('id', '=', lead.id).execute()
  return consent
}

/** Of how many of the newest leads the console suggests the origins, and how many of each at most. */
const NEWEST = 300
const SUGGESTED = 20

/** Where the newest leads came from, the most frequent first: for the filters of the console. */
export async function recentOrigins(
  db: Kysely<Schema>,
): Promise<{ campaigns: string[]; sites: string[] }> {
  const rows = await db
    .selectFrom('leads')
    .select(['campaign', 'came_from'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(NEWEST)
    .execute()
  return {
    campaigns: mostFrequent(rows.flatMap(({ campaign }) => campaign ?? [])),
    sites: mostFrequent(rows.flatMap(({ came_from }) => came_from ?? [])),
  }
}

/** Anyone can make up names, so there are only so many. */
const mostFrequent = (names: readonly string[]): string[] =>
  [...Map.groupBy(names, name => name)]
    .toSorted(([, some], [, others]) => others.length - some.length)
    .slice(0, SUGGESTED)
    .map(([name]) => name)
