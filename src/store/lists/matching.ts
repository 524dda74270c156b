/** What a filter of a list requires of each lead, as conditions of a query. */
import { type SelectQueryBuilder, sql } from 'kysely'
import { notCounted } from '../../leads/lead/stages.ts'
import { wasTried } from '../leads/tried-to-reach.ts'
import type { Schema } from '../tables/schema.ts'
import type { InboxFilter } from './filter.ts'

/** Everything that a filter says about the columns of a lead. */
export function matching<Tables extends Schema, Table extends keyof Tables, Output>(
  leads: SelectQueryBuilder<Tables, Table, Output>,
  filter: InboxFilter,
): SelectQueryBuilder<Tables, Table, Output> {
  let query = leads as unknown as SelectQueryBuilder<Schema, 'leads', Output>
  const { visibleTo, since, until } = filter
  query = query.where('leads.merged_into', 'is', null)
  if (filter.kind !== undefined) query = query.where('leads.kind', '=', filter.kind)
  if (filter.stage === 'open') query = query.where('leads.stage', '<>', 'closed')
  else if (filter.stage === 'reached') query = query.where('leads.stage', 'not in', ['new', 'closed'])
  else if (filter.stage !== undefined) query = query.where('leads.stage', '=', filter.stage)
  if (filter.waiting) query = query.where('leads.stage', '=', 'new')
  if (filter.unanswered) query = query.where('leads.unanswered_since', 'is not', null)
  if (filter.untried) query = query.where('leads.stage', '=', 'new').where(eb => eb.not(wasTried(eb)))
  if (filter.owner !== undefined) query = query.where('leads.owner', filter.owner === null ? 'is' : '=', filter.owner)
  if (filter.imported !== undefined) query = query.where('leads.imported', '=', Number(filter.imported))
  if (filter.counted)
    query = query.where(eb =>
      eb.or([eb('leads.closed_reason', 'is', null), eb('leads.closed_reason', 'not in', notCounted)]),
    )
  if (filter.consent === null) query = query.where('leads.consent', 'is', null)
  if (visibleTo !== undefined)
    query = query.where(eb =>
      eb.or([eb('leads.owner', 'is', null), ...(visibleTo === null ? [] : [eb('leads.owner', '=', visibleTo)])]),
    )
  if (since !== undefined) query = query.where('leads.created_at', '>=', since)
  if (until !== undefined) query = query.where('leads.created_at', '<', until)
  return query as unknown as SelectQueryBuilder<Tables, Table, Output>
}

/** Looks for facts in the stored words, when no index has them in the list's order. Facts contain no wildcards. */
export function withFacts<Tables extends Schema, Table extends keyof Tables, Output>(
  leads: SelectQueryBuilder<Tables, Table, Output>,
  facts: readonly string[],
): SelectQueryBuilder<Tables, Table, Output> {
  if (facts.length === 0) return leads
  const has = sql.join(
    facts.map(fact => sql`' ' || words || ' ' like ${`% ${fact} %`}`),
    sql` and `,
  )
  return leads.where(sql<boolean>`exists (select 1 from lead_words where lead_id = leads.id and ${has})`)
}
