/** Queries on nightly exports. Each has one task, which is due again every night. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { addAlarm, endAlarm } from '../operators/alarms.ts'
import { type AuditEntry, audited, recordAudit } from '../operators/audit-log.ts'
import type { Schema } from '../tables/schema.ts'
import { AGAIN_AND_AGAIN } from '../tasks/again-and-again.ts'
import { BEGINS_AGAIN, hasNoClaim, postponeTask, type Task } from '../tasks/tasks.ts'

export type NightlyExport = {
  id: number
  name: string
  filter: string
  hour: number
  keepDays: number
  createdBy: string
  written: { at: number; file: string; leads: number } | undefined
  failed: { at: number; since: number; why: string } | undefined
}

export async function listNightlyExports(db: Kysely<Schema>): Promise<(NightlyExport & { dueAt: number })[]> {
  const rows = await db
    .selectFrom('nightly_exports')
    .innerJoin('tasks', join =>
      join.on('tasks.kind', '=', sql.lit('export')).onRef('tasks.subject', '=', 'nightly_exports.id'),
    )
    .selectAll('nightly_exports')
    .select('due_at')
    .orderBy('name')
    .execute()
  return rows.map(row => ({ ...toExport(row), dueAt: row.due_at }))
}

export async function readNightlyExport(db: Kysely<Schema>, id: number): Promise<NightlyExport | undefined> {
  const row = await db.selectFrom('nightly_exports').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toExport(row)
}

/** Adds a nightly export. Returns false if there is one with this name. */
export async function addNightlyExport(
  db: Kysely<Schema>,
  { keepDays, createdBy, ...chosen }: Pick<NightlyExport, 'name' | 'filter' | 'hour' | 'keepDays' | 'createdBy'>,
  { dueAt, now, audit }: { dueAt: number; now: number; audit: AuditEntry[] },
): Promise<boolean> {
  return audited(db, audit, async tx => {
    const added = await tx
      .insertInto('nightly_exports')
      .values({ ...chosen, keep_days: keepDays, created_by: createdBy, created_at: now })
      .onConflict(oc => oc.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (added === undefined) return false
    const task = { lane: 'exports', kind: 'export', subject: added.id, state: 'due', attempts: 0 } as const
    await tx
      .insertInto('tasks')
      .values({ ...task, due_at: dueAt, through: null, note: null, created_at: now })
      .execute()
    return true
  })
}

/** Deletes a nightly export. Its files stay until someone deletes them. */
export async function deleteNightlyExport(
  db: Kysely<Schema>,
  id: number,
  { now, audit }: { now: number; audit: AuditEntry[] },
): Promise<void> {
  await audited(db, audit, async tx => {
    await tx.deleteFrom('tasks').where('kind', '=', 'export').where('subject', '=', id).execute()
    await tx.deleteFrom('nightly_exports').where('id', '=', id).execute()
    await endAlarm(tx, causeOf(id), now)
  })
}

/** Makes a nightly export due immediately, unless its file is being written. */
export async function writeExportNow(
  db: Kysely<Schema>,
  id: number,
  { now, audit }: { now: number; audit: AuditEntry[] },
): Promise<void> {
  await audited(db, audit, async tx => {
    const due = { due_at: 0, scheduled_at: now, attempts: 0 }
    await tx
      .updateTable('tasks')
      .set(due)
      .where('kind', '=', 'export')
      .where('subject', '=', id)
      .where(hasNoClaim(now))
      .execute()
  })
}

/** Records that a file was written, in the audit log as well, and when the next one is due. */
export async function recordExport(
  db: Kysely<Schema>,
  task: Task,
  { file, leads, now, dueAt }: { file: string; leads: number; now: number; dueAt: number },
): Promise<void> {
  await db.transaction().execute(async tx => {
    if (!(await beginAgain(tx, task, { now, dueAt }))) return
    await tx
      .updateTable('nightly_exports')
      .set({ written_at: now, file, leads, failed_at: null, failed_since: null, failed_why: null })
      .where('id', '=', task.subject)
      .execute()
    await endAlarm(tx, causeOf(task.subject), now)
    const entry = { at: now, operatorId: null, actor: 'Frontdesk', action: 'wrote a nightly export' }
    await recordAudit(tx, { ...entry, detail: `${file}: ${leads}` })
  })
}

/** Records why a file could not be written, and when the next attempt is. */
export async function recordFailedExport(
  db: Kysely<Schema>,
  task: Task,
  { name, why, now, dueAt }: { name: string; why: string; now: number; dueAt: number },
): Promise<void> {
  await db.transaction().execute(async tx => {
    if (!(await postponeTask(tx, task, { dueAt, note: why, now }))) return
    await tx
      .updateTable('nightly_exports')
      .set(eb => ({ failed_at: now, failed_since: eb.fn.coalesce('failed_since', eb.val(now)), failed_why: why }))
      .where('id', '=', task.subject)
      .execute()
    if (task.attempts < AGAIN_AND_AGAIN) return
    const title = `The nightly export ${name} fails.`
    await addAlarm(
      tx,
      { cause: causeOf(task.subject), title, text: `${why}.`, path: '/export/nightly', since: now },
      now,
    )
  })
}

async function beginAgain(
  tx: Transaction<Schema>,
  { id, lease_token }: Task,
  { now, dueAt }: { now: number; dueAt: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('tasks')
    .set({ ...BEGINS_AGAIN, due_at: dueAt, scheduled_at: now })
    .where('id', '=', id)
    .where('lease_token', '=', lease_token)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** What its alarm is about. */
const causeOf = (id: number): string => `nightly export ${id}`

const toExport = (row: Selectable<Schema['nightly_exports']>): NightlyExport => ({
  id: row.id,
  name: row.name,
  filter: row.filter,
  hour: row.hour,
  keepDays: row.keep_days,
  createdBy: row.created_by,
  written:
    row.written_at === null ? undefined : { at: row.written_at, file: row.file ?? '', leads: Number(row.leads ?? 0) },
  failed:
    row.failed_at === null
      ? undefined
      : { at: row.failed_at, since: row.failed_since ?? row.failed_at, why: row.failed_why ?? '' },
})
