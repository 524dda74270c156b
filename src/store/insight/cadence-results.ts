/** What the follow-up emails achieved, from the counts of insight. */
import type { Kysely } from 'kysely'
import type { Kind } from '../../leads/body/submission.ts'
import type { Schema } from '../tables/schema.ts'
import type { InsightQuery } from './insight.ts'
import { periodsOf, periodsToRead, signOf } from './periods.ts'

/** The emails of one step that were sent within a range of days. The answers to them count whenever they came. */
export type EmailResult = {
  kind: Kind
  step: string
  sent: number
  /** How many people replied before the next email, or before someone at the school wrote to them. */
  replied: number
  /** How many people unsubscribed, said that it was not them, or reported the email as spam. */
  unsubscribed: number
  bounced: number
}

/** One row for each step that sent an email on these days, in no particular order. */
export async function readCadenceResults(db: Kysely<Schema>, { from, to, kind }: InsightQuery): Promise<EmailResult[]> {
  const periods = periodsOf(from, to)
  const rows = await db
    .selectFrom('insight_counts')
    .select(['period', 'kind', 'value', 'leads', 'counts'])
    .where('dimension', '=', 'email')
    .where('period', 'in', periodsToRead(periods))
    .$if(kind !== undefined, some => some.where('kind', '=', kind as Kind))
    .execute()
  const sign = signOf(periods)
  const results = new Map<string, EmailResult>()
  for (const { period, kind, value: step, leads, counts } of rows) {
    const by = sign(period)
    const key = `${kind} ${step}`
    const none = { kind, step, sent: 0, replied: 0, unsubscribed: 0, bounced: 0 }
    const result = results.get(key) ?? none
    const { r = 0, u = 0, b = 0 } = JSON.parse(counts) as Record<string, number>
    result.sent += by * leads
    result.replied += by * r
    result.unsubscribed += by * u
    result.bounced += by * b
    results.set(key, result)
  }
  return [...results.values()].filter(({ sent }) => sent > 0)
}
