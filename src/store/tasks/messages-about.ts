/** The messages about a lead, its submissions or its entries, as a condition on tasks. */
import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'
import { kindsAbout } from '../tables/task-kinds.ts'

type Ids = readonly number[] | SelectQueryBuilder<Schema, 'timeline', { subject: number }>

/**
 * `to`: messages to anyone, or only those to the person. The messages about the lead itself are the emails of its
 * cadence. If there are no ids, no task matches.
 */
export const messagesAbout =
  (subjects: Partial<Record<'submission' | 'entry' | 'lead', Ids>>, to: 'anyone' | 'person') =>
  (eb: ExpressionBuilder<Schema, 'tasks'>): Expression<SqlBool> =>
    eb.or(
      (['submission', 'entry', 'lead'] as const).flatMap(subject => {
        const ids = subjects[subject] ?? []
        // PostgreSQL does not accept empty lists.
        if ('length' in ids && ids.length === 0) return []
        const isStep = subject === 'lead'
        const about = eb.and([
          eb('kind', 'in', kindsAbout(subject, { to: isStep ? 'anyone' : to })),
          eb('subject', 'in', ids),
        ])
        return isStep && to === 'person' ? about.and('lane', '=', sql.lit('letters')) : about
      }),
    )
