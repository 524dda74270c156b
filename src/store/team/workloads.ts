/** Queries on how much work each person on the team has. */
import { type Kysely, sql } from 'kysely'
import { type Area, isIn, type Place } from '../../follow-up/area-codes.ts'
import type { DayPart } from '../../platform/time.ts'
import { closedWaitingOf, waitingOf } from '../follow-up/unanswered.ts'
import { placeColumns } from '../leads/leads.ts'
import { listTried } from '../leads/tried-to-reach.ts'
import { scheduledEmailsOf } from '../outbox/scheduled-emails.ts'
import type { Schema } from '../tables/schema.ts'

export type Workload = {
  owner: string
  open: number
  /** Closed leads with people who wrote back and are waiting for an answer. */
  closedWaiting: number
  /** Open leads that no one has tried to reach. */
  untried: number
  /** Untried leads that someone should have tried to reach by now. */
  late: number
  /** Whether they have more open leads than were counted. */
  more: boolean
  /** Whether there may be more untried or late leads than were counted. */
  moreUntried: boolean
}

/** How many open leads of one person are counted, the oldest first. */
export const MOST_COUNTED = 10_000

/** For how many people who were never called we check whether someone did anything else. The oldest come first. */
const MOST_JUDGED = 1000

/**
 * When a lead is late: its person lives in `area`, likes to be called at `bestTime`, and wrote before `before`, and no
 * one has tried to reach them. The first area that fits counts. A person in none of the areas is late like a person
 * whose state is unknown or, if there is no such area, never.
 */
export type LateBefore = readonly { area: Area; bestTime: DayPart | null; before: number }[]

/** How much work each of these people has. */
export async function readWorkloads(
  db: Kysely<Schema>,
  owners: readonly string[],
  { lateBefore }: { lateBefore: LateBefore },
): Promise<Workload[]> {
  const workloads: Workload[] = []
  for (const owner of owners) {
    const open = db
      .selectFrom('leads')
      .select(['id', 'stage', 'first_attempt_at', 'paused_at', 'created_at', ...placeColumns])
      .where('owner', '=', owner)
      .where('stage', '<>', sql.lit('closed'))
      .orderBy('stage')
      .orderBy('created_at')
      .limit(MOST_COUNTED + 1)
    const { counted } = await db
      .selectFrom(open.as('l'))
      .select(eb => eb.fn.countAll<number>().as('counted'))
      .executeTakeFirstOrThrow()
    const uncalled = await db
      .selectFrom(open.as('l'))
      .select(['id', 'paused_at', 'created_at', 'state', 'phoneE164', 'latestPhone', 'bestTime'])
      .where('stage', '=', 'new')
      .where('first_attempt_at', 'is', null)
      .orderBy('created_at')
      .limit(MOST_JUDGED + 1)
      .execute()
    const judged = uncalled.slice(0, MOST_JUDGED)
    const tried = await listTried(
      db,
      judged.map(({ id }) => id),
    )
    const untried = judged.filter(({ id }) => !tried.has(id))
    const late = untried.filter(
      // If the follow-up is paused, someone chose to wait.
      one => one.paused_at === null && one.created_at < momentFor(one, lateBefore),
    )
    const more = Number(counted) > MOST_COUNTED
    workloads.push({
      owner,
      open: more ? MOST_COUNTED : Number(counted),
      closedWaiting: await countClosedWaiting(db, owner),
      more,
      untried: untried.length,
      late: late.length,
      moreUntried: uncalled.length > judged.length,
    })
  }
  return workloads
}

async function countClosedWaiting(db: Kysely<Schema>, owner: string): Promise<number> {
  const { counted } = await closedWaitingOf(db, owner)
    .select(eb => eb.fn.countAll<number>().as('counted'))
    .executeTakeFirstOrThrow()
  return Number(counted)
}

function momentFor(place: Place, lateBefore: LateBefore): number {
  const those = lateBefore.filter(({ bestTime }) => bestTime === (place.bestTime ?? null))
  const found = those.find(({ area }) => isIn(place, area)) ?? those.find(({ area }) => area.state === null)
  return found?.before ?? 0
}

/** How much work a person has. */
export type Duties = {
  /** How many open leads are in each stage, counted as above. */
  stages: { stage: string; leads: number }[]
  /** Callbacks that they have promised, and callbacks about their leads that no one else has promised. */
  callbacks: number
  /** How many of these callbacks are about other people's leads. */
  elsewhere: number
  /** People of their leads who wrote back and wait for an answer. */
  waiting: number
  scheduled: number
}

export async function readDuties(db: Kysely<Schema>, owner: string): Promise<Duties> {
  const { callbacks, own } = await db
    .selectFrom('callbacks as c')
    .innerJoin('leads as l', 'l.id', 'c.lead_id')
    .select(eb => [
      eb.fn.countAll<number>().as('callbacks'),
      eb.fn.countAll<number>().filterWhere('l.owner', '=', owner).as('own'),
    ])
    .where('c.ended_at', 'is', null)
    .where(eb => eb(eb.fn.coalesce('c.assignee', 'l.owner'), '=', owner))
    .executeTakeFirstOrThrow()
  const { waiting } = await waitingOf(db, owner)
    .select(eb => eb.fn.countAll<number>().as('waiting'))
    .executeTakeFirstOrThrow()
  const { scheduled } = await scheduledEmailsOf(db, owner)
    .select(eb => eb.fn.countAll<number>().as('scheduled'))
    .executeTakeFirstOrThrow()
  return {
    stages: await countStages(db, owner),
    callbacks: Number(callbacks),
    elsewhere: Number(callbacks) - Number(own),
    waiting: Number(waiting),
    scheduled: Number(scheduled),
  }
}

async function countStages(db: Kysely<Schema>, owner: string): Promise<{ stage: string; leads: number }[]> {
  const open = db
    .selectFrom('leads')
    .select('stage')
    .where('owner', '=', owner)
    .where('stage', '<>', sql.lit('closed'))
    .limit(MOST_COUNTED)
  const rows = await db
    .selectFrom(open.as('l'))
    .select(eb => ['stage', eb.fn.countAll<number>().as('leads')])
    .groupBy('stage')
    .orderBy('leads', 'desc')
    .execute()
  return rows.map(({ stage, leads }) => ({ stage, leads: Number(leads) }))
}

/**
 * The ids of the counselors (or the manager) who have open leads, or closed leads that wait for an answer, with how
 * many, among up to 10,000 of the newest leads.
 */
export async function listOwners(db: Kysely<Schema>): Promise<{ owner: string; leads: number }[]> {
  const newest = db
    .selectFrom('leads')
    .select(['owner', 'stage', 'unanswered_since'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(10_000)
  const rows = await db
    .selectFrom(newest.as('l'))
    .select(eb => ['owner', eb.fn.countAll<number>().as('leads')])
    .where('owner', 'is not', null)
    .where(eb => eb.or([eb('stage', '!=', sql.lit('closed')), eb('unanswered_since', 'is not', null)]))
    .groupBy('owner')
    .orderBy('owner')
    .execute()
  return rows.map(({ owner, leads }) => ({ owner: owner as string, leads: Number(leads) }))
}
