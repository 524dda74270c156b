/** The latest inquiries of leads, to collect what a person told us over several of them. */
import { type Kysely, sql } from 'kysely'
import type { Submission } from '../../leads/body/submission.ts'
import type { Schema } from '../tables/schema.ts'
import { readableSubmission, submissionColumns } from './submission-row.ts'

/** How many of the latest inquiries of a lead we search for what the person told us. */
export const LATEST = 20

/** The latest inquiries of each lead that has one, newest first, without those that cannot be read. */
export async function readLatestInquiries(
  db: Kysely<Schema>,
  leadIds: readonly number[],
): Promise<Map<number, Submission[]>> {
  const latest = new Map<number, Submission[]>()
  if (leadIds.length === 0) return latest
  const counted = db
    .selectFrom('timeline')
    .select(['lead_id', 'submission_id', 'id'])
    .select(sql<number>`row_number() over (partition by lead_id order by id desc)`.as('place'))
    .where('lead_id', 'in', leadIds)
    .where('kind', '=', sql.lit('submission'))
  const rows = await db
    .selectFrom(counted.as('e'))
    .innerJoin('submissions as s', 's.id', 'e.submission_id')
    .select(submissionColumns)
    .select('e.lead_id')
    .where('e.place', '<=', LATEST)
    .orderBy('e.id', 'desc')
    .execute()
  for (const { lead_id, ...row } of rows) {
    const submission = readableSubmission(row)
    if (submission !== undefined) latest.set(lead_id, [...(latest.get(lead_id) ?? []), submission])
  }
  return latest
}
