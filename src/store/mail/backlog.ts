/** How much work waits: the figures of `/readyz`. */
import { type Kysely, sql } from 'kysely'
import { type ClockJump, causeOf, type OtherLane, type RejectingDestination } from '../../leads/words/late-work.ts'
import type { LostDestination } from '../../leads/words/lost-destinations.ts'
import { listLost, listRejecting, readFailingSince } from '../destinations/troubled-destinations.ts'
import { isFailed } from '../outbox/outbox.ts'
import type { Lane, Schema } from '../tables/schema.ts'
import { kindsToPerson } from '../tables/task-kinds.ts'
import { AGAIN_AND_AGAIN } from '../tasks/again-and-again.ts'
import { hasNoClaim } from '../tasks/tasks.ts'
import { isUnfileable } from '../tasks/unfileable.ts'
import { countForwarded, countWaitingStrays } from './stray-mail.ts'

export type Backlog = {
  /** Submissions not yet filed. On PostgreSQL, the true number may be lower, since the ids of one commit have gaps. */
  unfiled: number
  /** How many of these cannot be filed, because attempts have failed again and again. */
  unfileable: number
  /** When the oldest of the others came in, Unix milliseconds. */
  unfiledSince: number | null
  /** When the oldest message that has not been tried yet became due, Unix milliseconds; null if there is none. */
  unsentSince: number | null
  /** For each lane, when the oldest work became due that no one carries out, or that fails again and again. */
  waitingSince: Partial<Record<OtherLane, number>>
  /** Messages that wait for their first attempt or another. */
  mailWaiting: number
  /** Messages among them that failed at least once. */
  mailRetrying: number
  /** Why one of those messages failed; null if there are none. */
  retryReason: string | null
  /** Messages to the staff that were given up, unless someone has acknowledged them. */
  mailFailedToStaff: number
  /** Messages to students that were given up, in the same way. */
  mailFailedToStudents: number
  /** Mail to the watched mailbox not about a lead: how much was forwarded in the last day, and how much waits. */
  unmatchedMail: { lastDay: number; waiting: number }
  /** Emails whose attachments the scanner has failed on more than once, and why; null if there are none. */
  scansFailing: { emails: number; reason: string } | null
  /** Destinations that were switched off because they no longer receive events. */
  lostDestinations: LostDestination[]
  /** Destinations that have rejected the last event, which is not sent again automatically. */
  rejecting: RejectingDestination[]
  /** The jump of the clock that the open alarm is about; null if there is none. */
  clockJump: ClockJump | null
  /** When the oldest task that is due was made, Unix milliseconds. */
  oldestDueSince: number | null
}

/** How much work waits, counted over up to 10,000 tasks of each lane. */
export async function countBacklog(db: Kysely<Schema>, now: number): Promise<Backlog> {
  const filing = await countDue(db, 'filing', now)
  const mail = await countDue(db, 'mail', now)
  const messages = await countDue(db, 'messages', now)
  const reports = await countDue(db, 'reports', now)
  // A step that is due next week does not count as waiting.
  const steps = await countDue(db, 'follow-up', now, { begun: true })
  const letters = await countDue(db, 'letters', now, { begun: true })
  const failed = await countFailed(db)
  const lanes = [mail, messages, reports, steps, letters]
  const untried = lanes.flatMap(({ untried }) => untried ?? [])
  const oldest = [filing, ...lanes].flatMap(({ oldest }) => oldest ?? [])
  return {
    unfiled: filing.waiting,
    unfileable: await countUnfileable(db),
    unfiledSince: filing.since,
    unsentSince: untried.length > 0 ? Math.min(...untried) : null,
    waitingSince: await readWaiting(db, now),
    unmatchedMail: { lastDay: await countForwarded(db, now), waiting: await countWaitingStrays(db) },
    mailWaiting: sumOf(lanes.map(({ waiting }) => waiting)),
    mailRetrying: sumOf(lanes.map(({ tried }) => tried)),
    retryReason: lanes.find(({ reason }) => reason !== null)?.reason ?? null,
    mailFailedToStaff: failed.staff,
    mailFailedToStudents: failed.students,
    scansFailing: await countFailingScans(db),
    lostDestinations: await listLost(db),
    rejecting: await listRejecting(db),
    clockJump: await readClockJump(db),
    oldestDueSince: oldest.length > 0 ? Math.min(...oldest) : null,
  }
}

const COUNTED = 10_000

async function readClockJump(db: Kysely<Schema>): Promise<ClockJump | null> {
  const open = db.selectFrom('alarms').where('cause', '=', causeOf('clock')).where('ended_at', 'is', null)
  return (await open.select(['title', 'text', 'since']).executeTakeFirst()) ?? null
}

const sumOf = (counts: number[]): number => counts.reduce((sum, count) => sum + count, 0)

async function countFailed(db: Kysely<Schema>): Promise<{ staff: number; students: number }> {
  const toPerson = sql.join(kindsToPerson.map(kind => sql.lit(kind)))
  const failed = db.selectFrom('tasks').select(['lane', 'kind']).where(isFailed).limit(COUNTED)
  const row = await db
    .selectFrom(failed.as('t'))
    .select([
      sql<number>`count(*)`.as('all'),
      sql<number>`sum(case when lane = 'letters' or kind in (${toPerson}) then 1 else 0 end)`.as('students'),
    ])
    .executeTakeFirstOrThrow()
  const students = Number(row.students ?? 0)
  return { staff: Number(row.all) - students, students }
}

