/**
 * Merging two leads of one person, and separating them again. The kept lead gets the history of the other. It continues
 * its own follow-up or, if it has none, the other's; otherwise, the other's stops. The other's row stays, so that the
 * merge can be undone exactly.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { stepAt, stepsOn, trackOf } from '../../follow-up/cadence.ts'
import { openSteps, tracksTaken } from '../../follow-up/merged-follow-ups.ts'
import type { Restart } from '../../follow-up/schedule.ts'
import { personKey } from '../../leads/body/person-key.ts'
import { fullName } from '../../leads/lead/lead.ts'
import { formerOwnerOf, type MergeObstacle, mergedLead, mergeObstacle } from '../../leads/lead/merging.ts'
import type { MergeRecord } from '../../leads/lead/timeline-entries.ts'
import { type ActionContext, type Changed, concludeChange, isStale } from '../actions/change-lead.ts'
import { copyLabels } from '../actions/lead-labels.ts'
import { renewWords } from '../actions/renew-words.ts'
import { readSteps } from '../follow-up/step-rows.ts'
import { addSteps, beginTrackAgain, type FollowUp, readFollowUp, restartSteps } from '../follow-up/steps.ts'
import { beginUnanswered } from '../follow-up/unanswered.ts'
import { moveCallbacks } from '../leads/callbacks.ts'
import { moveDrafts } from '../leads/drafts.ts'
import { renewLastActivity } from '../leads/last-activity.ts'
import { asLead, findExactLead, findOpenLead, type LockedLead, lockExactLead } from '../leads/leads.ts'
import { keyOf } from '../leads/merged-leads.ts'
import { addEntry } from '../leads/timeline.ts'
import { assignmentCopies } from '../outbox/mail-steps.ts'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { kindsAbout } from '../tables/task-kinds.ts'
import { hasNoClaim, NO_LEASE } from '../tasks/tasks.ts'
import { columnsOf, type Difference, differenceOf } from './merged-columns.ts'

export type MergeRequest = {
  /** The id of the lead that is merged into the one that is kept. */
  other: number
  /** The newest entry of its timeline that the person saw. Default: it does not matter. */
  seenOther?: number | undefined
  /** The tracks that restart if the merged lead follows this version of the cadence. */
  restarts?: MergeRestarts | undefined
}

/**
 * What restarts if either person still waits: the reminders, and the close of the lead. If the lead gets a counselor,
 * the reminders restart anyway.
 */
export type MergeRestarts = { cadenceId: number; tracks: readonly Restart[] }

/** `refused`: these two cannot be merged, for the reason in `why`. */
export type Merged = Changed | { outcome: 'refused'; why: MergeObstacle }

/**
 * Merges a lead into another. Automatic emails to the other stop, its history moves, and the owners get an email,
 * except an owner who did the merge. A team always gets one, since the other members may not know about it. `before`:
 * these two are merged already. `stale`: others changed one of them since the person saw it, or merged it with a third.
 */
export const mergeLeads = (db: Kysely<Schema>, id: number, request: MergeRequest & ActionContext): Promise<Merged> =>
  db.transaction().execute(tx => mergeIn(tx, id, request))

/** The follow-up that the kept lead would have after a merge; undefined if it has none, or they cannot be merged. */
export async function dryRunMerge(
  db: Kysely<Schema>,
  id: number,
  request: MergeRequest & ActionContext,
): Promise<FollowUp | undefined> {
  const merging = db.transaction().execute(async tx => {
    const { outcome } = await mergeIn(tx, id, request)
    throw new DryRun(outcome === 'done' ? await readFollowUp(tx, id) : undefined)
  })
  return merging.catch(error => {
    if (error instanceof DryRun) return error.followUp
    throw error
  })
}

/** Rolls back a merge that was made only to see its outcome, so that a dry run cannot differ from a real merge. */
class DryRun extends Error {
  override name = 'DryRun'
  readonly followUp: FollowUp | undefined

  constructor(followUp: FollowUp | undefined) {
    super()
    this.followUp = followUp
  }
}

