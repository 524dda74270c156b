/** The erasures that the retention rules call for: planning, listing, and carrying them out, person by person. */
import { type Kysely, sql } from 'kysely'
import type { RetentionRule } from '../../follow-up/erasure-days.ts'
import { RETENTION } from '../../leads/lead/erasure-reasons.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { lockCounts } from '../insight/counts.ts'
import { asLead } from '../leads/leads.ts'
import { addMail, beginAgain } from '../outbox/outbox.ts'
import { anyOf } from '../tables/any-of.ts'
import type { Schema } from '../tables/schema.ts'
import { countDue } from '../tasks/tasks.ts'
import { type ErasedTask, erasePersonIn, tasksAbout } from './erasure.ts'
import { findFiled, findUnfiled } from './person-ids.ts'

/** The stages of people who have joined the school, or become its partners. */
const JOINED = ['enrolled', 'active']

/**
 * Looks at the next `limit` leads after the id `after`. Plans to erase the people that the rule applies to, with all
 * their leads. Returns the id to continue from; undefined after the last lead.
 */
export async function planErasures(
  db: Kysely<Schema>,
  rule: RetentionRule,
  { after, limit, now }: { after: number; limit: number; now: number },
): Promise<number | undefined> {
  const rows = await db
    .selectFrom('leads as l')
    .leftJoin('planned_erasures as p', 'p.lead_id', 'l.id')
    .select(['l.id', 'l.stage', 'l.person_key', 'l.updated_at', 'p.erase_at'])
    .where('l.id', '>', after)
    .orderBy('l.id')
    .limit(limit)
    .execute()
  let looked = 0
  for (const row of rows) {
    const before = cutoffOf(row.stage, rule)
    if (before === null || row.updated_at >= before) continue
    if (row.erase_at !== null) continue
    // One call must not delay the intake; the next call continues from here.
    if (++looked > MOST_LOOKED_AT) return row.id - 1
    const leads = await leadsToErase(db, row.person_key, rule, now)
    if (leads.length === 0) continue
    await db
      .insertInto('planned_erasures')
      .values(leads.map(lead_id => ({ lead_id, erase_at: rule.eraseAt, planned_at: now })))
      .onConflict(oc => oc.column('lead_id').doNothing())
      .execute()
  }
  return rows.length < limit ? undefined : rows.at(-1)?.id
}

/** How many people one call checks in full. */
const MOST_LOOKED_AT = 20

const cutoffOf = (stage: string, { closedBefore, enrolledBefore }: RetentionRule): number | null =>
  stage === 'closed' ? closedBefore : JOINED.includes(stage) ? enrolledBefore : null

/** Drops the plans for leads that have changed since, and plans that were made while the clock was ahead. */
export async function dropPlans(db: Kysely<Schema>, rule: RetentionRule): Promise<void> {
  await db.deleteFrom('planned_erasures').where('erase_at', '>', rule.eraseAt).execute()
  const applies = (stages: string[], before: number | null) =>
    before === null
      ? sql<boolean>`1 = 0`
      : sql<boolean>`(l.stage in (${sql.join(stages)}) and l.updated_at < ${before})`
  await db
    .deleteFrom('planned_erasures')
    .where('erase_at', '=', rule.eraseAt)
    .where('lead_id', 'not in', eb =>
      eb
        .selectFrom('leads as l')
        .innerJoin('planned_erasures as p', 'p.lead_id', 'l.id')
        .select('l.id')
        .where(sql<boolean>`(${applies(['closed'], rule.closedBefore)} or ${applies(JOINED, rule.enrolledBefore)})`),
    )
    .execute()
}

/** Schedules the email that lists an erasure. If a clock that was ahead has sent it already, it is sent again. */
export async function addRetentionMail(
  db: Kysely<Schema>,
  { day, dueAt, now }: { day: number; dueAt: number; now: number },
): Promise<void> {
  await addMail(db, 'retention', day, { dueAt, now })
  await beginAgain(db, { kind: 'retention', subject: day, step: 0 }, { dueAt, now })
}

/** When the email that lists an erasure was sent; undefined if it was not. */
export async function readRetentionMailSent(db: Kysely<Schema>, day: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('tasks')
    .select('finished_at')
    .where('kind', '=', 'retention')
    .where('subject', '=', day)
    .where('state', '=', sql.lit('done'))
    .executeTakeFirst()
  return row?.finished_at ?? undefined
}

/** How many leads are planned to be erased, by moment, the next moment first. */
export async function countPlanned(db: Kysely<Schema>): Promise<{ eraseAt: number; leads: number }[]> {
  const rows = await db
    .selectFrom('planned_erasures')
    .select(['erase_at', eb => eb.fn.countAll<number>().as('leads')])
    .groupBy('erase_at')
    .orderBy('erase_at')
    .execute()
  return rows.map(({ erase_at, leads }) => ({ eraseAt: erase_at, leads: Number(leads) }))
}

