/** Undoing what someone on the staff did a moment ago. */
import type { Kysely, Transaction } from 'kysely'
import { callIn } from '../../leads/lead/call-outcomes.ts'
import { THE_TEAM } from '../../leads/lead/timeline-details.ts'
import type { TimelineEntry, Was } from '../../leads/lead/timeline-entries.ts'
import { CHANGES, canUndo } from '../../leads/lead/undo-window.ts'
import { readCadenceOf } from '../follow-up/cadence-versions.ts'
import { beginTrackAgain, reopenSkipped } from '../follow-up/steps.ts'
import { resumeUnanswered } from '../follow-up/unanswered.ts'
import { renewLastActivity } from '../leads/last-activity.ts'
import { addressColumns, hasOpenLead, type LockedLead } from '../leads/leads.ts'
import { addEntry, readEntry, readLatestEntry } from '../leads/timeline.ts'
import type { Schema } from '../tables/schema.ts'
import { type Assignment, addAssignmentMail } from './assign-lead.ts'
import { endCallbacks, reopenCallbacks } from './callbacks.ts'
import { type ActionContext, type Changed, changeLead } from './change-lead.ts'
import { renewWords } from './renew-words.ts'
import { indexConsent } from './withdraw-consent.ts'

/** The entry of a lead's timeline that can be undone now; undefined if there is none. */
export async function readUndoable(
  db: Kysely<Schema>,
  leadId: number,
  now: number,
  within?: number,
): Promise<TimelineEntry | undefined> {
  const last = await readLatestEntry(db, leadId, CHANGES, { standing: true })
  return last && canUndo(last, now, within) ? last : undefined
}

/**
 * Undoes the action that an entry of a timeline records, and records the undo. The lead is then as it was before. After
 * a stage is undone, the steps that were skipped meanwhile are due again; after an assignment is undone, everyone who
 * got an email about it gets another. `before`: it is too late, or it was already undone. `gone`: the lead does not
 * exist.
 */
export async function undoAction(
  db: Kysely<Schema>,
  entryId: number,
  { restart, away, audit, actor, now }: Pick<Assignment, 'restart' | 'away'> & ActionContext,
): Promise<Changed> {
  const known = await readEntry(db, entryId)
  if (known === undefined) return { outcome: 'gone' }
  return changeLead(db, { id: known.leadId, audit }, (tx, lead) =>
    undoEntry(tx, lead, { entryId, restart, away, actor, now }),
  )
}

/** Does the same for a locked lead; returns the id of the entry that says so. `within`: how long it can be undone. */
export async function undoEntry(
  tx: Transaction<Schema>,
  lead: LockedLead,
  {
    entryId,
    restart,
    away,
    actor,
    now,
    within,
  }: { entryId: number; within?: number } & Pick<Assignment, 'restart' | 'away'> & Pick<ActionContext, 'actor' | 'now'>,
): Promise<number | 'before'> {
  const entry = await readUndoable(tx, lead.id, now, within)
  if (entry?.id !== entryId || entry.was === null) return 'before'
  // Someone who wrote again after their lead was closed has a new one.
  const opens = lead.stage === 'closed' && (entry.was.stage ?? 'closed') !== 'closed'
  if (opens && (await hasOpenLead(tx, lead))) return 'before'
  const contact = contactBefore(lead, entry.was)
  if (await personIsTaken(tx, lead, contact)) return 'before'
  await tx
    .updateTable('leads')
    .set({
      ...columnsOf(entry.was),
      ...contact,
      ...languageBefore(entry, lead),
      ...consentBefore(entry, lead),
      ...(contact && { corrected_at: now }),
      updated_at: now,
    })
    .where('id', '=', lead.id)
    .execute()
  await tx.updateTable('timeline').set({ undone_at: now }).where('id', '=', entryId).execute()
  await renewLastActivity(tx, lead.id)
  const consent = consentBefore(entry, lead)?.consent
  if (consent) await indexConsent(tx, lead.id, consent)
  if (entry.was.language !== undefined) await renewWords(tx, lead.id)
  const undone = await addEntry(tx, lead.id, { at: now, kind: 'undone', ...undoneBy(entry, lead), actor })
  if (entry.kind === 'stage' && entry.was.stage === 'new')
    await reopenSkipped(tx, lead.id, await readCadenceOf(tx, lead.id), entry.at)
  const { callbacks = [], callback, unansweredSince } = entry.was
  if (unansweredSince !== undefined) await resumeUnanswered(tx, lead, unansweredSince, entry)
  if (callback !== undefined) await endCallbacks(tx, lead, one => one.id === callback, { now })
  if (callbacks.length > 0) await reopenCallbacks(tx, lead.id, callbacks, now)
  if (entry.kind === 'assigned') {
    const owner = entry.was.owner ?? null
    await addAssignmentMail(tx, undone, { owner, from: lead.owner, away, actor, now })
    if (restart && (lead.stage === 'new' || lead.unanswered_since !== null))
      await beginTrackAgain(tx, lead.id, restart, now)
  }
  return undone
}

