/**
 * People who wrote again or replied, and have no answer yet. Until someone answers, the staff is reminded as for a new
 * inquiry, whatever the stage of the lead.
 */
import { type Expression, type Kysely, sql, type Transaction } from 'kysely'
import { stepsOn } from '../../follow-up/cadence.ts'
import type { Restart } from '../../follow-up/schedule.ts'
import { callIn } from '../../leads/lead/call-outcomes.ts'
import type { TimelineEntry } from '../../leads/lead/timeline-entries.ts'
import { DAY } from '../../platform/time.ts'
import { asEntry } from '../leads/entry-row.ts'
import type { LockedLead } from '../leads/leads.ts'
import type { Schema } from '../tables/schema.ts'
import { hasNoClaim, NO_LEASE } from '../tasks/tasks.ts'
import { readCadenceOf } from './cadence-versions.ts'
import { beginTrackAgain, reopenSkipped, restartSteps } from './steps.ts'

/**
 * An email that will be sent within this time, in milliseconds, counts as an answer as soon as it is written, such as
 * on a Friday for Monday. A later one counts when it is sent; until then, the person waits.
 */
export const ANSWERS_WITHIN = 3 * DAY

/** More people than will ever wait for an answer at the same time. */
const MOST_WAITING = 10_000

/** The leads of one owner whose people wait for an answer. Starts with all that wait, not with all of the owner's. */
export const waitingOf = (db: Kysely<Schema>, owner: string) =>
  db
    .selectFrom(
      db
        .selectFrom('leads')
        .select(['id', 'owner', 'stage', 'merged_into', 'unanswered_since'])
        .where('unanswered_since', 'is not', null)
        .orderBy('unanswered_since')
        .limit(MOST_WAITING)
        .as('waiting'),
    )
    .where('owner', '=', owner)
    .where('merged_into', 'is', null)

/** Which of these leads are closed. */
export const closedWaitingOf = (db: Kysely<Schema>, owner: string) => waitingOf(db, owner).where('stage', '=', 'closed')

type UnansweredLead = Pick<LockedLead, 'id' | 'stage' | 'paused_at' | 'unanswered_since'>

/**
 * Records that the person of a lead, which is locked, has written and waits for an answer. The reminders start again.
 * But if the person was already waiting, reminders under way continue, so that no one can postpone them by writing
 * every ten minutes. `reminders`: undefined if the cadence has none. `since`: default now.
 */
export async function beginUnanswered(
  tx: Transaction<Schema>,
  { id, stage, paused_at, unanswered_since }: UnansweredLead,
  { reminders, since, now }: { reminders: Restart | undefined; since?: number; now: number },
): Promise<void> {
  if (unanswered_since === null) await setUnanswered(tx, id, since ?? now)
  if (reminders === undefined) return
  const waits = unanswered_since !== null || (stage === 'new' && paused_at === null)
  if (waits) await restartSteps(tx, id, [reminders], now)
  else await beginTrackAgain(tx, id, reminders, now)
}

const openSteps = (tx: Transaction<Schema>, leadId: number, steps: readonly number[]) =>
  tx
    .selectFrom('tasks')
    .where('kind', '=', sql.lit('step'))
    .where('subject', '=', leadId)
    .where('step', 'in', steps)
    .where('state', '=', sql.lit('due'))

const setUnanswered = (db: Kysely<Schema>, id: number, since: number | null) =>
  db.updateTable('leads').set({ unanswered_since: since }).where('id', '=', id).execute()

/**
 * Records that someone has answered the person of a lead, which is locked, or that no answer is needed. Returns what
 * the timeline entry must store so that this can be undone.
 */
export async function endUnanswered(
  tx: Transaction<Schema>,
  { id, unanswered_since }: Pick<LockedLead, 'id' | 'unanswered_since'>,
): Promise<{ unansweredSince?: number }> {
  if (unanswered_since === null) return {}
  await setUnanswered(tx, id, null)
  return { unansweredSince: unanswered_since }
}

/**
 * Records that an email was sent that someone had written earlier, as the entry `writtenAs`. It answers what the person
 * of the lead, which is locked, had written by then. If they have written since, they wait for an answer to that.
 */
export async function answerEarlier(
  tx: Transaction<Schema>,
  { id, stage, unanswered_since }: Pick<LockedLead, 'id' | 'stage' | 'unanswered_since'>,
  writtenAs: number,
  now: number,
): Promise<void> {
  if (unanswered_since === null) return
  const next = await wroteAfter(tx, id, writtenAs)
  await setUnanswered(tx, id, next === undefined ? null : Math.max(next, unanswered_since))
  if (next === undefined && stage === 'new') await stopReminders(tx, id, now)
}

