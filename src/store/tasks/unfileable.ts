/** Which filing tasks show that a submission cannot be filed. */
import { type ExpressionBuilder, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'
import { AGAIN_AND_AGAIN } from './again-and-again.ts'

/**
 * Whether a submission waits to be filed and cannot be: a condition on tasks. Its attempts are the ones to file it
 * separately, after one attempt together with others.
 */
export const isUnfileable = (eb: ExpressionBuilder<Schema, 'tasks'>) =>
  eb.and([
    eb('lane', '=', sql.lit('filing')),
    eb('state', '=', sql.lit('due')),
    eb('kind', '=', sql.lit('refile')),
    eb('attempts', '>=', AGAIN_AND_AGAIN),
  ])

/** Whether someone has dismissed the submission of a task, because it could not be filed. */
export const isDismissed = (eb: ExpressionBuilder<Schema, 'tasks'>) =>
  eb.and([eb('lane', '=', sql.lit('filing')), eb('state', '=', sql.lit('skipped')), eb('kind', '=', sql.lit('refile'))])
