/** Unmerges two leads: each becomes what it was before the merge, plus what has happened to it since. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { MergeRecord } from '../../leads/lead/timeline-entries.ts'
import { giveBackCallbacks } from '../actions/callbacks.ts'
import { type ActionContext, type Changed, concludeChange } from '../actions/change-lead.ts'
import { takeLabels } from '../actions/lead-labels.ts'
import { resumeIn } from '../actions/pause-and-resume.ts'
import { renewWords } from '../actions/renew-words.ts'
import { readCadenceOf } from '../follow-up/cadence-versions.ts'
import { readSteps, restoreSteps, sameSteps } from '../follow-up/step-rows.ts'
import { reopenSkipped } from '../follow-up/steps.ts'
import { waitForOwn } from '../follow-up/unanswered.ts'
import { renewLastActivity } from '../leads/last-activity.ts'
import { addressColumns, findOpenLead, type LockedLead, lockExactLead } from '../leads/leads.ts'
import { type Merge, readMerges, withMerged } from '../leads/merged-leads.ts'
import { addOrigin } from '../leads/origins.ts'
import { asSubmission, submissionColumns } from '../leads/submission-row.ts'
import { addEntry } from '../leads/timeline.ts'
import { recordAudit } from '../operators/audit-log.ts'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { BEGINS_AGAIN } from '../tasks/tasks.ts'
import { MERGED } from './merge-leads.ts'
import { followUpColumns, takenBack } from './merged-columns.ts'

/**
 * Why a lead cannot be unmerged. `kept`: the lead into which it was merged was itself merged into another, `by`.
 * `later`: the lead `by` was merged into the same lead later, and must be unmerged first. `taken`: the person has
 * written again from this lead's address, which opened the lead `by`, or is entered again with the number of the kept
 * lead. `corrected`: the kept lead, `by`, has the address of this lead, since someone has corrected it.
 */
export type Unmerged =
  | Exclude<Changed, { outcome: 'before' | 'stale' }>
  | { outcome: 'before' }
  | { outcome: 'refused'; why: 'kept' | 'later' | 'taken' | 'corrected'; by: number }

/**
 * Separates a lead from the one into which it was merged. The lead gets its own history back, with what came from or
 * went to its address since, and its follow-up continues. What the staff did since stays with the other lead. The
 * latest merge must be undone first. `before`: the lead is not merged.
 */
export async function unmergeLead(db: Kysely<Schema>, id: number, by: ActionContext): Promise<Unmerged> {
  return db.transaction().execute(async tx => {
    const known = await tx.selectFrom('leads').select('merged_into').where('id', '=', id).executeTakeFirst()
    if (known === undefined) return { outcome: 'gone' }
    if (known.merged_into === null) return { outcome: 'before' }
    // Every action on a merged lead locks the two in this order.
    const other = await lockExactLead(tx, id)
    const kept = await lockExactLead(tx, known.merged_into)
    if (other === undefined || kept === undefined) return { outcome: 'gone' }
    if (other.merged_into !== kept.id) return { outcome: 'before' }
    if (kept.merged_into !== null) return { outcome: 'refused', why: 'kept', by: kept.merged_into }
    const merges = await readMerges(tx, kept.id)
    const latest = merges.findLast(({ into }) => into === kept.id)
    if (latest === undefined) return { outcome: 'before' }
    const { record } = latest
    if (record.lead !== id) return { outcome: 'refused', why: 'later', by: record.lead }
    if (haveOneAddress(other, kept, record)) return { outcome: 'refused', why: 'corrected', by: kept.id }
    const taken =
      (record.stage === 'closed' ? undefined : await findOpenLead(tx, other, kept.id)) ??
      (await takenOfKept(tx, kept, record))
    if (taken !== undefined) return { outcome: 'refused', why: 'taken', by: taken }
    const merge = { ...latest, ids: withMerged(id, merges) }
    const given = await giveBack(tx, kept, merge, by.now)
    await moveBack(tx, other, kept, merge, by.now)
    const waitedSince = given.unanswered_since === undefined ? kept.unanswered_since : null
    if (waitedSince !== null && waitedSince >= merge.at) await waitForOwn(tx, kept.id, merge.entry)
    const teamGains = given.owner !== undefined && kept.stage !== 'closed'
    const gained = teamGains ? [kept, other] : [other]
    const entry = await recordUnmerge(tx, kept, other, { merge: latest.entry, gained }, by)
    for (const one of [kept, other]) {
      await renewWords(tx, one.id)
      await renewLastActivity(tx, one.id)
    }
    if (by.audit !== undefined) await recordAudit(tx, { ...by.audit, leadId: kept.id })
    return concludeChange(tx, other, { entry, audit: undefined })
  })
}

