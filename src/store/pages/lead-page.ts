/** What a page about a lead shows, however long the lead's history is, read in one snapshot. */
import type { Kysely } from 'kysely'
import type { GivenPhone } from '../../leads/body/phone.ts'
import type { Submission } from '../../leads/body/submission.ts'
import type { Label } from '../../leads/lead/labels.ts'
import { type Answers, lastGiven } from '../../leads/lead/last-given.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import { listLabels, readLabels } from '../actions/lead-labels.ts'
import { readUndoable } from '../actions/undo-action.ts'
import { type FollowUp, readFollowUp } from '../follow-up/steps.ts'
import { type Callback, listCallbacks } from '../leads/callbacks.ts'
import { type Draft, readDrafts } from '../leads/drafts.ts'
import { LATEST, readLatestInquiries } from '../leads/latest-inquiries.ts'
import { findLead } from '../leads/leads.ts'
import { type MergedLead, readMergedLeads } from '../leads/merged-leads.ts'
import { readTried } from '../leads/tried-to-reach.ts'
import { findEarlierLeads } from '../lookup/find-leads.ts'
import { countHistory, type HistoryCounts } from '../lookup/history-counts.ts'
import { type HistoryPart, type HistoryRange, type LeadHistory, readHistory, readLead } from '../lookup/lead-history.ts'
import { readPhones } from '../lookup/phones.ts'
import type { Schema } from '../tables/schema.ts'
import { inSnapshot } from '../tables/snapshot.ts'
import { messagesAbout } from '../tasks/messages-about.ts'
import type { Task } from '../tasks/tasks.ts'
import { type Absence, listAbsences } from '../team/absences.ts'

/** What every page about a lead shows besides its history. */
type Beside = {
  followUp: FollowUp | undefined
  phones: GivenPhone[]
  /** Earlier leads of the person, newest first. */
  earlier: Awaited<ReturnType<typeof findEarlierLeads>>
  /** The absences from today on. */
  absences: Absence[]
  /** The open callbacks, the next one first. */
  callbacks: Callback[]
}

export type LeadPage = HistoryPart &
  HistoryCounts &
  Beside & {
    lead: Lead
    tried: boolean
    /** The submissions before the earliest one of this page, newest first. */
    submissionsBefore: Submission[]
    /** The last answers in the person's latest inquiries. */
    answers: Answers
    /** The emails about these entries and submissions, and the steps that have begun or ended. */
    mails: Task[]
    /** The leads that were merged into this lead, in the order of the merges. */
    merged: MergedLead[]
    /** The entry that can be undone now. */
    undoable: TimelineEntry | undefined
    labels: Label[]
    /** All tags, to suggest them. */
    tags: Label[]
    /** What operators have typed about the lead and not sent, the latest first. */
    drafts: Draft[]
    /** Whether any destination is on. */
    handsOver: boolean
  }

/** The time at which a page is read, and the day at the school, yyyy-mm-dd. */
type Moment = { now: number; today: string }

/**
 * Everything that the page of a lead in the console shows. If the lead was merged into another, the kept lead's page.
 * Undefined if the lead does not exist. Submissions and entries have pages of their own.
 */
export const readLeadPage = (
  db: Kysely<Schema>,
  leadId: number,
  { submissions: { before, limit }, entries, now, today }: HistoryRange & Moment,
): Promise<LeadPage | undefined> =>
  inSnapshot(db, async tx => {
    const lead = await findLead(tx, leadId)
    if (lead === undefined) return undefined
    const { id } = lead
    const history = await readHistory(tx, id, { submissions: { before, limit: limit + LATEST }, entries })
    return {
      lead,
      ...history,
      submissions: history.submissions.slice(0, limit),
      submissionsBefore: history.submissions.slice(limit).map(({ submission }) => submission),
      answers: lastGiven((await readLatestInquiries(tx, [id])).get(id) ?? []),
      ...(await countHistory(tx, id)),
      tried: await readTried(tx, id),
      mails: await readMails(tx, id, history.timeline),
      merged: await readMergedLeads(tx, id),
      ...(await readBeside(tx, lead, today)),
      undoable: await readUndoable(tx, id, now),
      labels: (await readLabels(tx, [id])).get(id) ?? [],
      tags: await listLabels(tx, 'tag'),
      drafts: await readDrafts(tx, id),
      handsOver: await hasDestination(tx),
    }
  })

async function hasDestination(db: Kysely<Schema>): Promise<boolean> {
  const row = await db.selectFrom('destinations').select('id').where('off_at', 'is', null).limit(1).executeTakeFirst()
  return row !== undefined
}

/** What the page behind a link in an email shows: the newest part of the history, or the part before an entry. */
export const readLinkedLead = (
  db: Kysely<Schema>,
  leadId: number,
  { before, today }: { before: number | undefined } & Pick<Moment, 'today'>,
): Promise<(LeadHistory & Beside) | undefined> =>
  inSnapshot(db, async tx => {
    const history = await readLead(tx, leadId, { before })
    return history && { ...history, ...(await readBeside(tx, history.lead, today)) }
  })

const readBeside = async (db: Kysely<Schema>, lead: Lead, today: string): Promise<Beside> => ({
  followUp: await readFollowUp(db, lead.id),
  phones: await readPhones(db, lead),
  earlier: await findEarlierLeads(db, lead.id),
  absences: await listAbsences(db, today),
  callbacks: await listCallbacks(db, lead.id),
})

async function readMails(db: Kysely<Schema>, leadId: number, timeline: readonly TimelineEntry[]): Promise<Task[]> {
  const submissions = timeline.flatMap(({ kind, submissionId }) =>
    kind === 'submission' && submissionId !== null ? [submissionId] : [],
  )
  const entries = timeline.map(({ id }) => id)
  return db
    .selectFrom('tasks')
    .selectAll()
    .where(messagesAbout({ submission: submissions, entry: entries, lead: [leadId] }, 'anyone'))
    .orderBy('id')
    .execute()
}
