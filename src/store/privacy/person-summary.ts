/** What is stored about a person, in numbers: what an erasure would delete. */
import { type Kysely, sql } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import { type Lead, reachOf } from '../../leads/lead/lead.ts'
import { asLead } from '../leads/leads.ts'
import { readableSubmission, submissionColumns } from '../leads/submission-row.ts'
import { anyOf } from '../tables/any-of.ts'
import type { Schema } from '../tables/schema.ts'
import { countDue } from '../tasks/tasks.ts'
import { EMAIL_ENTRIES, tasksAbout } from './erasure.ts'
import { readPersonRows } from './person-data.ts'
import { findFiled, findRequests, findStrays, findUnfiled, findViews } from './person-ids.ts'

export type PersonSummary = {
  /** The id of their first submission. */
  id: number
  /** Their address or, if we know none, their number in E.164. */
  reach: string
  /** The name on their lead or, without a lead, in their first submission; '' if that cannot be read. */
  name: string
  leads: Lead[]
  submissions: number
  quarantined: number
  /** Emails to them, from them and about them. */
  emails: number
  notes: number
  /** Messages and steps of the follow-up that wait; after an erasure, they never go out. */
  waiting: number
  /** Mail from them that waits to be forwarded to the team. */
  strays: number
  /** Rows about them in uploaded lists. */
  rows: number
  /** Saved views that look for them. */
  views: number
  /** The id of the waiting request to erase them; undefined if there is none. */
  request: number | undefined
}

/**
 * The address or the number of the person with that submission, as their lead has it now. Undefined if there is no such
 * submission, or if it has no address and is not filed yet.
 */
export async function readReachOf(db: Kysely<Schema>, submissionId: number): Promise<string | undefined> {
  const lead = await db
    .selectFrom('timeline as e')
    .innerJoin('leads as l', 'l.id', 'e.lead_id')
    .select(['l.email', 'l.person_key'])
    .where('e.submission_id', '=', submissionId)
    .where('e.kind', '=', sql.lit('submission'))
    .executeTakeFirst()
  if (lead !== undefined) return lead.email ?? lead.person_key
  const row = await db.selectFrom('submissions').select('email').where('id', '=', submissionId).executeTakeFirst()
  return row?.email ?? undefined
}

/** The summary of the person with this address or number (E.164); undefined if no submission of theirs is stored. */
export async function readPersonSummary(db: Kysely<Schema>, person: string): Promise<PersonSummary | undefined> {
  const key = emailKey(person)
  const filed = await findFiled(db, key)
  const submissions = [...new Set([...filed.submissions, ...(await findUnfiled(db, key))])]
  if (submissions.length === 0) return undefined
  const id = Math.min(...submissions)
  const rows = await db
    .selectFrom('leads')
    .selectAll()
    .where('id', 'in', anyOf(filed.leads))
    // The kept lead comes before the leads that were merged into it.
    .orderBy(eb => eb('merged_into', 'is not', null))
    .orderBy('id', 'desc')
    .execute()
  const leads = rows.map(asLead)
  const [request] = await findRequests(db, key)
  return {
    id,
    leads,
    submissions: submissions.length,
    request,
    reach: leads[0] === undefined ? person : reachOf(leads[0]),
    name: leads[0] === undefined ? await nameIn(db, id) : `${leads[0].firstName} ${leads[0].lastName}`,
    quarantined: await countQuarantined(db, submissions),
    ...(await countEntries(db, filed.leads)),
    waiting: await countDue(db, tasksAbout({ ...filed, submissions }, { to: 'anyone' })),
    strays: (await findStrays(db, key)).length,
    rows: (await readPersonRows(db, person)).length,
    views: (await findViews(db, { submissions })).length,
  }
}

async function nameIn(db: Kysely<Schema>, submissionId: number): Promise<string> {
  const row = await db
    .selectFrom('submissions as s')
    .select(submissionColumns)
    .where('s.id', '=', submissionId)
    .executeTakeFirstOrThrow()
  const body = readableSubmission(row)?.body
  return body === undefined ? '' : `${body.firstName} ${body.lastName}`
}

async function countQuarantined(db: Kysely<Schema>, submissions: readonly number[]) {
  const { count } = await db
    .selectFrom('quarantine')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('submission_id', 'in', submissions)
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function countEntries(db: Kysely<Schema>, leads: readonly number[]) {
  const rows = await db
    .selectFrom('timeline')
    .select(['kind', eb => eb.fn.countAll<number>().as('count')])
    .where('lead_id', 'in', anyOf(leads))
    .groupBy('kind')
    .execute()
  const sum = (kinds: readonly string[]) =>
    rows.reduce((all, { kind, count }) => all + (kinds.includes(kind) ? Number(count) : 0), 0)
  return { emails: sum(EMAIL_ENTRIES), notes: sum(['note']) }
}
