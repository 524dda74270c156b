/** Queries for the rows of the console's lists: leads, each with what its row shows. */
import { type Kysely, sql } from 'kysely'
import { type Cadence, type Step, stepsOn, trackOf } from '../../follow-up/cadence.ts'
import type { Submission } from '../../leads/body/submission.ts'
import type { Label } from '../../leads/lead/labels.ts'
import { type Answers, lastGiven, lastWritten } from '../../leads/lead/last-given.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { COMPLETED } from '../../leads/lead/timeline-details.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import { readLabels } from '../actions/lead-labels.ts'
import { parseCadence } from '../follow-up/cadence-versions.ts'
import { readLastActivity } from '../leads/last-activity.ts'
import { readLatestInquiries } from '../leads/latest-inquiries.ts'
import { asLead } from '../leads/leads.ts'
import { readableSubmission, submissionColumns } from '../leads/submission-row.ts'
import { listTried } from '../leads/tried-to-reach.ts'
import type { Schema } from '../tables/schema.ts'

/** A lead with what its row shows. */
export type InboxRow = {
  lead: Lead
  /** The latest inquiry; undefined if it cannot be read. */
  submission: Submission | undefined
  /** The latest inquiry that the person wrote; if the staff entered or imported all of them, the latest one. */
  written: Submission | undefined
  /** The last answers in the person's latest inquiries. */
  answers: Answers
  /** How many inquiries the lead has. */
  inquiries: number
  /** The latest inquiries, newest first. */
  latest: Submission[]
  tried: boolean
  /** In the order of their names. */
  labels: Label[]
  /** What happened last; null if nothing is known to have happened. */
  last: TimelineEntry | null
  /** What they wrote back, if they wait for an answer to an email. */
  reply: string | undefined
  /** The next step of its follow-up, or the next reminder if they wait for an answer; null if nothing follows. */
  next: { at: number; step: Step } | null
  /** How the lead is followed up, and when its next reminder is due; null if the lead is not followed up. */
  followUp: { cadence: Cadence; since: number; reminderAt: number | null } | null
}

/** Leads by their ids, in that order, with what their rows show. Leads that are gone are left out. */
export async function readInboxRows(db: Kysely<Schema>, ids: readonly number[]): Promise<InboxRow[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('leads').selectAll().where('id', 'in', ids).execute()
  const leads = new Map(rows.map(row => [row.id, asLead(row)]))
  return rowsOf(
    db,
    ids.flatMap(id => leads.get(id) ?? []),
  )
}

/** Does the same for leads that were already read. */
export async function rowsOf(db: Kysely<Schema>, leads: readonly Lead[]): Promise<InboxRow[]> {
  if (leads.length === 0) return []
  const ids = leads.map(({ id }) => id)
  const submissions = await latestSubmissions(db, ids)
  const earlier = await readLatestInquiries(
    db,
    ids.filter(id => (submissions.get(id)?.inquiries ?? 0) > 1),
  )
  const followUps = await readFollowUps(db, ids)
  const replies = await readReplies(
    db,
    leads.filter(lead => lead.unansweredSince !== null),
  )
  const labels = await readLabels(db, ids)
  const tried = await listTried(db, ids)
  const last = await readLastActivity(db, ids)
  return leads.map(lead => {
    const { submission, inquiries = 0 } = submissions.get(lead.id) ?? {}
    const latest = earlier.get(lead.id) ?? [submission ?? []].flat()
    return {
      lead,
      tried: tried.has(lead.id),
      submission,
      written: lastWritten(latest),
      answers: lastGiven(latest),
      inquiries,
      latest,
      labels: labels.get(lead.id) ?? [],
      last: last.get(lead.id) ?? null,
      reply: replies.get(lead.id),
      next: null,
      followUp: null,
      ...followUps.get(lead.id),
    }
  })
}

async function latestSubmissions(db: Kysely<Schema>, ids: readonly number[]) {
  const latest = db
    .selectFrom('timeline')
    .select(eb => [
      'lead_id',
      eb.fn.max('submission_id').as('latest'),
      sql<number>`sum(case when detail like ${`${COMPLETED}%`} then 0 else 1 end)`.as('inquiries'),
    ])
    .where('lead_id', 'in', ids)
    .where('kind', '=', sql.lit('submission'))
    .groupBy('lead_id')
    .as('e')
  const rows = await db
    .selectFrom(latest)
    .innerJoin('submissions as s', 's.id', 'e.latest')
    .select(submissionColumns)
    .select(['e.lead_id', 'e.inquiries'])
    .execute()
  return new Map(
    rows.map(({ lead_id, inquiries, ...row }) => [
      lead_id,
      { submission: readableSubmission(row), inquiries: Number(inquiries) },
    ]),
  )
}

/** What these people wrote by email, if that is newer than their latest inquiry. */
async function readReplies(db: Kysely<Schema>, leads: readonly Lead[]): Promise<Map<number, string>> {
  if (leads.length === 0) return new Map()
  const latest = db
    .selectFrom('timeline')
    .select(eb => eb.fn.max('id').as('id'))
    .where(
      'lead_id',
      'in',
      leads.map(({ id }) => id),
    )
    .where('kind', 'in', ['reply', 'submission'])
    .groupBy('lead_id')
  const rows = await db
    .selectFrom('timeline')
    .select(['lead_id', 'detail'])
    .where('id', 'in', latest)
    .where('kind', '=', sql.lit('reply'))
    .execute()
  return new Map(rows.map(row => [row.lead_id, row.detail]))
}

/** The follow-up of these leads, by the id of the lead. */
export async function readFollowUps(
  db: Kysely<Schema>,
  ids: readonly number[],
): Promise<Map<number, Pick<InboxRow, 'next' | 'followUp'>>> {
  const followed = await db
    .selectFrom('leads')
    .innerJoin('cadences', 'cadences.id', 'leads.cadence_id')
    .select(['leads.id', 'leads.created_at', 'leads.follow_up_since', 'leads.unanswered_since'])
    .select(['leads.cadence_id', 'cadences.steps'])
    .where('leads.id', 'in', ids)
    .execute()
  const due = await db
    .selectFrom('tasks')
    .select(['subject', 'step', 'due_at'])
    .where('kind', '=', sql.lit('step'))
    .where('subject', 'in', ids)
    .where('state', '=', sql.lit('due'))
    .orderBy('due_at')
    .execute()
  const versions = new Map(followed.map(row => [row.cadence_id, row.steps]))
  const cadences = new Map([...versions].map(([id, steps]) => [id, parseCadence(steps)]))
  return new Map(
    followed.map(row => {
      const cadence = cadences.get(row.cadence_id) ?? []
      const open = due.filter(({ subject }) => subject === row.id)
      const [next] = open.flatMap(({ step: index, due_at: at }) => {
        const step = cadence[index]
        const follows = row.unanswered_since === null || (step && trackOf(step) === 'staff')
        return step === undefined || !follows ? [] : [{ at, step }]
      })
      const [first] = stepsOn(cadence, 'staff')
      const reminderAt = open.find(({ step }) => step === first)?.due_at ?? null
      const since = row.follow_up_since ?? row.created_at
      return [row.id, { next: next ?? null, followUp: { cadence, since, reminderAt } }]
    }),
  )
}
