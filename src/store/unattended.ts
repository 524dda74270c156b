/** Queries on leads that no one looks after: who was never tried, who is about to be closed, who waits. */
import { type Kysely, sql } from 'kysely'
import type { Morning } from '../follow-up/last-call.ts'
import type { Lead } from '../leads/lead.ts'
import type { Kind } from '../leads/submission.ts'
import { asLead } from './leads.ts'
import { stepOfUnattended } from './mail-steps.ts'
import { addMail } from './outbox.ts'
import type { Schema } from './schema.ts'
import { wasTried } from './tried.ts'

/** Schedules the mail about unattended leads of a kind for a morning, once, however often it is asked for. */
export const addUnattendedMail = (
  db: Kysely<Schema>,
  { kind, morning, now }: { kind: Kind; morning: Morning; now: number },
): Promise<void> =>
  addMail(db, 'unattended', morning.day, { step: stepOfUnattended(kind), dueAt: morning.at, now })

export type UnattendedLead = { lead: Lead; closingAt: number | null }

/** Leads that no one looks after, the longest wait first, up to a limit each. */
export type Unattended = {
  /** No one has tried to reach them, and they are about to be closed. */
  closing: UnattendedLead[]
  /** They were closed since the last such mail, and no one ever tried. */
  closed: UnattendedLead[]
  /** No one has tried for a week, or they replied, or nothing reminds of them any more. */
  waiting: UnattendedLead[]
}

/** What the mail about unattended leads of a kind lists; `waitingSince` is the latest first inquiry that counts. */
export async function readUnattended(
  db: Kysely<Schema>,
  { kind, waitingSince, limit }: { kind: Kind; waitingSince: number; limit: number },
): Promise<Unattended> {
  const last = await db
    .selectFrom('tasks')
    .select(eb => eb.fn.max('finished_at').as('at'))
    .where('kind', '=', 'unattended')
    .where('step', '=', stepOfUnattended(kind))
    .where('state', '=', sql.lit('done'))
    .executeTakeFirst()
  const closing = await db
    .selectFrom('leads')
    .selectAll('leads')
    .where('kind', '=', kind)
    .where('closing_at', 'is not', null)
    .where('stage', '=', 'new')
    .where('paused_at', 'is', null)
    .where('replied_at', 'is', null)
    .where(eb => eb.not(wasTried(eb)))
    .orderBy('created_at')
    .limit(limit)
    .execute()
  const closed = await db
    .selectFrom('leads')
    .selectAll('leads')
    .where('kind', '=', kind)
    .where('closed_reason', '=', sql.lit('never contacted'))
    .where('updated_at', '>', last?.at ?? 0)
    .orderBy('updated_at')
    .limit(limit)
    .execute()
  const known = closing.map(({ id }) => id)
  const waiting = await db
    .selectFrom('leads')
    .selectAll('leads')
    .where('kind', '=', kind)
    .where('stage', '=', sql.lit('new'))
    .where('created_at', '<', waitingSince)
    .where('paused_at', 'is', null)
    .where(eb =>
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
      ]),
    )
    .$if(known.length > 0, query => query.where('id', 'not in', known))
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return {
    closing: closing.map(row => ({ lead: asLead(row), closingAt: row.closing_at })),
    closed: closed.map(row => ({ lead: asLead(row), closingAt: null })),
    waiting: waiting.map(row => ({ lead: asLead(row), closingAt: null })),
  }
}
