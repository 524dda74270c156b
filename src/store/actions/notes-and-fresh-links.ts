/** Notes that the staff write on a lead, and the request for fresh links to it. */
import type { Kysely } from 'kysely'
import { MINUTE } from '../../platform/time.ts'
import { addEntry, countEntries, pressedTwice } from '../leads/timeline.ts'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'
import { type ActionContext, type Changed, changeLead } from './change-lead.ts'

/** In milliseconds: a button pressed twice within this time is one note. */
const SAME_NOTE = 5 * MINUTE

/** `forOwner`: the counselor of the lead gets an email about it. */
export async function addNote(
  db: Kysely<Schema>,
  id: number,
  { text, forOwner = false, ...by }: { text: string; forOwner?: boolean | undefined } & ActionContext,
): Promise<Changed> {
  const { actor, now } = by
  return changeLead(db, { id, ...by }, async (tx, lead) => {
    const same = { kind: 'note', actor, detail: text, ...pressedTwice(now, SAME_NOTE) } as const
    if ((await countEntries(tx, lead.id, same)) > 0) return 'before'
    const entry = await addEntry(tx, lead.id, { at: now, kind: 'note', detail: text, actor })
    if (forOwner) await addMail(tx, 'news', entry, { now })
    return entry
  })
}

/** A further request for fresh links within this time, in milliseconds, changes nothing. */
const FRESH_LINK_TIME = 10 * MINUTE

/** Requests an email with fresh links for the counselor, manager or team that acts. */
export async function requestFreshLink(db: Kysely<Schema>, id: number, by: ActionContext): Promise<Changed> {
  const { actor, now } = by
  return changeLead(db, { id, ...by }, async (tx, lead) => {
    const recent = { kind: 'fresh-link', actor, ...pressedTwice(now, FRESH_LINK_TIME) } as const
    if ((await countEntries(tx, lead.id, recent)) > 0) return 'before'
    const entry = await addEntry(tx, lead.id, { at: now, kind: 'fresh-link', actor })
    await addMail(tx, 'news', entry, { now })
    return entry
  })
}
