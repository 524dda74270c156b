/** The facts that a lead gets from the forms that its person sends. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import { cameFrom, campaignName } from '../../leads/body/came-from.ts'
import { consentIn } from '../../leads/body/consent.ts'
import type { Submission } from '../../leads/body/submission.ts'
import type { Schema } from '../tables/schema.ts'

export const originColumns = [
  ...(['campaign', 'came_from', 'program', 'best_time', 'campus', 'form'] as const),
  ...(['language', 'language_at', 'consent', 'consent_at'] as const),
] as const

type Origin = Pick<Selectable<Schema['leads']>, (typeof originColumns)[number]>

type Sent = Pick<Submission, 'form' | 'receivedAt'>

export function originOf({ form, receivedAt }: Sent): Origin {
  const asked = consentIn(form)
  return {
    campaign: campaignName(form),
    came_from: cameFrom(form),
    program: form?.program ?? null,
    best_time: form?.bestTime ?? null,
    campus: form?.campus ?? null,
    form: form?.name ?? null,
    language: form?.language ?? null,
    language_at: form && receivedAt,
    consent: asked?.is ?? null,
    consent_at: asked?.at ?? null,
  }
}

/**
 * Adds what a further submission tells us. Where the person first came from stays as it is. The language, the program,
 * the best time to call, the campus and the consent to calls come from the latest form that has them, in whatever order
 * forms are filed. `named`: the programs that it names, which count if the person has not chosen or named one before.
 * Returns the language, the program, the campus and the consent.
 */
export async function addOrigin(
  tx: Transaction<Schema>,
  lead: Origin & { id: number },
  { named = [], ...sent }: Sent & { named?: readonly string[] },
): Promise<Pick<Origin, 'consent' | 'language' | 'program' | 'campus'>> {
  const more = originOf(sent)
  const later = more.consent_at !== null && more.consent_at >= (lead.consent_at ?? 0)
  const { consent, consent_at } = later ? more : lead
  const isLatest = sent.form !== null && sent.receivedAt >= (lead.language_at ?? 0)
  const [latest, before] = isLatest ? [more, lead] : [lead, more]
  const { language, language_at } = latest
  const changes = {
    campaign: lead.campaign ?? more.campaign,
    came_from: lead.came_from ?? more.came_from,
    form: lead.form ?? more.form,
    program: latest.program ?? before.program ?? named[0] ?? null,
    best_time: latest.best_time ?? before.best_time,
    campus: latest.campus ?? before.campus,
    language,
    language_at,
    consent,
    consent_at,
  }
  await tx.updateTable('leads').set(changes).where('id', '=', lead.id).execute()
  const { program, campus } = changes
  return { consent, language, program, campus }
}

/** How many of the newest leads the console's suggestions come from, and how many of each sort there are at most. */
const NEWEST = 300
const SUGGESTED = 20

/** Where the newest leads came from, the most frequent first: for the filters of the console. */
export async function recentOrigins(db: Kysely<Schema>): Promise<{ campaigns: string[]; sites: string[] }> {
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

/** Limited, because anyone can make up names. */
const mostFrequent = (names: readonly string[]): string[] =>
  [...Map.groupBy(names, name => name)]
    .toSorted(([, some], [, others]) => others.length - some.length)
    .slice(0, SUGGESTED)
    .map(([name]) => name)