async function mergeIn(
  tx: Transaction<Schema>,
  id: number,
  { other: otherId, seenOther, restarts, ...by }: MergeRequest & ActionContext,
): Promise<Merged> {
  const locked = await lockBoth(tx, id, otherId)
  if (locked === undefined) return { outcome: 'gone' }
  const { kept, other } = locked
  if (other.merged_into === id || kept.merged_into === otherId) return { outcome: 'before', lead: asLead(kept) }
  if (kept.merged_into !== null || other.merged_into !== null) return { outcome: 'stale', lead: asLead(kept) }
  const why = mergeObstacle(asLead(kept), asLead(other))
  if (why !== undefined) return { outcome: 'refused', why }
  const { actor, seen, audit } = by
  const stale = (await isStale(tx, id, { actor, seen })) || (await isStale(tx, otherId, { actor, seen: seenOther }))
  if (stale) return { outcome: 'stale', lead: asLead(kept) }
  if (await isAddressTaken(tx, kept, other)) return { outcome: 'refused', why: 'open lead' }
  // The other lead is closed first, since the kept lead may take its address: no two open leads have the same address.
  await closeOther(tx, kept, other, by.now)
  const change = await changeKept(tx, kept, other, restarts, by.now)
  const unsent = await stopOther(tx, kept, other, by.now)
  const labels = await copyLabels(tx, { from: otherId, to: id })
  const callbacks = await moveCallbacks(tx, { from: otherId, to: id })
  await moveDrafts(tx, { from: otherId, to: id })
  const entry = await recordMerge(tx, kept, other, { ...change, unsent, labels, callbacks }, by)
  await renewWords(tx, id)
  await renewLastActivity(tx, id)
  return concludeChange(tx, kept, { entry, audit })
}

/**
 * Locks both twice, so that no two transactions wait for each other: in the order of their keys, as filing does, then
 * in the order of their ids, as recording messages does.
 */
async function lockBoth(tx: Transaction<Schema>, keptId: number, otherId: number) {
  const [one, two] = [await findExactLead(tx, keptId), await findExactLead(tx, otherId)]
  if (one === undefined || two === undefined || keptId === otherId) return undefined
  const inOrder = [one, two].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  for (const { id } of inOrder) await lockExactLead(tx, id)
  const ids = [keptId, otherId]
  const rows = await tx.selectFrom('leads').selectAll().where('id', 'in', ids).orderBy('id').forUpdate().execute()
  const [kept, other] = ids.map(id => rows.find(row => row.id === id))
  return kept && other && { kept, other }
}

/** Whether the kept lead would get the address of a third lead that is open. */
async function isAddressTaken(tx: Transaction<Schema>, kept: LockedLead, other: LockedLead): Promise<boolean> {
  const merged = mergedLead(asLead(kept), asLead(other))
  const person_key = personKey(merged, merged.phoneE164)
  if (merged.stage === 'closed' || person_key === kept.person_key) return false
  return (await findOpenLead(tx, { person_key, kind: kept.kind }, other.id)) !== undefined
}

type Change = Difference & Pick<MergeRecord, 'stepsBefore' | 'stepsAfter' | 'taken'>

/** Updates the kept lead with the data that it gets from the other. */
async function changeKept(
  tx: Transaction<Schema>,
  kept: LockedLead,
  other: LockedLead,
  restarts: MergeRestarts | undefined,
  now: number,
): Promise<Change> {
  const merged = mergedLead(asLead(kept), asLead(other))
  await tx
    .updateTable('leads')
    .set({
      ...columnsOf(merged),
      heat: Math.max(kept.heat, other.heat),
      ...(merged.stage !== kept.stage && { stage_since: other.stage_since }),
      updated_at: now,
    })
    .where('id', '=', kept.id)
    .execute()
  const stepsBefore = await readSteps(tx, kept.id)
  const { cadenceId, taken } = await takeFollowUp(tx, kept, other, merged.pausedAt, now)
  const tracks = restarts?.cadenceId === cadenceId ? restarts.tracks : []
  const waits = merged.stage === 'new' && other.stage === 'new'
  if (waits) await restartSteps(tx, kept.id, tracks, now)
  // As after an assignment, a reminder follows even if someone gets the lead late.
  const staff = tracks.find(({ first }) => first.track === 'staff')
  if (merged.unansweredSince !== null) {
    const waiting = { reminders: staff, since: merged.unansweredSince, now }
    await beginUnanswered(tx, { ...kept, stage: merged.stage }, waiting)
  }
  if (merged.stage === 'new' && merged.owner !== kept.owner && staff !== undefined)
    await beginTrackAgain(tx, kept.id, staff, now)
  const after = await lockExactLead(tx, kept.id)
  return { ...differenceOf(kept, after ?? kept), stepsBefore, stepsAfter: await readSteps(tx, kept.id), taken }
}

/**
 * Gives the kept lead the other's open steps on tracks that the kept lead never began; if the kept lead has no
 * follow-up, all of the other's. What was sent stays with the other lead, where replies find it. Returns the version of
 * the cadence that the kept lead follows now, and the positions of the steps on the tracks that it took.
 */