/**
 * Before the merge, the kept lead may have been known by its number alone, and will be again. Returns another open lead
 * with that number; undefined if there is none.
 */
async function takenOfKept(
  tx: Transaction<Schema>,
  kept: LockedLead,
  record: MergeRecord,
): Promise<number | undefined> {
  const { person_key } = addressColumns({ ...kept, ...takenBack(kept, record) })
  if (person_key === kept.person_key || kept.stage === 'closed') return undefined
  return findOpenLead(tx, { person_key, kind: kept.kind })
}

/** Whether both would be open with the same address. */
function haveOneAddress(other: LockedLead, kept: LockedLead, record: MergeRecord): boolean {
  const before = { ...kept, ...takenBack(kept, record) }
  if (record.stage === 'closed' || before.stage === 'closed') return false
  return addressColumns(before).person_key === other.person_key
}

/** A merge, with the ids of the other lead and of the leads that were merged into the other lead before. */
type MergeWithIds = Merge & { ids: number[] }

/** Gives the kept lead its own columns and steps back, unless they have changed since. Returns these columns. */
async function giveBack(
  tx: Transaction<Schema>,
  kept: LockedLead,
  merge: MergeWithIds,
  now: number,
): Promise<Partial<LockedLead>> {
  const { at, record } = merge
  const keepsTaken = record.taken.length > 0 && (await hasWrittenSince(tx, kept, merge))
  const columns = takenBack(kept, record, keepsTaken ? followUpColumns : [])
  await tx
    .updateTable('leads')
    .set({ ...columns, ...addressColumns({ ...kept, ...columns }), updated_at: now })
    .where('id', '=', kept.id)
    .execute()
  await takeLabels(tx, kept.id, record.labels)
  if (columns.stage === 'new') await reopen(tx, kept.id, at)
  if (!keepsTaken) await giveBackSteps(tx, kept.id, record)
  return columns
}

/**
 * Whether someone has written under an address of the kept lead since the merge. If so, what it took from the other
 * lead counts as theirs, too.
 */
async function hasWrittenSince(
  tx: Transaction<Schema>,
  kept: LockedLead,
  { entry, ids }: MergeWithIds,
): Promise<boolean> {
  const written = await tx
    .selectFrom('timeline')
    .select('id')
    .where('lead_id', '=', kept.id)
    .where('id', '>', entry)
    .where('kind', '=', 'submission')
    .where(eb => eb.or([eb('merged_from', 'is', null), eb('merged_from', 'not in', ids)]))
    .executeTakeFirst()
  return written !== undefined
}

/** Restores the steps. Steps that were done since stay, except on the tracks that the lead took from the other. */
async function giveBackSteps(
  tx: Transaction<Schema>,
  leadId: number,
  { stepsBefore, stepsAfter, taken }: MergeRecord,
): Promise<void> {
  if (sameSteps(stepsBefore, stepsAfter)) return
  if (sameSteps(await readSteps(tx, leadId), stepsAfter)) {
    await restoreSteps(tx, leadId, stepsBefore)
  } else if (taken.length > 0) {
    await tx
      .deleteFrom('tasks')
      .where('kind', '=', 'step')
      .where('subject', '=', leadId)
      .where('step', 'in', taken)
      .execute()
  }
}

/** Steps that were skipped meanwhile are due again. */
const reopen = async (tx: Transaction<Schema>, leadId: number, since: number): Promise<void> =>
  reopenSkipped(tx, leadId, await readCadenceOf(tx, leadId), since)

