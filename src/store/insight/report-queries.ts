/** Queries for the weekly report: who wrote in, which stages leads entered, and what is waiting for someone. */
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { TalliedLead } from '../../follow-up/weekly-tally.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { notCounted } from '../../leads/lead/stages.ts'
import { DAY } from '../../platform/time.ts'
import { isAboutToClose } from '../follow-up/unattended-leads.ts'
import { wasTried } from '../leads/tried-to-reach.ts'
import { isFailed } from '../outbox/outbox.ts'
import type { Schema } from '../tables/schema.ts'

export type Span = { from: number; until: number }

export type ReportedLead = TalliedLead & {
  id: number
  stage: string
  closedReason: string | null
  /** Whether someone imported or entered them by hand, as insight counts it: they did not write in. */
  entered: boolean
}

/**
 * The leads that were created within a span and count, oldest first: up to `limit` of them, after the lead `after`. The
 * owner is the one that insight counts: after a hand-over, still the person who reached them.
 */
export async function listReported(
  db: Kysely<Schema>,
  { from, until, after, limit }: Span & { after?: ReportedLead | undefined; limit: number },
): Promise<ReportedLead[]> {
  const rows = await db
    .selectFrom('leads')
    .leftJoin('lead_facts', 'lead_id', 'id')
    .select(['id', 'leads.kind', 'owner', 'leads.state', 'came_from', 'created_at'])
    .select(['first_contact_at', 'leads.stage', 'closed_reason'])
    .select(['counselor', 'wall_time', 'heard', 'entered'])
    .select(eb => eb.case().when(wasTried(eb)).then(1).else(0).end().as('tried'))
    .where('created_at', '>=', from)
    .where('created_at', '<', until)
    .where(doesCount)
    .$if(after !== undefined, query =>
      query.where(sql<boolean>`(created_at, id) > (${after?.createdAt}, ${after?.id})`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(row => ({
    id: row.id,
    kind: row.kind,
    // Facts are a moment behind. Until a lead is reached, its owner may have changed since they were written.
    owner: row.wall_time === null ? row.owner : row.counselor || null,
    state: row.state,
    cameFrom: row.came_from,
    heard: row.heard || null,
    createdAt: row.created_at,
    firstContactAt: row.first_contact_at,
    tried: Number(row.tried) === 1,
    stage: row.stage,
    closedReason: row.closed_reason,
    entered: row.entered === 1,
  }))
}

/** How many people of each kind wrote in within a span. */
export async function countCreated(db: Kysely<Schema>, { from, until }: Span): Promise<Record<Kind, number>> {
  const counts = { site: 0, student: 0 }
  for (const kind of ['site', 'student'] as const) {
    const { leads } = await db
      .selectFrom('leads')
      .leftJoin('lead_facts', 'lead_id', 'id')
      .select(eb => eb.fn.countAll<number | string>().as('leads'))
      .where('leads.kind', '=', kind)
      .where(eb => eb.or([eb('entered', 'is', null), eb('entered', '=', 0)]))
      .where('created_at', '>=', from)
      .where('created_at', '<', until)
      .where(doesCount)
      .executeTakeFirstOrThrow()
    counts[kind] = Number(leads)
  }
  return counts
}

const doesCount = (eb: ExpressionBuilder<Schema, 'leads'>) =>
  eb.or([eb('closed_reason', 'is', null), eb('closed_reason', 'not in', notCounted)])

/** A stage that leads have entered, and how many: `enrolled`, or `closed: no reply`. */
export type Outcome = { kind: Kind; stage: string; leads: number }

const READ_AT_ONCE = 1000

/** How far a clock may have been set back. */
const SLACK = DAY

/**
 * The stages that leads entered within a span; a lead that entered several counts in each. Timelines have no index by
 * time, but each entry has a higher id than those before it.
 */
export async function countOutcomes(db: Kysely<Schema>, { from, until }: Span): Promise<Outcome[]> {
  const stagesOf = new Map<number, Set<string>>()
  for (let next = await firstStageSince(db, from - SLACK); ; ) {
    const entries = await db
      .selectFrom('timeline')
      .select(['id', 'lead_id', 'detail', 'at', 'undone_at'])
      .where('id', '>=', next)
      .where('kind', '=', sql.lit('stage'))
      .orderBy('id')
      .limit(READ_AT_ONCE)
      .execute()
    for (const { lead_id, detail, at, undone_at } of entries)
      if (undone_at === null && at >= from && at < until)
        stagesOf.set(lead_id, (stagesOf.get(lead_id) ?? new Set()).add(detail))
    const last = entries.at(-1)
    const isOver = entries.every(({ at }) => at >= until + SLACK)
    if (last === undefined || isOver || entries.length < READ_AT_ONCE) return counted(db, stagesOf, { from, until })
    next = last.id + 1
  }
}

/** The lowest id that an entry about a change of stage can have if it was written since that moment. */
async function firstStageSince(db: Kysely<Schema>, moment: number): Promise<number> {
  const { end } = await db
    .selectFrom('timeline')
    .select(eb => eb.fn.max('id').as('end'))
    .executeTakeFirstOrThrow()
  let [low, high] = [0, Number(end ?? 0) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const next = await db
      .selectFrom('timeline')
      .select(['id', 'at'])
      .where('id', '>=', middle)
      .where('id', '<', high)
      .where('kind', '=', sql.lit('stage'))
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    if (next === undefined || next.at >= moment) high = middle
    else low = next.id + 1
  }
  return low
}

/** A person who skips to a later stage counts as reached, too. */
async function counted(
  db: Kysely<Schema>,
  stagesOf: ReadonlyMap<number, ReadonlySet<string>>,
  { from, until }: Span,
): Promise<Outcome[]> {
  const outcomes = new Map<string, Outcome>()
  const ids = [...stagesOf.keys()]
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    const leads = await db
      .selectFrom('leads')
      .select(['id', 'kind', 'first_contact_at as reachedAt'])
      .where('id', 'in', ids.slice(start, start + IDS_AT_ONCE))
      .execute()
    for (const { id, kind, reachedAt } of leads) {
      const wasReached = reachedAt !== null && reachedAt >= from && reachedAt < until
      const stages = new Set([...(stagesOf.get(id) ?? []), ...(wasReached ? ['contacted'] : [])])
      for (const stage of stages) {
        const outcome = outcomes.get(`${kind} ${stage}`) ?? { kind, stage, leads: 0 }
        outcome.leads += 1
        outcomes.set(`${kind} ${stage}`, outcome)
      }
    }
  }
  return [...outcomes.values()].toSorted((one, other) => other.leads - one.leads)
}

const IDS_AT_ONCE = 500

/** What waits for someone at this moment; each number is at most 1,000. */
export type ToDo = {
  /** People no one has tried to reach. Imported people count only once something has happened with them. */
  untried: number
  /** Leads that no one has tried to reach, and that are about to be closed. */
  closing: number
  /** People who wrote back, and no one has answered. */
  unanswered: number
  /** Emails that were given up. */
  failed: number
  /** Inquiries that wait for a decision. */
  quarantined: number
}

export async function countToDo(db: Kysely<Schema>): Promise<ToDo> {
  const leads = db.selectFrom('leads').select('id')
  const untried = leads.where('stage', '=', sql.lit('new')).where('imported', '=', 0)
  return {
    untried: await countUpTo(untried.where(eb => eb.not(wasTried(eb)))),
    closing: await countUpTo(leads.where(isAboutToClose)),
    unanswered: await countUpTo(leads.where('unanswered_since', 'is not', null)),
    failed: await countUpTo(db.selectFrom('tasks').select('id').where(isFailed)),
    quarantined: await countUpTo(
      db.selectFrom('quarantine').select('submission_id as id').where('state', '=', sql.lit('held')),
    ),
  }
}

const MOST_COUNTED = 1000

const countUpTo = async (query: { limit(most: number): { execute(): Promise<unknown[]> } }): Promise<number> =>
  (await query.limit(MOST_COUNTED).execute()).length
