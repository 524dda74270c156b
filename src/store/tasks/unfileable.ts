/** Which filing tasks show that a submission cannot be filed. */
import { type ExpressionBuilder, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'

/** So many attempts to file a submission by itself, after one with others, are no longer chance. */
const ATTEMPTS = 3

/** As a condition on tasks: a submission that waits to be filed and cannot be. */
export const isUnfileable = (eb: ExpressionBuilder<Schema, 'tasks'>) =>
  eb.and([
    eb('lane', '=', sql.lit('filing')),
    eb('state', '=', sql.lit('due')),
    eb('kind', '=', sql.lit('refile')),
    eb('attempts', '>=', ATTEMPTS),
  ])

/** A task whose submission someone has dismissed, because it could not be filed. */
export const isDismissed = (eb: ExpressionBuilder<Schema, 'tasks'>) =>
  eb.and([eb('lane', '=', sql.lit('filing')), eb('state', '=', sql.lit('skipped')), eb('kind', '=', sql.lit('refile'))])
