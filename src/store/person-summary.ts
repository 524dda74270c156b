/** What is stored about a person, in numbers: what an erasure would take. */
import { type Kysely, sql } from 'kysely'
import { emailKey } from '../leads/email.ts'
import type { Lead } from '../leads/lead.ts'
import { EMAIL_ENTRIES, messagesAbout } from './erasure.ts'
import { asLead } from './leads.ts'
import { readPersonRows } from './person-data.ts'
import { findFiled, findRequests, findStrays, findUnfiled, findViews } from './person-ids.ts'
import type { Schema } from './schema.ts'
import { readableSubmission } from './submission-row.ts'

export type PersonSummary = {
  /** Of any of their submissions: the first one. */
  id: number
  email: string
  /** The name that they last gave; a lead's before that of a submission alone. */
  name: string
  leads: Lead[]
  submissions: number
  quarantined: number
  /** Emails to them, from them and about them. */
  emails: number
  notes: number
  /** Messages and steps of the follow-up that wait, and will not go out. */
  waiting: number
  /** Mail of theirs that waits to be forwarded to the team. */
  strays: number
  /** Rows of lists that someone has uploaded. */
  rows: number
  /** Saved views that look for them. */
  views: number
  /** The id of the request to erase them that waits. */
  request: number | undefined
}

/** The email address of the person with that submission, which a lead may correct; undefined without one. */
export async function readEmailOf(
  db: Kysely<Schema>,
  submissionId: number,
): Promise<string | undefined> {
  const lead = await db
    .selectFrom('timeline as e')
    .innerJoin('leads as l', 'l.id', 'e.lead_id')
    .select('l.email')
    .where('e.submission_id', '=', submissionId)
    .where('e.kind', '=', sql.lit('submission'))
    .executeTakeFirst()
  if (lead !== undefined) return lead.email
  const row = await db
    .selectFrom('submissions')
    .select('email')
    .where('id', '=', submissionId)
    .executeTakeFirst()
  return row?.email
}

/** Undefined if no submission of that address is stored. */
export async function readPersonSummary(
  db: Kysely<Schema>,
  email: string,
): Promise<PersonSummary | undefined> {
  const key = emailKey(email)
  const filed = await findFiled(db, key)
  const submissions = [...new Set([...filed.submissions, ...(await findUnfiled(db, key))])]
  if (submissions.length === 0) return undefined
  const id = Math.min(...submissions)
  const rows = await db
    .selectFrom('leads')
    .selectAll()
    .where('id', 'in', [0, ...filed.leads])
    // The kept one before those that were merged into it.
    .orderBy(eb => eb('merged_into', 'is not', null))
    .orderBy('id', 'desc')
    .execute()
  const leads = rows.map(asLead)
  const [request] = await findRequests(db, key)
  return {
    ...{ id, leads, submissions: submissions.length, request },
    email: leads[0]?.email ?? email,
    name:
      leads[0] === undefined ? await nameIn(db, id) : `${leads[0].firstName} ${leads[0].lastName}`,
    quarantined: await countQuarantined(db, submissions),
    ...(await countEntries(db, filed.leads)),
    waiting: await countWaiting(db, { ...filed, submissions }),
    strays: (await findStrays(db, key)).length,
    rows: (await readPersonRows(db, email)).length,
    views: (await findViews(db, { submissions })).length,
  }
}

async function nameIn(db: Kysely<Schema>, submissionId: number): Promise<string> {
  const row = await db
    .selectFrom('submissions')
    .select(['id', 'kind', 'received_at', 'answer', 'body', 'form'])
    .where('id', '=', submissionId)
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
    .where('lead_id', 'in', [0, ...leads])
    .groupBy('kind')
    .execute()
  const sum = (kinds: readonly string[]) =>
    rows.reduce((all, { kind, count }) => all + (kinds.includes(kind) ? Number(count) : 0), 0)
  return { emails: sum(EMAIL_ENTRIES), notes: sum(['note']) }
}

async function countWaiting(
  db: Kysely<Schema>,
  ids: Parameters<typeof messagesAbout>[0],
): Promise<number> {
  let waiting = 0
  for (const [kind, group] of Map.groupBy(messagesAbout(ids), message => message.kind)) {
    const { count } = await db
      .selectFrom('tasks')
      .select(eb => eb.fn.countAll<number>().as('count'))
      .where('kind', '=', kind)
      .where(
        'subject',
        'in',
        group.map(({ subject }) => subject),
      )
      .where('state', '=', sql.lit('due'))
      .executeTakeFirstOrThrow()
    waiting += Number(count)
  }
  return waiting
}
