/** A submission with its lead, for the messages about it. */
import { type Kysely, sql } from 'kysely'
import { readFormDetails } from '../../leads/body/form-details.ts'
import type { GivenPhone } from '../../leads/body/phone.ts'
import type { Submission } from '../../leads/body/submission.ts'
import { asCorrected } from '../../leads/lead/corrections.ts'
import { type Answers, lastGiven } from '../../leads/lead/last-given.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { COMPLETED, signalsIn } from '../../leads/lead/timeline-details.ts'
import { readLatestInquiries } from '../leads/latest-inquiries.ts'
import { asLead, findExactLead } from '../leads/leads.ts'
import { readCorrections } from '../leads/read-corrections.ts'
import { asSubmission, submissionColumns } from '../leads/submission-row.ts'
import { latestReply, latestSubmission } from '../leads/timeline.ts'
import { readTried } from '../leads/tried-to-reach.ts'
import type { Schema } from '../tables/schema.ts'
import { readPhones } from './phones.ts'

/** A submission, with contact data that was corrected since, and its lead. */
export type LeadOfSubmission = {
  lead: Lead
  submission: Submission
  signals: string[]
  /** How many submissions of the lead came before this one. */
  earlier: number
  /** The person's last answers up to then, in this submission or earlier ones. */
  answers: Answers
  /** The phone numbers given for the lead, in the order in which they came; empty for its first submission. */
  phones: GivenPhone[]
}

const entriesWithSubmissions = (db: Kysely<Schema>) =>
  db
    .selectFrom('timeline as e')
    .innerJoin('submissions as s', 's.id', 'e.submission_id')
    .select(submissionColumns)
    .select(['e.lead_id', 'e.id as entry', 'e.detail', 'e.merged_from'])
    .where('e.kind', '=', sql.lit('submission'))

type EntryRow = Awaited<ReturnType<ReturnType<typeof entriesWithSubmissions>['execute']>>[number]

/**
 * The whole inquiry that a submission is part of: a second step or a correction includes the content of the submission
 * before it. `first`: the submission that it begins with.
 */
async function whole(db: Kysely<Schema>, found: EntryRow): Promise<{ row: EntryRow; first: number }> {
  const completing = await entriesWithSubmissions(db)
    .where('e.lead_id', '=', found.lead_id)
    .where('e.detail', 'like', `${COMPLETED}%`)
    .orderBy('s.id')
    .execute()
  const completedBy = (row: EntryRow) => readFormDetails(row.form)?.completes
  let row = found
  for (const one of completing) if (completedBy(one) === row.id) row = one
  let first = found.id
  for (const one of completing.toReversed()) if (one.id === first) first = completedBy(one) ?? first
  return { row, first }
}

/** A submission with its lead, for the messages about it. If its second step has arrived, it is the whole inquiry. */
export async function readLeadOfSubmission(
  db: Kysely<Schema>,
  submissionId: number,
): Promise<LeadOfSubmission | undefined> {
  const found = await entriesWithSubmissions(db).where('e.submission_id', '=', submissionId).executeTakeFirst()
  if (found === undefined) return undefined
  const { row, first } = await whole(db, found)
  const lead = await db.selectFrom('leads').selectAll().where('id', '=', row.lead_id).executeTakeFirstOrThrow()
  // If a lead was merged into this one, its number may have been corrected there.
  const from = row.merged_from === null ? undefined : await findExactLead(db, row.merged_from)
  const corrections = await readCorrections(db, from ?? asLead(lead))
  const current = { email: lead.email, phone: from?.phone ?? lead.phone }
  const { earlier } = await db
    .selectFrom('timeline')
    .select(eb => eb.fn.countAll<number>().as('earlier'))
    .where('lead_id', '=', row.lead_id)
    .where('kind', '=', sql.lit('submission'))
    .where('detail', 'not like', `${COMPLETED}%`)
    .where('id', '<', row.entry)
    .where('submission_id', '<>', first)
    .executeTakeFirstOrThrow()
  const submission = asSubmission(row)
  const inquiries = Number(earlier) === 0 ? [] : ((await readLatestInquiries(db, [row.lead_id])).get(row.lead_id) ?? [])
  return {
    lead: asLead(lead),
    submission: asCorrected(submission, current, corrections),
    answers: lastGiven([submission, ...inquiries.filter(one => one.id < submission.id)]),
    signals: signalsIn(row.detail),
    earlier: Number(earlier),
    phones: Number(earlier) === 0 ? [] : await readPhones(db, asLead(lead)),
  }
}

export type LatestOfLead = LeadOfSubmission & {
  attempts: number
  /** Whether someone has tried to reach them, in any way. */
  tried: boolean
  /** What they wrote back, if it is newer than their latest submission. */
  reply: string | undefined
}

/** A lead with its latest submission, and what happened since. */
export async function readLatest(db: Kysely<Schema>, leadId: number): Promise<LatestOfLead | undefined> {
  const submissionId = await latestSubmission(db, leadId)
  const latest = submissionId === undefined ? undefined : await readLeadOfSubmission(db, submissionId)
  if (latest === undefined) return undefined
  const { attempts } = await db
    .selectFrom('timeline')
    .select(eb => eb.fn.countAll<number>().as('attempts'))
    .where('lead_id', '=', leadId)
    .where('kind', '=', 'attempt')
    .where('undone_at', 'is', null)
    .executeTakeFirstOrThrow()
  const reply = await latestReply(db, leadId)
  const tried = await readTried(db, leadId)
  return { ...latest, attempts: Number(attempts), tried, reply }
}