/**
 * A locked lead that was unmerged: since an entry of the timeline, it waited for answers to both leads' messages. Now
 * it has only its own person's messages, and waits for an answer to those.
 */
export async function waitForOwn(tx: Transaction<Schema>, leadId: number, since: number): Promise<void> {
  await setUnanswered(tx, leadId, (await wroteAfter(tx, leadId, since)) ?? null)
}

/** When the person of a lead first wrote after an entry of its timeline; undefined if they have not. */
async function wroteAfter(tx: Transaction<Schema>, leadId: number, entry: number): Promise<number | undefined> {
  const first = await tx
    .selectFrom('timeline')
    .select('at')
    .where('lead_id', '=', leadId)
    .where('id', '>', entry)
    .where('kind', 'in', ['submission', 'reply'])
    // The person did not write what staff entered.
    .where('actor', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return first?.at
}

/**
 * Stops the reminders about a lead that stays new although someone has answered. The rest of its follow-up continues.
 */
export async function stopReminders(tx: Transaction<Schema>, leadId: number, now: number): Promise<void> {
  const steps = stepsOn(await readCadenceOf(tx, leadId), 'staff')
  if (steps.length === 0) return
  await tx
    .updateTable('tasks')
    .set({ state: 'skipped', note: 'someone has answered', finished_at: now, ...NO_LEASE })
    .where('id', 'in', openSteps(tx, leadId, steps).select('id').where(hasNoClaim(now)))
    .execute()
}

/**
 * Undoes an answer to the person of a lead, which is locked; `ended` is the entry that recorded the answer. The person
 * waits as before, and the reminders that were skipped since then are due again, unless there is a later answer, or an
 * email that someone had written before was sent meanwhile and has answered what the person had written by then.
 */
export async function resumeUnanswered(
  tx: Transaction<Schema>,
  { id, unanswered_since }: Pick<LockedLead, 'id' | 'unanswered_since'>,
  since: number,
  ended: Pick<TimelineEntry, 'id' | 'at'>,
): Promise<void> {
  if (await isAnsweredAfter(tx, id, ended.id)) return
  const sent = await sentMeanwhile(tx, id, ended)
  const next = sent === undefined ? since : await wroteAfter(tx, id, sent)
  if (next === undefined) return
  const from = Math.max(next, since)
  await setUnanswered(tx, id, Math.min(from, unanswered_since ?? from))
  await reopenSkipped(tx, id, await readCadenceOf(tx, id), ended.at, ['staff'])
}

/** The newest email to the person that was written before an entry and sent after it; undefined if there is none. */
async function sentMeanwhile(
  tx: Transaction<Schema>,
  leadId: number,
  { id, at }: Pick<TimelineEntry, 'id' | 'at'>,
): Promise<number | undefined> {
  const found = await tx
    .selectFrom('timeline as e')
    .innerJoin('tasks as t', 't.subject', 'e.id')
    .select('e.id')
    .where('e.lead_id', '=', leadId)
    .where('e.kind', '=', sql.lit('message'))
    .where('e.id', '<', id)
    .where('t.kind', '=', sql.lit('message'))
    .where('t.state', '=', sql.lit('done'))
    .where('t.finished_at', '>=', at)
    .orderBy('e.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.id
}

async function isAnsweredAfter(tx: Transaction<Schema>, leadId: number, entryId: number): Promise<boolean> {
  const rows = await tx
    .selectFrom('timeline')
    .selectAll()
    .where('lead_id', '=', leadId)
    .where('id', '>', entryId)
    .where('kind', 'in', ['attempt', 'stage', 'copy', 'no-answer-needed', 'message'])
    .where('undone_at', 'is', null)
    .where(eb => eb.not(eb.exists(unsent(eb.ref('timeline.id')))))
    .execute()
  return rows.map(asEntry).some(isAnswer)

  function unsent(message: Expression<number>) {
    const tooLate = sql<number>`${sql.ref('timeline.at')} + ${sql.lit(ANSWERS_WITHIN)}`
    return tx
      .selectFrom('tasks')
      .select('tasks.id')
      .where('tasks.kind', '=', sql.lit('message'))
      .where('tasks.subject', '=', message)
      .where(eb =>
        eb.or([
          eb('tasks.state', 'in', ['skipped', 'dead']),
          eb.and([eb('tasks.state', '=', sql.lit('due')), eb('tasks.due_at', '>', tooLate)]),
        ]),
      )
  }
}

/** Of entries whose kind can be an answer: whether this one is, or says that the person needs no answer. */
function isAnswer({ kind, detail, was }: TimelineEntry): boolean {
  if (kind === 'attempt') return callIn(detail).outcome === 'reached'
  return kind !== 'stage' || was?.stage === 'new' || detail.startsWith('closed')
}
