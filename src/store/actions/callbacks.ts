/** Planning, moving and ending callbacks: promises to call. While one is open, a new lead's follow-up waits. */
import type { Kysely, Transaction } from 'kysely'
import { MINUTE } from '../../platform/time.ts'
import { type Callback, listCallbacks, moveCallbacks, renewCallbacks } from '../leads/callbacks.ts'
import { skipTasks } from '../leads/delete-leads.ts'
import type { LockedLead } from '../leads/leads.ts'
import { addEntry } from '../leads/timeline.ts'
import { addMails } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { BEGINS_AGAIN } from '../tasks/tasks.ts'
import { type ActionContext, type Changed, changeLead } from './change-lead.ts'
import { type Resumption, resumeIn } from './pause-and-resume.ts'

export type CallbackPlan = {
  /** The id of an open callback to move. Default: a new callback is planned. */
  callback?: number | undefined
  dueAt: number
  /** The id of a counselor, or `manager`; null for the counselor of the lead. Default: as before, or null. */
  assignee?: string | null | undefined
  /** What it is about. Default: as before, or empty. */
  words: string
  /** When the emails to the person who calls, to the backup and to the manager are due. */
  reminders: readonly number[]
  /** The moment in words, for the timeline. */
  moment: string
}

/** In milliseconds. Two callbacks this close together are one: someone pressed the button twice. */
const SAME_CALLBACK = 5 * MINUTE

/** Plans or moves a callback. `before`: nothing changed: it exists already, it has ended, or the lead is closed. */
export async function planCallback(
  db: Kysely<Schema>,
  id: number,
  plan: CallbackPlan & ActionContext,
): Promise<Changed> {
  return changeLead(db, { id, ...plan }, async (tx, lead) => {
    const planned = await planIn(tx, lead, plan)
    return planned === 'before' ? planned : planned.entry
  })
}

/** Does the same for a lead that is locked. Returns the callback, and the entry that says so. */
export async function planIn(
  tx: Transaction<Schema>,
  lead: LockedLead,
  { callback, dueAt, words, reminders, moment, actor, now, ...plan }: CallbackPlan & ActionContext,
): Promise<{ callback: number; entry: number } | 'before'> {
  if (lead.stage === 'closed') return 'before'
  const open = await listCallbacks(tx, lead.id)
  const moved = open.find(one => one.id === callback)
  if (callback !== undefined && moved === undefined) return 'before'
  const assignee = plan.assignee === lead.owner ? null : (plan.assignee ?? moved?.assignee ?? null)
  const same = (one: Callback) => one.assignee === assignee && Math.abs(one.dueAt - dueAt) < SAME_CALLBACK
  if (moved === undefined && open.some(same)) return 'before'
  const paused = open.some(one => one.pauses)
  const columns = { due_at: dueAt, assignee, words: words || (moved?.words ?? '') }
  // If someone has resumed the follow-up by hand, moving a callback does not pause it again.
  const pauses = paused || (moved === undefined && lead.stage === 'new' && lead.paused_at === null)
  const planned = moved?.id ?? (await addCallback(tx, { lead_id: lead.id, pauses: pauses ? 1 : 0, ...columns }))
  const was = { callback: planned, ...(moved && { movedFrom: asColumns(moved) }) }
  const detail = [moment, columns.words].filter(Boolean).join('\n')
  const entry = await addEntry(tx, lead.id, { at: now, kind: 'callback', detail, actor, was })
  await tx
    .updateTable('callbacks')
    .set({ ...columns, entry_id: entry })
    .where('id', '=', planned)
    .execute()
  if (moved) await stopReminders(tx, [moved.entry], now)
  const mails = reminders.map((dueAt, step) => ({ kind: 'news' as const, subject: entry, step, dueAt }))
  await addMails(tx, mails, now)
  if (pauses && lead.paused_at === null)
    await tx.updateTable('leads').set({ paused_at: now }).where('id', '=', lead.id).execute()
  await tx.updateTable('leads').set({ updated_at: now }).where('id', '=', lead.id).execute()
  await renewCallbacks(tx, lead.id)
  return { callback: planned, entry }
}

const asColumns = ({ dueAt, assignee, words, entry }: Callback) => ({ due_at: dueAt, assignee, words, entry_id: entry })

