/** Queries on operators, the people who sign in to the console. */
import type { ExpressionBuilder, Kysely, Selectable, Transaction } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import type { Role } from '../../leads/lead/roles.ts'
import type { OperatorTables } from '../tables/console-tables.ts'
import type { Schema } from '../tables/schema.ts'
import { type AuditEntry, audited, changeAudited, recordAndTell } from './audit-log.ts'
import { type Proof, stillCounts } from './proof.ts'

export type Operator = {
  id: number
  email: string
  name: string
  role: Role
  /** Whether a password was chosen, so that an invitation is no longer needed. */
  hasPassword: boolean
  /** Whether they have set up codes from an authenticator app. */
  hasSecondFactor: boolean
  /** When they were first asked for a second factor, because their role needs one; null if it does not. */
  factorAskedAt: number | null
  /** Whether single keys are shortcuts. */
  shortcuts: boolean
  /** The text below the emails that they write; may be empty. */
  signature: string
  /** Their order and columns for lists of leads; null until they have chosen. */
  listOrder: string | null
  listColumns: string[] | null
  createdAt: number
  disabled: boolean
  /** The id of the operator who invited them in the console. */
  invitedBy: number | null
}

export type NewOperator = { email: string; name: string; role: Role; invitedBy?: number; now: number }

/** Adds an operator. Returns the id; undefined if there is an operator with that address. */
export async function addOperator(
  db: Kysely<Schema>,
  { email, name, role, invitedBy, now }: NewOperator,
): Promise<number | undefined> {
  const added = await db
    .insertInto('operators')
    .values({ email, email_key: emailKey(email), name, role, created_at: now, invited_by: invitedBy ?? null })
    .onConflict(oc => oc.column('email_key').doNothing())
    .returning('id')
    .executeTakeFirst()
  return added?.id
}

/** All operators, by name. */
export async function listOperators(db: Kysely<Schema>): Promise<(Operator & { hasPasskey: boolean })[]> {
  const rows = await db.selectFrom('operators').selectAll().select(hasPasskey).orderBy('name').orderBy('id').execute()
  return rows.map(row => ({ ...toOperator(row), hasPasskey: Boolean(row.has_passkey) }))
}

/** Whether the operator of a row has a passkey. SQLite returns a number. */
export const hasPasskey = ({ exists, selectFrom }: ExpressionBuilder<Schema, 'operators'>) =>
  exists(selectFrom('passkeys').select('passkeys.id').whereRef('passkeys.operator_id', '=', 'operators.id')).as(
    'has_passkey',
  )

export async function readOperator(db: Kysely<Schema>, id: number): Promise<Operator | undefined> {
  const row = await db.selectFrom('operators').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toOperator(row)
}

/** The operator with that address, and the secrets that prove who they are. */
export async function findOperator(
  db: Kysely<Schema>,
  email: string,
): Promise<{ operator: Operator; password: string | null; totpSecret: string | null } | undefined> {
  const row = await db.selectFrom('operators').selectAll().where('email_key', '=', emailKey(email)).executeTakeFirst()
  return row && { operator: toOperator(row), password: row.password, totpSecret: row.totp_secret }
}

/**
 * Sets the hash of a password, and ends every session of the operator, and the links to choose one. Returns false if
 * the proof no longer counts.
 */
export async function setPassword(
  db: Kysely<Schema>,
  operatorId: number,
  { password, now, proof, audit = [] }: NewPassword,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    if (!(await stillCounts(tx, operatorId, proof))) return false
    await tx.updateTable('operators').set({ password }).where('id', '=', operatorId).execute()
    await tx.deleteFrom('sessions').where('operator_id', '=', operatorId).execute()
    await endLinks(tx, operatorId, { now })
    await recordAndTell(tx, audit)
    return true
  })
}

type NewPassword = { password: string; now: number; proof?: Proof; audit?: readonly AuditEntry[] }

/** Ends the links to choose a password: all of an operator's links, or those for one purpose. */
export async function endLinks(
  tx: Transaction<Schema>,
  operatorId: number,
  { purpose, now }: { purpose?: Schema['operator_links']['purpose']; now: number },
): Promise<void> {
  await tx
    .updateTable('operator_links')
    .set({ used_at: now })
    .where('operator_id', '=', operatorId)
    .where('used_at', 'is', null)
    .$if(purpose !== undefined, query => query.where('purpose', '=', purpose ?? 'reset'))
    .execute()
}

