/** Messages that were not sent, until their authors acknowledge that, and messages that are still tried. */
import { type Kysely, sql } from 'kysely'
import { HOUR } from '../../platform/time.ts'
import type { Schema } from '../tables/schema.ts'
import { AGAIN_AND_AGAIN } from '../tasks/again-and-again.ts'

/** A message that was not sent, and why. `since`: when it was first tried, if it is still tried; otherwise null. */
export type UnsentMessage = {
  task: number
  leadId: number
  name: string
  subject: string
  note: string
  since: number | null
}

/** Its author reads that a message still waits once it has been tried for this long, in milliseconds. */
const WAITS_LONG = HOUR

/**
 * The messages of an author that were not sent: those that have been tried for an hour; then, unless the author has
 * acknowledged it, the skipped ones, and those that were given up. Each group begins with the newest.
 */
export async function listUnsentMessages(
  db: Kysely<Schema>,
  { actor, now }: { actor: string; now: number },
): Promise<UnsentMessage[]> {
  // Each state has an index of its own.
  const queries = (['due', 'skipped', 'dead'] as const).map(state =>
    db
      .selectFrom('tasks as t')
      .innerJoin('timeline as e', 'e.id', 't.subject')
      .innerJoin('leads as l', 'l.id', 'e.lead_id')
      .select(['t.id', 't.note', 't.begun_at', 'e.lead_id', 'e.mail', 'l.first_name', 'l.last_name'])
      .where('t.lane', '=', sql.lit('messages'))
      .where('t.state', '=', sql.lit(state))
      .where('t.acknowledged_at', 'is', null)
      .$if(state === 'due', due =>
        due.where('t.attempts', '>=', AGAIN_AND_AGAIN).where('t.begun_at', '<=', now - WAITS_LONG),
      )
      .where('e.actor', '=', actor)
      .where('e.undone_at', 'is', null)
      .orderBy('t.id', 'desc')
      .limit(MOST_UNSENT)
      .execute()
      .then(rows => rows.map(row => ({ ...row, since: state === 'due' ? row.begun_at : null }))),
  )
  const rows = (await Promise.all(queries)).flat()
  return rows.map(row => ({
    task: row.id,
    leadId: row.lead_id,
    name: `${row.first_name} ${row.last_name}`,
    subject: JSON.parse(row.mail ?? '{}').subject ?? '',
    note: row.note ?? '',
    since: row.since,
  }))
}

const MOST_UNSENT = 20
