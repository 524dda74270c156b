/** How students heard of the school: the first answer to this question in their inquiries. */
import { type Kysely, sql } from 'kysely'
import { withoutRank } from '../../leads/body/ranked-answers.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { readableSubmission, submissionColumns } from '../leads/submission-row.ts'
import type { Schema } from '../tables/schema.ts'

/** How many inquiries of a lead are searched: some leads have very many. */
const LOOKED_AT = 5

/** The answers without their rank, by the id of the lead; people who never answered are left out. */
export async function readHeard(
  db: Kysely<Schema>,
  leads: readonly { id: number; kind: Kind }[],
): Promise<Map<number, string>> {
  const students = leads.filter(({ kind }) => kind === 'student').map(({ id }) => id)
  if (students.length === 0) return new Map()
  const inquiries = db
    .selectFrom('timeline')
    .select(['lead_id', 'submission_id'])
    .select(sql<number>`row_number() over (partition by lead_id order by id)`.as('place'))
    .where('lead_id', 'in', students)
    .where('kind', '=', sql.lit('submission'))
    .as('inquiry')
  const rows = await db
    .selectFrom(inquiries)
    .innerJoin('submissions as s', 's.id', 'inquiry.submission_id')
    .select(submissionColumns)
    .select('inquiry.lead_id')
    .where('inquiry.place', '<=', LOOKED_AT)
    .orderBy('inquiry.place', 'desc')
    .execute()
  return new Map(
    rows.flatMap(({ lead_id, ...row }) => {
      const body = readableSubmission(row)?.body
      const said = body !== undefined && 'source' in body ? withoutRank(body.source?.text) : ''
      return said === '' ? [] : [[lead_id, said]]
    }),
  )
}
