/** What the retention rules erase: planning it, listing it, and erasing it, person by person. */
import { type Kysely, sql } from 'kysely'
import type { RetentionRule } from '../follow-up/erasure-days.ts'
import { RETENTION } from '../leads/erasing.ts'
import type { Lead } from '../leads/lead.ts'
import { type ErasedMessage, erasePersonIn, messagesAbout } from './erasure.ts'
import { lockCounts } from './insight-counts.ts'
import { asLead } from './leads.ts'
import { addMail, beginAgain } from './outbox.ts'
import { findFiled, findUnfiled } from './person-ids.ts'
import type { Schema } from './schema.ts'

/** The stages of people who joined the school, or a partner. */
const JOINED = ['enrolled', 'active']

/**
 * Looks at the next `limit` leads behind the id `after`, and plans to erase those of people whom the rule
 * takes. Returns the last id; undefined when there are no more.
 */
export async function planErasures(
  db: Kysely<Schema>,
  rule: RetentionRule,
  { after, limit, now }: { after: number; limit: number; now: number },
): Promise<number | undefined> {
  const rows = await db
    .selectFrom('leads as l')
    .leftJoin('planned_erasures as p', 'p.lead_id', 'l.id')
    .select(['l.id', 'l.stage', 'l.email_key', 'l.updated_at', 'l.paused_at', 'p.erase_at'])
    .where('l.id', '>', after)
    .orderBy('l.id')
    .limit(limit)
    .execute()
  let looked = 0
  for (const row of rows) {
    const before = cutoffOf(row.stage, rule)
    if (before === null || row.updated_at >= before || row.paused_at !== null) continue
    if (row.erase_at !== null) continue
    // A call must not hold up the intake: the next one goes on from here.
    if (++looked > MOST_LOOKED_AT) return row.id - 1
    const leads = await leadsToErase(db, row.email_key, rule, now)
    if (leads.length === 0) continue
    await db
      .insertInto('planned_erasures')
      .values(leads.map(lead_id => ({ lead_id, erase_at: rule.eraseAt, planned_at: now })))
      .onConflict(oc => oc.column('lead_id').doNothing())
      .execute()
  }
  return rows.length < limit ? undefined : rows.at(-1)?.id
}

/** How many people one call looks at in full. */
const MOST_LOOKED_AT = 20

const cutoffOf = (stage: string, { closedBefore, enrolledBefore }: RetentionRule): number | null =>
  stage === 'closed' ? closedBefore : JOINED.includes(stage) ? enrolledBefore : null

/** Forgets plans for leads to which something has happened since, and those of a clock that was ahead. */
export async function dropPlans(db: Kysely<Schema>, rule: RetentionRule): Promise<void> {
  await db.deleteFrom('planned_erasures').where('erase_at', '>', rule.eraseAt).execute()
  const goes = (stages: string[], before: number | null) =>
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
        .where('l.paused_at', 'is', null)
        .where(
          sql<boolean>`(${goes(['closed'], rule.closedBefore)} or ${goes(JOINED, rule.enrolledBefore)})`,
        ),
    )
    .execute()
}

/** Lets the email that lists an erasure wait for its moment, also if a clock that was ahead has sent it. */
export async function addRetentionMail(
  db: Kysely<Schema>,
  { day, dueAt, now }: { day: number; dueAt: number; now: number },
): Promise<void> {
  await addMail(db, 'retention', day, { dueAt, now })
  await beginAgain(db, { kind: 'retention', subject: day, step: 0 }, { dueAt, now })
}

/** When the email that lists an erasure was sent; undefined if it was not. */
export async function readRetentionMailSent(
  db: Kysely<Schema>,
  day: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('tasks')
    .select('finished_at')
    .where('kind', '=', 'retention')
    .where('subject', '=', day)
    .where('state', '=', sql.lit('done'))
    .executeTakeFirst()
  return row?.finished_at ?? undefined
}

/** How many leads are planned to be erased at which moments, the next first. */
export async function countPlanned(
  db: Kysely<Schema>,
): Promise<{ eraseAt: number; leads: number }[]> {
  const rows = await db
    .selectFrom('planned_erasures')
    .select(['erase_at', eb => eb.fn.countAll<number>().as('leads')])
    .groupBy('erase_at')
    .orderBy('erase_at')
    .execute()
  return rows.map(({ erase_at, leads }) => ({ eraseAt: erase_at, leads: Number(leads) }))
}

