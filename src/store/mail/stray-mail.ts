/** Queries on mail to the watched mailbox that is not about a lead. It is stored here until it is forwarded. */
import type { Kysely, Transaction } from 'kysely'
import type { Morning } from '../../follow-up/school-mornings.ts'
import type { AttachedFile } from '../../leads/attachments/attachment.ts'
import { DAY } from '../../platform/time.ts'
import { addMail } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'

export type StrayMail = { sender: string; subject: string; text: string; attachments: AttachedFile[] }

/** At most this many are forwarded one by one in a day; one email lists the others. */
const MOST_FORWARDED = 20

type Schedule = { morning: Morning; now: number }

/** Stores a mail and schedules its forwarding: immediately or, beyond the daily limit, in the next morning's list. */
export async function addStray(tx: Transaction<Schema>, mail: StrayMail, schedule: Schedule): Promise<void> {
  const { now } = schedule
  if ((await countForwarded(tx, now)) >= MOST_FORWARDED) return addListed(tx, mail, schedule)
  await addMail(tx, 'forward', await insertStray(tx, mail, { listedOn: null, now }), { now })
}

/** Stores a mail for the next morning's list. */
export async function addListed(
  tx: Transaction<Schema>,
  mail: StrayMail,
  { morning: { day, at }, now }: Schedule,
): Promise<void> {
  await insertStray(tx, mail, { listedOn: day, now })
  await addMail(tx, 'strays', day, { dueAt: at, now })
}

async function insertStray(
  tx: Transaction<Schema>,
  { attachments, ...mail }: StrayMail,
  { listedOn, now }: { listedOn: number | null; now: number },
): Promise<number> {
  const { id } = await tx
    .insertInto('stray_mail')
    .values({ ...mail, attachments: JSON.stringify(attachments), received_at: now, listed_on: listedOn })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** One email to forward, or up to `limit` emails for the list of a day (yyyymmdd), oldest first. */
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
    sender,
    subject,
    text,
    receivedAt: received_at,
    attachments: JSON.parse(attachments) as AttachedFile[],
  }))
}

/** How many emails that are not about a lead were forwarded in the last day, up to 1,000. */
export async function countForwarded(db: Kysely<Schema>, now: number): Promise<number> {
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
  return Number(lastDay)
}

export async function countWaitingStrays(db: Kysely<Schema>): Promise<number> {
  const { waiting } = await db
    .selectFrom('stray_mail')
    .select(eb => eb.fn.countAll<number>().as('waiting'))
    .executeTakeFirstOrThrow()
  return Number(waiting)
}
