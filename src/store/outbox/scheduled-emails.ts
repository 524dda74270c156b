/** Emails that someone has written and that wait to be sent: for their time, or for the mail server. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../tables/schema.ts'

/** The tasks (t) and entries (e) of one author's scheduled emails. `actor`: the author as the timeline names them. */
export const scheduledEmailsOf = (db: Kysely<Schema>, actor: string) =>
  db
    .selectFrom('tasks as t')
    .innerJoin('timeline as e', 'e.id', 't.subject')
    .where('t.lane', '=', sql.lit('messages'))
    .where('t.state', '=', sql.lit('due'))
    .where('e.actor', '=', actor)