/** Gives the other lead its history and its follow-up back. */
async function moveBack(
  tx: Transaction<Schema>,
  other: LockedLead,
  kept: LockedLead,
  { at, entry, record, ids }: MergeWithIds,
  now: number,
): Promise<void> {
  const { stage, closedReason: closed_reason, unsent } = record
  // Someone who answered while the two were one has answered both.
  const waited = record.unansweredSince ?? Number.POSITIVE_INFINITY
  const waitsStill = kept.unanswered_since !== null && kept.unanswered_since <= waited
  const unanswered_since = waitsStill ? record.unansweredSince : null
  await tx
    .updateTable('leads')
    .set({ stage, closed_reason, unanswered_since, merged_into: null, updated_at: now })
    .where('id', '=', other.id)
    .execute()
  await tx
    .updateTable('timeline')
    .set({ lead_id: other.id, merged_from: sql`nullif(merged_from, ${other.id})` })
    .where('lead_id', '=', kept.id)
    .where('merged_from', 'in', ids)
    .execute()
  await addSince(tx, other, { merge: entry, waits: kept.unanswered_since !== null })
  if (stage === 'new' || unanswered_since !== null) await reopen(tx, other.id, at)
  // Someone who resumed the follow-up while the two were one has resumed both.
  if (stage !== 'closed' && other.paused_at !== null && kept.paused_at === null)
    await resumeIn(tx, other, undefined, now)
  await giveBackCallbacks(tx, { from: kept.id, to: other, ids: record.callbacks, now })
  if (unsent.length > 0)
    await tx
      .updateTable('tasks')
      .set({ ...BEGINS_AGAIN, due_at: 0 })
      .where('id', 'in', unsent)
      .where('state', '=', 'skipped')
      .where('note', '=', MERGED)
      .execute()
}

/** Gives the lead what its person sent from that address since the merge. */
async function addSince(
  tx: Transaction<Schema>,
  other: LockedLead,
  { merge, waits }: { merge: number; waits: boolean },
): Promise<void> {
  const rows = await tx
    .selectFrom('timeline as e')
    .leftJoin('submissions as s', 's.id', 'e.submission_id')
    .select(submissionColumns)
    .select(['e.kind as entry', 'e.at'])
    .where('e.lead_id', '=', other.id)
    .where('e.id', '>', merge)
    .where('e.kind', 'in', ['submission', 'reply'])
    .orderBy('e.id')
    .execute()
  const [first] = rows
  if (waits && first !== undefined)
    await tx
      .updateTable('leads')
      .set(eb => ({ unanswered_since: eb.fn.coalesce('unanswered_since', eb.val(first.at)) }))
      .where('id', '=', other.id)
      .execute()
  for (const row of rows) {
    if (row.entry === 'reply') {
      await tx.updateTable('leads').set({ replied_at: row.at }).where('id', '=', other.id).execute()
    } else if (row.id !== null) {
      const lead = await lockExactLead(tx, other.id)
      if (lead) await addOrigin(tx, lead, asSubmission(row as Parameters<typeof asSubmission>[0]))
    }
  }
}

/**
 * Records the unmerge with both leads, and notifies the owners of the leads in `gained`, who have one lead more.
 * Returns the entry of the other lead.
 */
async function recordUnmerge(
  tx: Transaction<Schema>,
  kept: LockedLead,
  other: LockedLead,
  { merge, gained }: { merge: number; gained: readonly LockedLead[] },
  { actor, now }: ActionContext,
): Promise<number | undefined> {
  await tx.updateTable('timeline').set({ undone_at: now }).where('id', '=', merge).execute()
  let entry: number | undefined
  for (const [lead, from] of [
    [kept, other],
    [other, kept],
  ] as const) {
    const detail = `Lead ${from.id}: ${from.first_name} ${from.last_name}, ${from.email ?? from.phone}`
    entry = await addEntry(tx, lead.id, { at: now, kind: 'unmerged', detail, actor })
    // If a lead had no counselor before the merge, it is the team's again.
    const owner = lead === other ? other.owner : null
    if (gained.includes(lead) && (owner === null || owner !== actor)) await addMail(tx, 'news', entry, { now })
  }
  return entry
}
