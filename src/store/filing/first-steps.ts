/** Finding the first step of a form in two steps, and its outcome, when the second step arrives. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { QuarantineReason } from '../../leads/words/quarantine-reasons.ts'
import type { Schema } from '../tables/schema.ts'

/** The id of the submission with a key; undefined if there is none. On SQLite, includes keys not indexed yet. */
export async function findAccepted(db: Kysely<Schema>, key: string): Promise<number | undefined> {
  const indexed = await db
    .selectFrom('idempotency_keys')
    .select('submission_id as id')
    .where('key', '=', key)
    .executeTakeFirst()
  return indexed?.id
}

/** A submission as it was stored; undefined if it was erased or never stored. */
export const readAccepted = (
  db: Kysely<Schema>,
  id: number,
): Promise<{ key: string; body: string; form: string | null } | undefined> =>
  db.selectFrom('submissions').select(['key', 'body', 'form']).where('id', '=', id).executeTakeFirst()

/** The outcome of a submission: part of a lead, quarantined (and why), still to be filed, or erased. */
export type FirstStep = 'filed' | 'waits' | 'gone' | { quarantined: QuarantineReason }

export async function readFirstSteps(db: Kysely<Schema>, ids: readonly number[]): Promise<Map<number, FirstStep>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('submissions as s')
    .leftJoin('quarantine as q', 'q.submission_id', 's.id')
    .leftJoin('timeline as e', join =>
      join.onRef('e.submission_id', '=', 's.id').on('e.kind', '=', sql.lit('submission')),
    )
    .select(['s.id', 'e.id as entry', 'q.state', 'q.reason'])
    .where('s.id', 'in', ids)
    .execute()
  const found = new Map(
    rows.map(({ id, entry, state, reason }): [number, FirstStep] => {
      if (entry !== null) return [id, 'filed']
      return [id, reason !== null && state !== 'released' ? { quarantined: reason } : 'waits']
    }),
  )
  return new Map(ids.map(id => [id, found.get(id) ?? 'gone']))
}

/** The open leads that first steps are part of, by the submission. */
export async function leadsOfFirstSteps(
  tx: Transaction<Schema>,
  ids: readonly number[],
): Promise<Map<number, { id: number; key: string; email: string | null; mergedFrom: number | null }>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('timeline as e')
    .innerJoin('leads as l', 'l.id', 'e.lead_id')
    .select(['e.submission_id', 'l.id', 'l.person_key', 'l.email', 'e.merged_from'])
    .where('e.submission_id', 'in', ids)
    .where('e.kind', '=', sql.lit('submission'))
    .where('l.stage', '<>', sql.lit('closed'))
    .where('l.merged_into', 'is', null)
    .execute()
  return new Map(
    rows.map(({ submission_id, id, person_key, email, merged_from }) => [
      submission_id as number,
      { id, key: person_key, email, mergedFrom: merged_from },
    ]),
  )
}
