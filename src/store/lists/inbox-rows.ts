/** Queries for the rows of the console's lists: leads, each with what a row shows of it. */
import { type Kysely, sql } from 'kysely'
import type { Step } from '../../follow-up/cadence.ts'
import type { Submission } from '../../leads/body/submission.ts'
import type { Label } from '../../leads/lead/labels.ts'
import { type Answers, lastGiven, lastWritten } from '../../leads/lead/last-given.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { readLabels } from '../actions/lead-labels.ts'
import { parseCadence } from '../follow-up/cadence-versions.ts'
import { readLatestInquiries } from '../leads/latest-inquiries.ts'
import { asLead } from '../leads/leads.ts'
import { readableSubmission, submissionColumns } from '../leads/submission-row.ts'
import { listTried } from '../leads/tried-to-reach.ts'
import type { Schema } from '../tables/schema.ts'

/** A lead with what a row shows of it. */
export type InboxRow = {
  lead: Lead
  /** The latest; undefined if it cannot be read. */
  submission: Submission | undefined
  /** The latest that the person wrote; if the staff entered or imported all of them, the latest. */
  written: Submission | undefined
  /** The last answers that the person gave in their latest inquiries. */
  answers: Answers
  /** How many there are. */
  inquiries: number
  /** The latest of them, newest first. */
  latest: Submission[]
  tried: boolean
  /** In the order of their names. */
  labels: Label[]
  /** The next step of its follow-up; null if nothing follows. */
  next: { at: number; step: Step } | null
}

/** Leads by their ids, in that order, with what a row shows; those that are gone are left out. */
export async function readInboxRows(db: Kysely<Schema>, ids: readonly number[]): Promise<InboxRow[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('leads').selectAll().where('id', 'in', ids).execute()
  const leads = new Map(rows.map(row => [row.id, asLead(row)]))
  return rowsOf(
    db,
    ids.flatMap(id => leads.get(id) ?? []),
  )
}

/** The same for leads that were read already. */
export async function rowsOf(db: Kysely<Schema>, leads: readonly Lead[]): Promise<InboxRow[]> {
  if (leads.length === 0) return []
  const ids = leads.map(({ id }) => id)
  const submissions = await latestSubmissions(db, ids)
  const earlier = await readLatestInquiries(
    db,
    ids.filter(id => (submissions.get(id)?.inquiries ?? 0) > 1),
  )
  const steps = await nextSteps(db, ids)
  const labels = await readLabels(db, ids)
  const tried = await listTried(db, ids)
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
      next: steps.get(lead.id) ?? null,
    }
  })
}

async function latestSubmissions(db: Kysely<Schema>, ids: readonly number[]) {
  const latest = db
    .selectFrom('timeline')
    .select(eb => ['lead_id', eb.fn.max('submission_id').as('latest'), eb.fn.countAll<number>().as('inquiries')])
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

async function nextSteps(db: Kysely<Schema>, ids: readonly number[]) {
  const due = await db
    .selectFrom('tasks')
    .innerJoin('leads', 'leads.id', 'tasks.subject')
    .select(['tasks.subject', 'tasks.step', 'tasks.due_at', 'leads.cadence_id'])
    .where('tasks.kind', '=', sql.lit('step'))
    .where('tasks.subject', 'in', ids)
    .where('tasks.state', '=', sql.lit('due'))
    .orderBy('tasks.due_at', 'desc')
    .execute()
  const known = [...new Set(due.flatMap(({ cadence_id }) => cadence_id ?? []))]
  if (known.length === 0) return new Map<number, { at: number; step: Step }>()
  const versions = await db.selectFrom('cadences').select(['id', 'steps']).where('id', 'in', known).execute()
  const cadences = new Map(versions.map(({ id, steps }) => [id, parseCadence(steps)]))
  return new Map(
    due.flatMap(({ subject, step: index, due_at, cadence_id }) => {
      const step = cadences.get(cadence_id ?? -1)?.[index]
      return step === undefined ? [] : [[subject, { at: due_at, step }]]
    }),
  )
}