async function takeFollowUp(
  tx: Transaction<Schema>,
  kept: LockedLead,
  other: LockedLead,
  pausedAt: number | null,
  now: number,
): Promise<{ cadenceId: number | null; taken: number[] }> {
  const theirs = other.stage === 'closed' ? undefined : await readFollowUp(tx, other.id)
  const tracks = tracksTaken(await readFollowUp(tx, kept.id), theirs)
  const hasNone = kept.cadence_id === null
  if (theirs === undefined || (tracks.length === 0 && !hasNone)) return { cadenceId: kept.cadence_id, taken: [] }
  const { cadence, cadenceId, since } = theirs
  if (hasNone) {
    // A pause from before the follow-up began does not postpone it.
    const paused_at = pausedAt && Math.max(pausedAt, since)
    const follows = { cadence_id: cadenceId, follow_up_since: since, paused_at }
    await tx.updateTable('leads').set(follows).where('id', '=', kept.id).execute()
  }
  const taken = tracks.flatMap(track => stepsOn(cadence, track))
  const steps = openSteps(theirs).filter(({ step }) => taken.includes(step))
  await addSteps(
    tx,
    kept.id,
    steps.map(({ step, dueAt }) => ({ step, dueAt, track: trackOf(stepAt(cadence, step)) })),
    now,
  )
  // If the cadence is new to the kept lead, all of its steps come from the other lead.
  return { cadenceId, taken: hasNone ? [...cadence.keys()] : taken }
}

/** Why an email was not sent. A message that a person wrote is still sent, to the kept lead's address. */
export const MERGED = 'merged with another lead of the same person'

/** Closes the other lead, which stops its follow-up. */
async function closeOther(tx: Transaction<Schema>, kept: LockedLead, other: LockedLead, now: number): Promise<void> {
  const closed = { stage: 'closed', closed_reason: 'duplicate', merged_into: kept.id, unanswered_since: null }
  await tx
    .updateTable('leads')
    .set({ ...closed, updated_at: now })
    .where('id', '=', other.id)
    .execute()
}

/** Moves the history of the other lead, and stops automatic emails to it that wait. Returns the ids of their tasks. */
async function stopOther(tx: Transaction<Schema>, kept: LockedLead, other: LockedLead, now: number): Promise<number[]> {
  const submissions = tx
    .selectFrom('timeline')
    .select('submission_id')
    .where('lead_id', '=', other.id)
    .where('kind', '=', sql.lit('submission'))
    .$castTo<{ submission_id: number }>()
  const stopped = await tx
    .updateTable('tasks')
    .set({ state: 'skipped', note: MERGED, finished_at: now, ...NO_LEASE })
    .where(eb =>
      eb.or([eb.and([eb('kind', 'in', kindsAbout('submission', { to: 'person' })), eb('subject', 'in', submissions)])]),
    )
    .where('state', '=', sql.lit('due'))
    .where(hasNoClaim(now))
    .returning('id')
    .execute()
  await tx
    .updateTable('timeline')
    .set(eb => ({ lead_id: kept.id, merged_from: eb.fn.coalesce('merged_from', eb.val(other.id)) }))
    .where('lead_id', '=', other.id)
    .execute()
  return stopped.map(({ id }) => id)
}

/** Returns the entry of the merge. */
async function recordMerge(
  tx: Transaction<Schema>,
  kept: LockedLead,
  other: LockedLead,
  change: Omit<MergeRecord, 'lead' | 'stage' | 'closedReason' | 'unansweredSince'>,
  { actor, now }: ActionContext,
): Promise<number> {
  const { id: lead, stage, closed_reason: closedReason, unanswered_since: unansweredSince } = other
  const was = { merge: { lead, stage, closedReason, unansweredSince, ...change } }
  const reach = [other.email, other.phone].filter(Boolean).join(', ')
  const detail = `Lead ${lead}: ${fullName(asLead(other))}, ${reach}`
  const entry = await addEntry(tx, kept.id, { at: now, kind: 'merged', detail, actor, was })
  const { owner } = mergedLead(asLead(kept), asLead(other))
  if (owner === null || owner !== actor) await addMail(tx, 'news', entry, { step: assignmentCopies.owner, now })
  const former = formerOwnerOf(asLead(kept), asLead(other))
  if (former === null || (former !== undefined && former !== actor))
    await addMail(tx, 'news', entry, { step: assignmentCopies.formerOwner, now })
  return entry
}