async function countUnfileable(db: Kysely<Schema>): Promise<number> {
  const found = db.selectFrom('tasks').select('id').where(isUnfileable).limit(COUNTED)
  const { count } = await db
    .selectFrom(found.as('t'))
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The scanner may just have been busy; it is tried again after half a minute. */
async function countFailingScans(db: Kysely<Schema>): Promise<Backlog['scansFailing']> {
  const failing = db
    .selectFrom('tasks')
    .select('note')
    .where('state', '=', sql.lit('due'))
    .where('lane', '=', 'scans')
    .where('attempts', '>', 1)
    .where('note', 'is not', null)
    .limit(COUNTED)
  const { emails, reason } = await db
    .selectFrom(failing.as('t'))
    .select(eb => [eb.fn.countAll<number>().as('emails'), eb.fn.min('note').as('reason')])
    .executeTakeFirstOrThrow()
  return reason === null ? null : { emails: Number(emails), reason }
}

const FAILED_BEFORE = sql`note is not null and attempts > 0`

/**
 * Failed messages in these lanes are counted with the others; what fails for a destination is known from the
 * destination, since its other events wait without an attempt; and a failed export has an alarm of its own.
 */
const others: Record<OtherLane, { failing: boolean }> = {
  'follow-up': { failing: false },
  letters: { failing: false },
  imports: { failing: true },
  scans: { failing: true },
  deliveries: { failing: false },
  exports: { failing: false },
}

async function readWaiting(db: Kysely<Schema>, now: number): Promise<Backlog['waitingSince']> {
  const waiting: Backlog['waitingSince'] = {}
  for (const [lane, { failing }] of Object.entries(others) as [OtherLane, { failing: boolean }][]) {
    const due = db
      .selectFrom('tasks')
      .select(['due_at', 'created_at', 'scheduled_at', 'note', 'attempts'])
      .where('state', '=', sql.lit('due'))
      .where('lane', '=', lane)
      .limit(COUNTED)
    // Work under way is not late, unless it never ends.
    const left = due.where(eb => eb.or([hasNoClaim(now)(eb), eb('attempts', '>=', AGAIN_AND_AGAIN)]))
    const query = failing
      ? left.where(eb => eb.or([eb('due_at', '<=', now), eb('attempts', '>=', AGAIN_AND_AGAIN)]))
      : left.where('due_at', '<=', now).where(sql<boolean>`not (${FAILED_BEFORE})`)
    const { since } = await db
      .selectFrom(query.as('t'))
      .select(eb =>
        eb.fn
          .min(sql<number>`case when ${failing ? FAILED_AGAIN : sql`1 = 0`} then created_at else ${WAITS_SINCE} end`)
          .as('since'),
      )
      .executeTakeFirstOrThrow()
    if (since !== null) waiting[lane] = Number(since)
  }
  const failing = await readFailingSince(db)
  if (failing !== null) waiting.deliveries = Math.min(failing, waiting.deliveries ?? failing)
  return waiting
}

const FAILED_AGAIN = sql`attempts >= ${sql.lit(AGAIN_AND_AGAIN)}`

/** The earliest moment at which a task could have begun: when it was due, made, or given back by its process. */
const WAITS_SINCE = sql`case
  when due_at >= created_at and due_at >= coalesce(scheduled_at, 0) then due_at
  when created_at >= coalesce(scheduled_at, 0) then created_at
  else scheduled_at end`

/** For one lane: how many tasks wait, how many of them were tried before, and how long the oldest has been due. */
async function countDue(db: Kysely<Schema>, lane: Lane, now: number, { begun = false } = {}) {
  let due = db
    .selectFrom('tasks')
    .select(eb => ['subject', 'through', 'note', 'attempts', 'due_at', 'created_at', isUnfileable(eb).as('unfileable')])
    .where('state', '=', sql.lit('due'))
    .where('lane', '=', lane)
    .limit(COUNTED)
  if (begun) due = due.where('begun_at', 'is not', null)
  // The mail of next Monday does not wait, either.
  else due = due.where(eb => eb.or([eb('due_at', '<=', now), eb('note', 'is not', null)]))
  const row = await db
    .selectFrom(due.as('t'))
    .select(eb => [
      eb.fn.sum<number>(sql`coalesce(through - subject, 0) + 1`).as('waiting'),
      // A message that waits for the end of the quiet hours has a note, but no attempt has failed.
      eb.fn.sum<number>(sql`case when ${FAILED_BEFORE} then 1 else 0 end`).as('tried'),
      eb.fn.min(sql<string>`case when ${FAILED_BEFORE} then note end`).as('reason'),
      eb.fn.min(sql<number>`case when due_at <= ${now} then created_at end`).as('oldest'),
      eb.fn.min(sql<number>`case when not unfileable then created_at end`).as('since'),
      eb.fn
        .min(sql<number>`case when due_at <= ${now} and not (${FAILED_BEFORE})
          then case when due_at > created_at then due_at else created_at end end`)
        .as('untried'),
    ])
    .executeTakeFirstOrThrow()
  return {
    waiting: Number(row.waiting ?? 0),
    tried: Number(row.tried ?? 0),
    reason: row.reason,
    oldest: numberOrNull(row.oldest),
    since: numberOrNull(row.since),
    untried: numberOrNull(row.untried),
  }
}

const numberOrNull = (value: number | null): number | null => (value === null ? null : Number(value))
