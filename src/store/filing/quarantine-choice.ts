/** Chooses which of the quarantined submissions a digest shows if there are too many. */
import type { Kysely } from 'kysely'
import type { Kind } from '../../leads/body/submission.ts'
import type { Schema } from '../tables/schema.ts'
import { inTurns } from './fair-turns.ts'
import { type QuarantinedSubmission, readQuarantinedOf } from './quarantined-submissions.ts'

/** Submissions are counted up to this number. */
const MOST_COUNTED = 20_000

/**
 * The undecided submissions of a kind that a digest shows, at most `limit`, and how many there are in all. The networks
 * that sent them take turns, the oldest first, so that one client cannot hide what others sent.
 */
export async function readForDigest(
  db: Kysely<Schema>,
  kind: Kind,
  limit: number,
): Promise<{ entries: QuarantinedSubmission[]; total: number }> {
  const rows = await db
    .selectFrom('quarantine as q')
    .innerJoin('submissions as s', 's.id', 'q.submission_id')
    .select(['s.id', 's.client_address'])
    .where('q.state', '=', 'held')
    .where('s.kind', '=', kind)
    .orderBy('q.submission_id')
    .limit(MOST_COUNTED)
    .execute()
  const shown = inTurns(rows).slice(0, limit)
  const entries = await readQuarantinedOf(
    db,
    shown.map(({ id }) => id),
  )
  return { entries, total: rows.length }
}
