/** Queries on mail to the watched mailbox that is about no lead: it waits here until it is forwarded. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Morning } from '../follow-up/last-call.ts'
import type { AttachedFile } from '../leads/timeline.ts'
import { DAY } from '../platform/time.ts'
import { addMail } from './outbox.ts'
import type { Schema } from './schema.ts'

export type StrayMail = {
  sender: string
  subject: string
  text: string
  attachments: AttachedFile[]
}

/** Up to this many are forwarded one by one in a day; the others are listed in one email. */
const MOST_FORWARDED = 20

/** Stores a mail and schedules its forwarding: at once, or, beyond the daily limit, in a list of the next morning. */
export async function addStray(
  tx: Transaction<Schema>,
  { attachments, ...mail }: StrayMail,
  { morning, now }: { morning: Morning; now: number },
): Promise<void> {
  const listed = (await countStrays(tx, now)).lastDay >= MOST_FORWARDED
  const { id } = await tx
    .insertInto('stray_mail')
    .values({
      ...mail,
      attachments: JSON.stringify(attachments),
      received_at: now,
      listed_on: listed ? morning.day : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (listed) await addMail(tx, 'strays', morning.day, { dueAt: morning.at, now })
  else await addMail(tx, 'forward', id, { now })
}

/** One mail that is to be forwarded, or those to list on a day (yyyymmdd), oldest first, at most `limit`. */
export async function readStrays(
  db: Kysely<Schema>,
  which: ({ id: number } | { day: number }) & { limit: number },
): Promise<(StrayMail & { receivedAt: number })[]> {
  const rows = await db
    .selectFrom('stray_mail')
    .selectAll()
    .$if('id' in which, query => query.where('id', '=', 'id' in which ? which.id : 0))
    .$if('day' in which, query => query.where('listed_on', '=', 'day' in which ? which.day : 0))
    .orderBy('id')
    .limit(which.limit)
    .execute()
  return rows.map(({ sender, subject, text, attachments, received_at }) => ({
    ...{ sender, subject, text, receivedAt: received_at },
    attachments: JSON.parse(attachments) as AttachedFile[],
  }))
}

/** How many mails about no lead were forwarded since a day ago, up to 1,000, and how many wait. */
export async function countStrays(
  db: Kysely<Schema>,
  now: number,
): Promise<{ lastDay: number; waiting: number }> {
  const recent = db
    .selectFrom('tasks')
    .select('created_at')
    .where('kind', '=', 'forward')
    .orderBy('subject', 'desc')
    .limit(1000)
  const { lastDay } = await db
    .selectFrom(recent.as('t'))
    .select(eb => eb.fn.countAll<number>().as('lastDay'))
    .where('created_at', '>', now - DAY)
    .executeTakeFirstOrThrow()
  const { waiting } = await db
    .selectFrom('stray_mail')
    .select(sql<number>`count(*)`.as('waiting'))
    .executeTakeFirstOrThrow()
  return { lastDay: Number(lastDay), waiting: Number(waiting) }
}