async function addCallback(
  tx: Transaction<Schema>,
  columns: { lead_id: number; due_at: number; assignee: string | null; words: string; pauses: 0 | 1 },
): Promise<number> {
  const { id } = await tx
    .insertInto('callbacks')
    .values({ ...columns, entry_id: 0, ended_at: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Ends one callback by hand, with words about it. `before`: it had already ended. */
export async function endCallback(
  db: Kysely<Schema>,
  id: number,
  { callback, words, resumption, ...by }: EndedByHand & ActionContext,
): Promise<Changed> {
  const { actor, now } = by
  return changeLead(db, { id, ...by }, async (tx, lead) => {
    const ended = await endCallbacks(tx, lead, one => one.id === callback, { resumption, now })
    if (ended.length === 0) return 'before'
    await tx.updateTable('leads').set({ updated_at: now }).where('id', '=', lead.id).execute()
    return addEntry(tx, lead.id, { at: now, kind: 'callback-ended', detail: words, actor, was: { callbacks: ended } })
  })
}

export type EndedByHand = {
  callback: number
  /** How it ended, and the note that someone added, if any. */
  words: string
} & Pick<Ending, 'resumption'>

type Ending = {
  /** How the follow-up continues if these callbacks have paused it. Default: as if it had not been paused. */
  resumption?: Resumption | undefined
  now: number
}

/**
 * Ends the open callbacks of a lead that `which` selects; the lead is locked. If one of them has paused the follow-up,
 * and none that stays open has, the follow-up resumes. Returns the ids of the callbacks that ended.
 */
export async function endCallbacks(
  tx: Transaction<Schema>,
  lead: LockedLead,
  which: (callback: Callback) => boolean,
  { resumption, now }: Ending,
): Promise<number[]> {
  if (lead.callback_at === null) return []
  const ended = (await listCallbacks(tx, lead.id)).filter(which)
  if (ended.length === 0) return []
  const ids = ended.map(({ id }) => id)
  await tx.updateTable('callbacks').set({ ended_at: now }).where('id', 'in', ids).execute()
  await stopReminders(
    tx,
    ended.map(({ entry }) => entry),
    now,
  )
  const open = await renewCallbacks(tx, lead.id)
  const goesOn = ended.some(({ pauses }) => pauses) && !open.some(({ pauses }) => pauses)
  if (goesOn && lead.paused_at !== null) await resumeIn(tx, lead, resumption, now)
  return ids
}

/** The note of emails about a callback that were not sent. */
const ENDED = 'the callback is done, or was moved'

const stopReminders = (tx: Transaction<Schema>, entries: readonly number[], now: number): Promise<void> =>
  skipTasks(
    tx,
    entries.map(subject => ({ kind: 'news' as const, subject })),
    { note: ENDED, now },
  )

/** Reopens these callbacks, with their reminders. */
export async function reopenCallbacks(tx: Transaction<Schema>, leadId: number, ids: readonly number[], now: number) {
  const reopened = await tx
    .updateTable('callbacks')
    .set({ ended_at: null })
    .where('id', 'in', [0, ...ids])
    .where('lead_id', '=', leadId)
    .returning(['entry_id', 'pauses'])
    .execute()
  for (const { entry_id, pauses } of reopened) {
    await remindAgain(tx, entry_id)
    if (pauses === 1)
      await tx
        .updateTable('leads')
        .set({ paused_at: now })
        .where('id', '=', leadId)
        .where('stage', '=', 'new')
        .where('paused_at', 'is', null)
        .execute()
  }
  await renewCallbacks(tx, leadId)
}

/**
 * Gives an unmerged lead, which is locked, its open callbacks back. If all callbacks that have paused its follow-up
 * have ended, the pause ends, too.
 */
export async function giveBackCallbacks(
  tx: Transaction<Schema>,
  { from, to, ids, now }: { from: number; to: LockedLead; ids: readonly number[]; now: number },
): Promise<void> {
  if (ids.length === 0) return
  const given = await moveCallbacks(tx, { from, to: to.id, only: ids })
  // A callback that was moved meanwhile was moved in the other lead's timeline; its emails are about that entry.
  const entries = tx
    .selectFrom('callbacks')
    .select('entry_id')
    .where('id', 'in', [0, ...given])
  await tx
    .updateTable('timeline')
    .set({ lead_id: to.id })
    .where('lead_id', '=', from)
    .where('id', 'in', entries)
    .execute()
  const pausing = await tx
    .selectFrom('callbacks')
    .select('ended_at')
    .where('id', 'in', ids)
    .where('pauses', '=', 1)
    .execute()
  const goesOn = pausing.length > 0 && pausing.every(({ ended_at }) => ended_at !== null)
  if (goesOn && to.paused_at !== null) await resumeIn(tx, to, undefined, now)
}

const remindAgain = (tx: Transaction<Schema>, entry: number) =>
  tx
    .updateTable('tasks')
    .set(BEGINS_AGAIN)
    .where('kind', '=', 'news')
    .where('subject', '=', entry)
    .where('state', '=', 'skipped')
    .where('note', '=', ENDED)
    .execute()

type Undone = {
  /** What the entry says about the callback. */
  callback: number
  movedFrom?: ReturnType<typeof asColumns> | undefined
}

/** Undoes the planning or moving of a callback that an entry records. Returns false if it is too late. */
export async function undoPlan(
  tx: Transaction<Schema>,
  lead: LockedLead,
  { callback, movedFrom, entry, ...ending }: Undone & Ending & { entry: number },
): Promise<boolean> {
  const [planned] = (await listCallbacks(tx, lead.id)).filter(one => one.id === callback && one.entry === entry)
  if (planned === undefined) return false
  if (movedFrom === undefined) {
    await endCallbacks(tx, lead, one => one.id === callback, ending)
    return true
  }
  await tx.updateTable('callbacks').set(movedFrom).where('id', '=', callback).execute()
  await stopReminders(tx, [entry], ending.now)
  await remindAgain(tx, movedFrom.entry_id)
  await renewCallbacks(tx, lead.id)
  return true
}
