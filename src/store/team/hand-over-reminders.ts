/** The reminders of leads that are handed over: they start again for the new owner, and an undo restores them. */
import { sql, type Transaction } from 'kysely'
import type { Restart } from '../../follow-up/schedule.ts'
import type { Was } from '../../leads/lead/timeline-entries.ts'
import { type StepRow, stepColumns } from '../follow-up/step-rows.ts'
import { beginTracksAgain } from '../follow-up/steps.ts'
import type { Schema } from '../tables/schema.ts'

/** The reminders of one lead that start again. */
export type LeadRestart = Restart & { leadId: number }

/**
 * The reminders that these leads have had so far, by lead. Reminders that never began, such as those of imported leads,
 * do not begin because the owner changes.
 */
export async function readReminders(
  tx: Transaction<Schema>,
  restarts: readonly LeadRestart[],
): Promise<Map<number, StepRow[]>> {
  const reminders = new Map<number, StepRow[]>()
  for (const [leadIds, steps] of alike(restarts)) {
    const rows = await tx
      .selectFrom('tasks')
      .select(stepColumns)
      .where('kind', '=', sql.lit('step'))
      .where('subject', 'in', leadIds)
      .where('step', 'in', steps)
      .orderBy('step')
      .execute()
    for (const [leadId, ofLead] of Map.groupBy(rows, ({ subject }) => subject)) reminders.set(leadId, ofLead)
  }
  return reminders
}

type HandedLead = { lead_id: number; entry_id: number; was: Was | null }

/**
 * Restores the reminders of leads as they were before the hand-over; those that were due since then come immediately.
 * If the person has written since, someone has to answer, so the reminders start again.
 */
export async function giveBackReminders(
  tx: Transaction<Schema>,
  handed: readonly HandedLead[],
  restarts: readonly LeadRestart[],
  now: number,
): Promise<void> {
  const began = await readReminders(tx, restarts)
  const wrote = await wroteSince(tx, handed)
  const before = new Map(handed.map(({ lead_id, was }) => [lead_id, was?.reminders]))
  const again = restarts.filter(
    ({ leadId }) => began.has(leadId) && (wrote.has(leadId) || before.get(leadId) === undefined),
  )
  await beginTracksAgain(tx, again, now)
  const put = restarts.filter(({ leadId }) => !wrote.has(leadId) && (before.get(leadId)?.length ?? 0) > 0)
  for (const [leadIds, steps] of alike(put))
    await tx
      .deleteFrom('tasks')
      .where('kind', '=', sql.lit('step'))
      .where('subject', 'in', leadIds)
      .where('step', 'in', steps)
      .execute()
  const rows = put.flatMap(({ leadId }) => before.get(leadId) ?? [])
  const values = rows.map(row => Object.fromEntries(stepColumns.map(name => [name, row[name]])))
  if (values.length > 0)
    await tx
      .insertInto('tasks')
      .values(values as never)
      .execute()
}

/** Groups leads whose reminders have the same positions in their cadences: one statement is enough for each group. */
const alike = (restarts: readonly LeadRestart[]): [number[], readonly number[]][] =>
  [...Map.groupBy(restarts, ({ steps }) => steps.join()).values()].map(some => [
    some.map(({ leadId }) => leadId),
    some[0]?.steps ?? [],
  ])

async function wroteSince(tx: Transaction<Schema>, handed: readonly HandedLead[]): Promise<Set<number>> {
  if (handed.length === 0) return new Set()
  const entryOf = new Map(handed.map(({ lead_id, entry_id }) => [lead_id, entry_id]))
  const rows = await tx
    .selectFrom('timeline')
    .select(eb => ['lead_id', eb.fn.max('id').as('last')])
    .where('lead_id', 'in', [...entryOf.keys()])
    .where('kind', 'in', ['submission', 'reply'])
    .groupBy('lead_id')
    .execute()
  const since = rows.filter(({ lead_id, last }) => Number(last) > (entryOf.get(lead_id) ?? 0))
  return new Set(since.map(({ lead_id }) => lead_id))
}