/** The contact data before a correction, as columns; undefined if it did not change. */
function contactBefore(lead: LockedLead, { email = lead.email, ...was }: Was) {
  if (email === lead.email && was.phone === undefined) return undefined
  const { phone, phone_e164, latest_phone } = lead
  const numbers =
    was.phone === undefined
      ? { phone, phone_e164, latest_phone }
      : { phone: was.phone, phone_e164: was.phoneE164 ?? null, latest_phone: was.latestPhone ?? null }
  return { ...numbers, ...addressColumns({ email, ...numbers }) }
}

/** Someone may have written from the old address of a lead since it was corrected. */
async function personIsTaken(
  tx: Transaction<Schema>,
  { person_key, kind, stage }: LockedLead,
  contact: ReturnType<typeof contactBefore>,
): Promise<boolean> {
  if (contact === undefined || contact.person_key === person_key || stage === 'closed') return false
  return hasOpenLead(tx, { person_key: contact.person_key, kind })
}

/** The entry that says what was undone, with the owner who loses the lead, or the address. */
function undoneBy({ kind, detail, was }: TimelineEntry, lead: LockedLead): { detail: string; was?: Was } {
  if (kind === 'stage') return { detail: `stage: ${was?.stage}` }
  if (kind === 'corrected') return { detail: 'corrected: ', was: was?.email === undefined ? {} : { email: lead.email } }
  if (kind === 'attempt') return { detail: `${kind}: ${callIn(detail).outcome}` }
  if (kind === 'withdrawn') return { detail: `${kind}: ` }
  return { detail: `assigned: ${was?.owner ?? THE_TEAM}`, was: { owner: lead.owner } }
}

const columnsOf = ({ owner, stage, closedReason, stageSince, firstAttemptAt, firstContactAt, wrongPhone }: Was) => ({
  ...(owner !== undefined && { owner }),
  ...(stage !== undefined && { stage }),
  ...(closedReason !== undefined && { closed_reason: closedReason }),
  ...(stageSince !== undefined && { stage_since: stageSince }),
  ...(firstAttemptAt !== undefined && { first_attempt_at: firstAttemptAt }),
  ...(firstContactAt !== undefined && { first_contact_at: firstContactAt }),
  ...(wrongPhone !== undefined && { wrong_phone: wrongPhone }),
})

/** The language to go back to; undefined if the person has sent a form since, whose language then applies. */
const languageBefore = ({ at, was }: TimelineEntry, lead: LockedLead) =>
  was?.language !== undefined &&
  lead.language_at === at && { language: was.language, language_at: was.languageAt ?? null }

/** The consent to calls to go back to; undefined if the person has answered in a form since. */
const consentBefore = ({ at, was }: TimelineEntry, lead: LockedLead) =>
  was?.consent !== undefined && lead.consent_at === at
    ? { consent: was.consent, consent_at: was.consentAt ?? null }
    : undefined