/**
 * Changes the role of an operator. Returns whether it was a different one before; only then, the audit log says so.
 * `by`: the admin who changes it. Nothing changes unless they are still an admin.
 */
export async function setRole(
  db: Kysely<Schema>,
  operatorId: number,
  role: Role,
  { audit = [], by }: { audit?: readonly AuditEntry[]; by?: number } = {},
): Promise<boolean> {
  return audited(db, audit, async tx => {
    if (!(await isStillAdmin(tx, by, operatorId))) return false
    const { numUpdatedRows } = await tx
      .updateTable('operators')
      .set({ role })
      .where('id', '=', operatorId)
      .where('role', '!=', role)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  })
}

/**
 * Locks an operator and the admin who changes them. Returns whether the latter is still an admin: two admins may change
 * each other at the same moment, and one must remain. A command (`by` is undefined) may do everything.
 */
async function isStillAdmin(tx: Transaction<Schema>, by: number | undefined, operatorId: number): Promise<boolean> {
  if (by === undefined) return true
  const both = await tx
    .selectFrom('operators')
    .select(['id', 'role', 'disabled_at'])
    .where('id', 'in', [by, operatorId])
    .orderBy('id')
    .forUpdate()
    .execute()
  return both.some(one => one.id === by && one.role === 'admin' && one.disabled_at === null)
}

/**
 * Disables an operator, and ends their sessions. Returns whether they were enabled before. `by`: the admin who disables
 * them. Nothing changes unless they are still an admin.
 */
export async function disableOperator(
  db: Kysely<Schema>,
  operatorId: number,
  { now, audit, by }: { now: number; audit: AuditEntry | readonly AuditEntry[]; by?: number },
): Promise<boolean> {
  return audited(db, audit, async tx => {
    if (!(await isStillAdmin(tx, by, operatorId))) return false
    const { numUpdatedRows } = await tx
      .updateTable('operators')
      .set({ disabled_at: now })
      .where('id', '=', operatorId)
      .where('disabled_at', 'is', null)
      .executeTakeFirst()
    await tx.deleteFrom('sessions').where('operator_id', '=', operatorId).execute()
    return numUpdatedRows === 1n
  })
}

/** Lets a disabled operator in again. Returns whether they were disabled; only then, the audit log says so. */
export async function enableOperator(
  db: Kysely<Schema>,
  operatorId: number,
  audit: readonly AuditEntry[] = [],
): Promise<boolean> {
  return changeAudited(db, audit, tx =>
    tx
      .updateTable('operators')
      .set({ disabled_at: null })
      .where('id', '=', operatorId)
      .where('disabled_at', 'is not', null),
  )
}

export async function setShortcuts(db: Kysely<Schema>, operatorId: number, on: boolean): Promise<void> {
  await db
    .updateTable('operators')
    .set({ shortcuts: Number(on) })
    .where('id', '=', operatorId)
    .execute()
}

export async function setSignature(db: Kysely<Schema>, operatorId: number, signature: string): Promise<void> {
  await db.updateTable('operators').set({ signature }).where('id', '=', operatorId).execute()
}

/** Saves how an operator wants lists of leads. Choices that are left out stay as they are. */
export async function chooseList(
  db: Kysely<Schema>,
  operatorId: number,
  { order, columns }: { order?: string; columns?: readonly string[] },
): Promise<void> {
  await db
    .updateTable('operators')
    .set({ ...(order !== undefined && { list_order: order }), ...(columns && { list_columns: columns.join(' ') }) })
    .where('id', '=', operatorId)
    .execute()
}

export const toOperator = (row: Selectable<OperatorTables['operators']>): Operator => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  hasPassword: row.password !== null,
  hasSecondFactor: row.totp_secret !== null,
  factorAskedAt: row.factor_asked_at,
  shortcuts: row.shortcuts === 1,
  signature: row.signature,
  listOrder: row.list_order,
  listColumns: row.list_columns?.split(' ').filter(Boolean) ?? null,
  createdAt: row.created_at,
  disabled: row.disabled_at !== null,
  invitedBy: row.invited_by,
})