/** The leads planned for a moment, behind the id `after`. */
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

/** When a lead will be erased; undefined if that is not planned. */
export async function readPlanned(db: Kysely<Schema>, leadId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('planned_erasures')
    .select('erase_at')
    .where('lead_id', '=', leadId)
    .executeTakeFirst()
  return row?.erase_at
}

/**
 * Erases up to `limit` people who were planned for the moment of the rule, and listed for the manager, each
 * in a transaction of their own. A person to whom something has happened since is kept. Returns the
 * messages that were about them; undefined when there are no more.
 */
export async function erasePlanned(
  db: Kysely<Schema>,
  rule: RetentionRule,
  { listedAt, limit, now }: { listedAt: number; limit: number; now: number },
): Promise<{ messages: ErasedMessage[]; overwritten: boolean } | undefined> {
  const planned = await db
    .selectFrom('planned_erasures as p')
    .innerJoin('leads as l', 'l.id', 'p.lead_id')
    .select(['l.id', 'l.email', 'l.email_key'])
    .where('p.erase_at', '=', rule.eraseAt)
    .where('p.planned_at', '<=', listedAt)
    .orderBy('p.lead_id')
    .limit(limit)
    .execute()
  if (planned.length === 0) return undefined
  const messages: ErasedMessage[] = []
  for (const { id, email, email_key } of planned) {
    await db.transaction().execute(async tx => {
      // Before the leads, as in every erasure.
      await lockCounts(tx, { wait: true })
      const leads = await leadsToErase(tx, email_key, rule, now)
      if (!leads.includes(id)) {
        await tx.deleteFrom('planned_erasures').where('lead_id', '=', id).execute()
        return
      }
      const by = { askedBy: RETENTION, reason: 'retention' as const, registeredAt: rule.eraseAt }
      const erased = await erasePersonIn(tx, email, { ...by, addressHash: undefined, now })
      messages.push(...erased.messages)
    })
  }
  return { messages, overwritten: true }
}

/**
 * The leads of a person, locked if in a transaction; none if the rule does not take all of them: if one is
 * open, paused or held, if something has happened lately, or if something is still to happen.
 */
async function leadsToErase(
  db: Kysely<Schema>,
  emailKey: string,
  rule: RetentionRule,
  now: number,
): Promise<number[]> {
  const unfiled = await findUnfiled(db, emailKey)
  const filed = await findFiled(db, emailKey)
  const { leads: ids, submissions } = filed
  if (unfiled.length > 0 || ids.length === 0) return []
  const leads = await db
    .selectFrom('leads')
    .select(['id', 'stage', 'paused_at', 'merged_into'])
    .where('id', 'in', ids)
    .execute()
  const cutoffs = leads.flatMap(({ stage, merged_into }) =>
    merged_into === null ? [cutoffOf(stage, rule)] : [],
  )
  if (cutoffs.includes(null) || leads.some(({ paused_at }) => paused_at !== null)) return []
  const before = Math.min(...cutoffs.map(cutoff => cutoff ?? 0))
  const { last } = await db
    .selectFrom('timeline')
    .select(eb => eb.fn.max('at').as('last'))
    .where('lead_id', 'in', ids)
    .executeTakeFirstOrThrow()
  if (Number(last ?? 0) >= before) return []
  const hold = await db
    .selectFrom('lead_holds')
    .select('lead_id')
    .where('lead_id', 'in', ids)
    .where(eb => eb.or([eb('until', 'is', null), eb('until', '>', now)]))
    .executeTakeFirst()
  if (hold !== undefined) return []
  const undecided = await db
    .selectFrom('quarantine')
    .select('submission_id')
    .where('submission_id', 'in', [0, ...submissions])
    .where('state', '=', sql.lit('held'))
    .executeTakeFirst()
  if (undecided !== undefined) return []
  for (const [kind, group] of Map.groupBy(messagesAbout(filed), message => message.kind)) {
    const waiting = await db
      .selectFrom('tasks')
      .select('id')
      .where('kind', '=', kind)
      .where(
        'subject',
        'in',
        group.map(({ subject }) => subject),
      )
      .where('state', '=', sql.lit('due'))
      .executeTakeFirst()
    if (waiting !== undefined) return []
  }
  return ids
}
