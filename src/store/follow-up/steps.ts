/** Queries on the steps of the cadence: which a lead has, and when they are due. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type Cadence, stepsOn, type Track, tracks } from '../../follow-up/cadence.ts'
import type { PastStep, PlannedStep, Restart } from '../../follow-up/schedule.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { readMailFacts } from '../leads/entry-row.ts'
import { asLead, lockLeadShared } from '../leads/leads.ts'
import { readTried } from '../leads/tried-to-reach.ts'
import type { Schema } from '../tables/schema.ts'
import { BEGINS_AGAIN } from '../tasks/tasks.ts'
import { parseCadence } from './cadence-versions.ts'

export type FollowUp = {
  lead: Lead
  cadence: Cadence
  cadenceId: number
  /** The moment that the cadence counts from. */
  since: number
  /** Whether someone at the school has tried to reach the person. */
  tried: boolean
  /** When the lead will be closed if no one tries to reach them; null until someone has been warned. */
  closingAt: number | null
  steps: (PastStep & { dueAt: number; note: string | null })[]
}

/** The follow-up of a lead; undefined if there is no such lead or it has no follow-up. */
export async function readFollowUp(db: Kysely<Schema>, leadId: number): Promise<FollowUp | undefined> {
  const row = await db
    .selectFrom('leads')
    .innerJoin('cadences', 'cadences.id', 'leads.cadence_id')
    .selectAll('leads')
    .select(['cadences.id as cadenceId', 'cadences.steps'])
    .where('leads.id', '=', leadId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const steps = await db
    .selectFrom('tasks')
    .select(['step', 'state', 'due_at as dueAt', 'finished_at as finishedAt', 'note'])
    .where('kind', '=', 'step')
    .where('subject', '=', leadId)
    .orderBy('step')
    .execute()
  return {
    lead: asLead(row),
    cadence: parseCadence(row.steps),
    cadenceId: row.cadenceId,
    since: row.follow_up_since ?? row.created_at,
    tried: await readTried(db, leadId),
    closingAt: row.closing_at,
    steps,
  }
}

/** The name of the person at the school who last got the message of the step with this name, about a lead. */
export async function readReminded(db: Kysely<Schema>, leadId: number, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('timeline')
    .select('mail')
    .where('lead_id', '=', leadId)
    .where('kind', '=', sql.lit('email'))
    .where('detail', '=', name)
    // Ordered by id, not by time, since a clock may have been set back meanwhile.
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return readMailFacts(row?.mail ?? null)?.to
}

/** Opens steps of a lead. A step that is open already is not opened again. */
export async function addSteps(
  db: Kysely<Schema>,
  leadId: number,
  steps: readonly PlannedStep[],
  now: number,
): Promise<void> {
  await addStepsOf(
    db,
    steps.map(step => ({ leadId, ...step })),
    now,
  )
}

/** Does the same for several leads. */
export async function addStepsOf(
  db: Kysely<Schema>,
  steps: readonly (PlannedStep & { leadId: number })[],
  now: number,
): Promise<void> {
  if (steps.length === 0) return
  await db
    .insertInto('tasks')
    .values(
      steps.map(({ leadId, step, track, dueAt }) => ({
        lane: track === 'student' ? ('letters' as const) : ('follow-up' as const),
        kind: 'step' as const,
        subject: leadId,
        step,
        through: null,
        due_at: dueAt,
        state: 'due' as const,
        attempts: 0,
        created_at: now,
      })),
    )
    .onConflict(oc => oc.columns(['kind', 'subject', 'step']).doNothing())
    .execute()
}

/** Opens a step of a lead while the step before it is not concluded yet, unless the lead is gone. */
export async function openStep(db: Kysely<Schema>, leadId: number, step: PlannedStep, now: number): Promise<void> {
  await db.transaction().execute(async tx => {
    if ((await lockLeadShared(tx, leadId)) !== undefined) await addSteps(tx, leadId, [step], now)
  })
}

/**
 * Reschedules open steps of a lead, and resets their attempts. If a worker has claimed one, the claim ends, since the
 * worker still has the old time. But a step whose message may be on its way does not change, since the message would be
 * sent twice.
 */
export async function rescheduleSteps(
  tx: Transaction<Schema>,
  leadId: number,
  steps: readonly Pick<PlannedStep, 'step' | 'dueAt'>[],
  now: number,
): Promise<void> {
  await withdrawWarning(tx, leadId)
  for (const { step, dueAt } of steps) {
    await tx
      .updateTable('tasks')
      .set({ ...BEGINS_AGAIN, due_at: dueAt, scheduled_at: now })
      .where('kind', '=', 'step')
      .where('subject', '=', leadId)
      .where('step', '=', step)
      .where('state', '=', sql.lit('due'))
      .where(({ eb, or }) =>
        or([eb('begun_at', 'is', null), eb('lease_until', 'is', null), eb('lease_until', '<=', now)]),
      )
      .execute()
  }
}

/** Restarts tracks whose steps are over. One that still has an open step stays, but the end of the cadence moves. */
export async function restartSteps(
  tx: Transaction<Schema>,
  leadId: number,
  restarts: readonly Restart[],
  now: number,
): Promise<void> {
  for (const restart of restarts) {
    const { underWay, first } = restart
    const track = tx
      .selectFrom('tasks')
      .select(['step', 'due_at'])
      .where('kind', '=', 'step')
      .where('subject', '=', leadId)
      .where('step', 'in', underWay)
      .where('state', '=', sql.lit('due'))
    const open = underWay.length === 0 ? undefined : await track.executeTakeFirst()
    if (open === undefined) await beginTrackAgain(tx, leadId, restart, now)
    else if (first.track === 'end' && open.due_at < first.dueAt)
      await rescheduleSteps(tx, leadId, [{ step: open.step, dueAt: first.dueAt }], now)
  }
}

/** Starts a track over, whether its steps are over or not. */
export const beginTrackAgain = (
  tx: Transaction<Schema>,
  leadId: number,
  restart: Restart,
  now: number,
): Promise<void> => beginTracksAgain(tx, [{ leadId, ...restart }], now)

/** Does the same for a track of each of several leads. */
export async function beginTracksAgain(
  tx: Transaction<Schema>,
  restarts: readonly (Restart & { leadId: number })[],
  now: number,
): Promise<void> {
  for (const { leadId, first } of restarts) if (first.track === 'end') await withdrawWarning(tx, leadId)
  for (const [, alike] of Map.groupBy(restarts, ({ steps }) => steps.join())) {
    const leadIds = alike.map(({ leadId }) => leadId)
    await deleteSteps(tx, leadIds, alike[0]?.steps ?? [])
  }
  await addStepsOf(
    tx,
    restarts.map(({ leadId, first }) => ({ leadId, ...first })),
    now,
  )
}

/** If the close of a lead is postponed, the old warning no longer counts, and there will be another one. */
async function withdrawWarning(tx: Transaction<Schema>, leadId: number) {
  await tx
    .updateTable('leads')
    .set({ closing_at: null })
    .where('id', '=', leadId)
    .where('closing_at', 'is not', null)
    .execute()
}

async function deleteSteps(tx: Transaction<Schema>, leadIds: readonly number[], steps: readonly number[]) {
  await tx
    .deleteFrom('tasks')
    .where('kind', '=', 'step')
    .where('subject', 'in', leadIds)
    .where('step', 'in', steps)
    .execute()
}

/**
 * Reopens steps that were skipped because the lead was past `new` for a while, each at its own time. On each track, it
 * opens the first of them; the later ones follow.
 */
export async function reopenSkipped(
  tx: Transaction<Schema>,
  leadId: number,
  cadence: Cadence,
  since: number,
  only: readonly Track[] = tracks,
): Promise<void> {
  for (const track of only) {
    const steps = stepsOn(cadence, track)
    if (steps.length === 0) continue
    const first = await tx
      .selectFrom('tasks')
      .select(['id', 'step'])
      .where('kind', '=', 'step')
      .where('subject', '=', leadId)
      .where('step', 'in', steps)
      .where('state', '=', sql.lit('skipped'))
      .where('finished_at', '>=', since)
      .orderBy('step')
      .executeTakeFirst()
    if (first === undefined) continue
    await tx
      .deleteFrom('tasks')
      .where('kind', '=', 'step')
      .where('subject', '=', leadId)
      .where('step', 'in', steps)
      .where('step', '>', first.step)
      .execute()
    await tx.updateTable('tasks').set(BEGINS_AGAIN).where('id', '=', first.id).execute()
  }
}