/** The leads planned for a moment, after the id `after`. */
export async function listPlanned(
  db: Kysely<Schema>,
  eraseAt: number,
  { after, limit }: { after: number; limit: number },
): Promise<Lead[]> {
  const rows = await db
    .selectFrom('planned_erasures as p')
    .innerJoin('leads as l', 'l.id', 'p.lead_id')
    .selectAll('l')
    .where('p.erase_at', '=', eraseAt)
    .where('p.lead_id', '>', after)
    .orderBy('p.lead_id')
    .limit(limit)
    .execute()
  return rows.map(asLead)
}

/** When a lead will be erased; undefined if no erasure is planned. */
export async function readPlanned(db: Kysely<Schema>, leadId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('planned_erasures')
    .select('erase_at')
    .where('lead_id', '=', leadId)
    .executeTakeFirst()
  return row?.erase_at
}

/**
 * Erases up to `limit` people who were planned for the moment of the rule and listed for the manager, each in a
 * transaction of their own. A person with a change since then is kept. Returns the messages that were about them;
 * undefined when there are no more.
 */
export async function erasePlanned(
  db: Kysely<Schema>,
  rule: RetentionRule,
  { listedAt, limit, now }: { listedAt: number; limit: number; now: number },
): Promise<{ messages: ErasedTask[]; overwritten: boolean } | undefined> {
  const planned = await db
    .selectFrom('planned_erasures as p')
    .innerJoin('leads as l', 'l.id', 'p.lead_id')
    .select(['l.id', 'l.person_key'])
    .where('p.erase_at', '=', rule.eraseAt)
    .where('p.planned_at', '<=', listedAt)
    .orderBy('p.lead_id')
    .limit(limit)
    .execute()
  if (planned.length === 0) return undefined
  const messages: ErasedTask[] = []
  for (const { id, person_key } of planned) {
    await db.transaction().execute(async tx => {
      // Counts are locked before the leads, as in every erasure.
      await lockCounts(tx, { wait: true })
      const leads = await leadsToErase(tx, person_key, rule, now)
      if (!leads.includes(id)) {
        await tx.deleteFrom('planned_erasures').where('lead_id', '=', id).execute()
        return
      }
      const by = { askedBy: RETENTION, reason: 'retention' as const, registeredAt: rule.eraseAt }
      const erased = await erasePersonIn(tx, person_key, { ...by, addressHash: undefined, now })
      messages.push(...erased.messages)
    })
  }
  return { messages, overwritten: true }
}

/**
 * The leads of a person; inside a transaction, they are locked. Empty if the rule does not apply to all of them: one is
 * open or held, something has happened lately, or something is still to happen.
 */
async function leadsToErase(db: Kysely<Schema>, key: string, rule: RetentionRule, now: number): Promise<number[]> {
  const unfiled = await findUnfiled(db, key)
  const filed = await findFiled(db, key)
  const { leads, submissions } = filed
  if (unfiled.length > 0 || leads.length === 0) return []
  const before = await cutoffOfAll(db, leads, rule)
  if (before === null || (await hasEntrySince(db, leads, before))) return []
  if (await isHeld(db, leads, now)) return []
  if (await isQuarantined(db, submissions)) return []
  return (await countDue(db, tasksAbout(filed))) > 0 ? [] : leads
}

/** The moment since which nothing may have happened to any of these leads; null if one is open. */
async function cutoffOfAll(
  db: Kysely<Schema>,
  leadIds: readonly number[],
  rule: RetentionRule,
): Promise<number | null> {
  const leads = await db.selectFrom('leads').select(['stage', 'merged_into']).where('id', 'in', leadIds).execute()
  // Leaves out a merged lead: its stage counts again only after it is unmerged.
  const kept = leads.filter(({ merged_into }) => merged_into === null)
  const cutoffs = kept.map(({ stage }) => cutoffOf(stage, rule))
  return cutoffs.includes(null) ? null : Math.min(...cutoffs.map(cutoff => cutoff ?? 0))
}

async function hasEntrySince(db: Kysely<Schema>, leadIds: readonly number[], since: number): Promise<boolean> {
  const { last } = await db
    .selectFrom('timeline')
    .select(eb => eb.fn.max('at').as('last'))
    .where('lead_id', 'in', leadIds)
    .executeTakeFirstOrThrow()
  return Number(last ?? 0) >= since
}

async function isHeld(db: Kysely<Schema>, leadIds: readonly number[], now: number): Promise<boolean> {
  const hold = await db
    .selectFrom('lead_holds')
    .select('lead_id')
    .where('lead_id', 'in', leadIds)
    .where(eb => eb.or([eb('until', 'is', null), eb('until', '>', now)]))
    .executeTakeFirst()
  return hold !== undefined
}

async function isQuarantined(db: Kysely<Schema>, submissions: readonly number[]): Promise<boolean> {
  const undecided = await db
    .selectFrom('quarantine')
    .select('submission_id')
    .where('submission_id', 'in', anyOf(submissions))
    .where('state', '=', sql.lit('held'))
    .executeTakeFirst()
  return undecided !== undefined
}
