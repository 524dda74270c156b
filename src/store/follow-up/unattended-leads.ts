/**
 * Queries on leads that no one looks after: no one has tried to reach them, they are about to be closed, they wait,
 * they wrote back, or a promised call is overdue.
 */
import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import type { Morning } from '../../follow-up/school-mornings.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { asLead } from '../leads/leads.ts'
import { wasTried } from '../leads/tried-to-reach.ts'
import { stepOfTeam } from '../outbox/mail-steps.ts'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'

/** Schedules the mail about unattended leads of a kind for a morning, once, even if this is called again. */
export const addUnattendedMail = (
  db: Kysely<Schema>,
  { kind, morning, now }: { kind: Kind; morning: Morning; now: number },
): Promise<void> =>
  addMail(db, 'unattended', morning.day, { step: stepOfTeam('unattended', kind), dueAt: morning.at, now })

/** The leads with the longest waits, up to a limit, and how many there are in all. */
export type UnattendedList = { leads: { lead: Lead; closingAt: number | null }[]; total: number }

export type Unattended = {
  /** No one has tried to reach them, and they are about to be closed. */
  closing: UnattendedList
  /** They were closed since the last such mail, and no one ever tried. */
  closed: UnattendedList
  /** They wrote back, whatever their stage, and no one has answered. */
  unanswered: UnattendedList
  /** They were promised a call, whatever their stage, and no one has recorded it. */
  promised: UnattendedList
  /** No one has tried for a week, or they replied, or no more reminders come, perhaps because of a long pause. */
  waiting: UnattendedList
}

/**
 * What the mail about unattended leads of a kind lists. Someone whose first inquiry came by `waitingSince` counts as
 * waiting. Someone who wrote back before `unansweredSince` has waited too long for an answer, and someone whose call
 * was promised for before then has waited too long for it.
 */
export async function readUnattended(
  db: Kysely<Schema>,
  {
    kind,
    waitingSince,
    unansweredSince,
    limit,
  }: { kind: Kind; waitingSince: number; unansweredSince: number; limit: number },
): Promise<Unattended> {
  const leads = db.selectFrom('leads').where('kind', '=', kind)
  const closed = leads
    .where('closed_reason', '=', sql.lit('never contacted'))
    .where('updated_at', '>', await lastMailAt(db, kind))
  const waiting = leads
    .where('stage', '=', sql.lit('new'))
    .where('created_at', '<', waitingSince)
    .where('unanswered_since', 'is', null)
    .where(eb => eb.or([eb.and([eb('paused_at', 'is', null), isNotLookedAfter(eb)]), isLeftPaused(waitingSince)(eb)]))
    .where(eb => eb.not(isAboutToClose(eb)))
    .where(eb => eb.or([eb('callback_at', 'is', null), eb('callback_at', '>=', unansweredSince)]))
  const overdue = db
    .selectFrom('callbacks')
    .select('lead_id')
    .where('ended_at', 'is', null)
    .where('due_at', '<', unansweredSince)
  const promised = leads.where('id', 'in', overdue).where('unanswered_since', 'is', null)
  return {
    closing: await listOf(leads.where(isAboutToClose), 'created_at', limit),
    closed: await listOf(closed, 'updated_at', limit),
    unanswered: await listOf(leads.where('unanswered_since', '<', unansweredSince), 'unanswered_since', limit),
    promised: await listOf(promised, 'callback_at', limit),
    waiting: await listOf(waiting, 'created_at', limit),
  }
}

type Condition = (eb: ExpressionBuilder<Schema, 'leads'>) => Expression<SqlBool>

/** No one has tried to reach them, and someone was warned that they are about to be closed. */
export const isAboutToClose: Condition = eb =>
  eb.and([
    eb('closing_at', 'is not', null),
    eb('stage', '=', sql.lit<'new'>('new')),
    eb('paused_at', 'is', null),
    eb('replied_at', 'is', null),
    eb('unanswered_since', 'is', null),
    eb.not(wasTried(eb)),
  ])

/** No one has tried to reach them, or they replied, or no more reminders come. */
const isNotLookedAfter: Condition = eb =>
  eb.or([
    eb.not(wasTried(eb)),
    eb('replied_at', 'is not', null),
    eb.not(
      eb.exists(
        eb
          .selectFrom('tasks')
          .select('tasks.id')
          .where('tasks.kind', '=', sql.lit('step'))
          .whereRef('tasks.subject', '=', 'leads.id')
          .where('tasks.state', '=', sql.lit('due'))
          .where('tasks.lane', '=', 'follow-up'),
      ),
    ),
  ])

/** Someone paused the follow-up so long ago that they may have forgotten it. A promised call has its own reminders. */
const isLeftPaused =
  (since: number): Condition =>
  eb =>
    eb.and([eb('paused_at', '<', since), eb('callback_at', 'is', null)])

/** When the last mail about leads of this kind went out; 0 if none did. */
async function lastMailAt(db: Kysely<Schema>, kind: Kind): Promise<number> {
  const last = await db
    .selectFrom('tasks')
    .select(eb => eb.fn.max('finished_at').as('at'))
    .where('kind', '=', 'unattended')
    .where('step', '=', stepOfTeam('unattended', kind))
    .where('state', '=', sql.lit('done'))
    .executeTakeFirst()
  return last?.at ?? 0
}

async function listOf(
  query: SelectQueryBuilder<Schema, 'leads', object>,
  order: 'created_at' | 'updated_at' | 'unanswered_since' | 'callback_at',
  limit: number,
): Promise<UnattendedList> {
  const rows = await query.selectAll('leads').orderBy(order).limit(limit).execute()
  const { total } =
    rows.length < limit
      ? { total: rows.length }
      : await query.select(eb => eb.fn.countAll<number | string>().as('total')).executeTakeFirstOrThrow()
  return { leads: rows.map(row => ({ lead: asLead(row), closingAt: row.closing_at })), total: Number(total) }
}
