/** Queries on the passkeys of operators. */
import type { Kysely, Transaction } from 'kysely'
import { HOUR } from '../../platform/time.ts'
import type { Schema } from '../tables/schema.ts'
import { type AuditEntry, recordAndTell, recordAudit } from './audit-log.ts'
import { type Operator, readOperator } from './operators.ts'
import { type Proof, stillCounts } from './proof.ts'

export type Passkey = {
  /** The browser's id for it, in base64url. */
  id: string
  operatorId: number
  /** COSE key, in base64url. */
  publicKey: string
  /** How often it was used, according to its device. */
  counter: number
  name: string
  createdAt: number
  usedAt: number | null
}

/** Adds a passkey, unless there is a passkey with that id, or the proof no longer counts. */
export async function addPasskey(
  db: Kysely<Schema>,
  passkey: Omit<Passkey, 'usedAt'>,
  { proof, audit = [] }: { proof?: Proof; audit?: readonly AuditEntry[] } = {},
): Promise<'done' | 'exists' | 'unproven'> {
  return db.transaction().execute(async tx => {
    if (!(await stillCounts(tx, passkey.operatorId, proof))) return 'unproven'
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('passkeys')
      .values({
        id: passkey.id,
        operator_id: passkey.operatorId,
        public_key: passkey.publicKey,
        counter: passkey.counter,
        name: passkey.name,
        created_at: passkey.createdAt,
      })
      .onConflict(oc => oc.column('id').doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows !== 1n) return 'exists'
    await recordAndTell(tx, audit)
    return 'done'
  })
}

/** A passkey with its operator; undefined if there is none with that id. */
export async function readPasskey(
  db: Kysely<Schema>,
  id: string,
): Promise<{ passkey: Passkey; operator: Operator } | undefined> {
  const passkey = await db.selectFrom('passkeys').select(COLUMNS).where('id', '=', id).executeTakeFirst()
  const operator = passkey && (await readOperator(db, passkey.operatorId))
  return operator && { passkey, operator }
}

/** The passkeys of an operator, the first one first. */
export const listPasskeys = (db: Kysely<Schema>, operatorId: number): Promise<Passkey[]> =>
  db
    .selectFrom('passkeys')
    .select(COLUMNS)
    .where('operator_id', '=', operatorId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export async function recordPasskeyUse(
  db: Kysely<Schema>,
  id: string,
  { counter, now }: { counter: number; now: number },
): Promise<void> {
  await db.updateTable('passkeys').set({ counter, used_at: now }).where('id', '=', id).execute()
}

/** Records that a copy of a passkey was used. Its operator gets an email about it, at most once an hour. */
export async function recordCopiedPasskey(db: Kysely<Schema>, entry: AuditEntry): Promise<void> {
  await db.transaction().execute(async tx => {
    const told = await tx
      .selectFrom('audit_log')
      .select('id')
      .where('operator_id', '=', entry.operatorId)
      .where('action', '=', entry.action)
      .where('at', '>', entry.at - HOUR)
      .limit(1)
      .executeTakeFirst()
    await (told === undefined ? recordAndTell : recordAudit)(tx, entry)
  })
}

/** Removes a passkey. If there was one, the audit log says so. Returns false if the proof no longer counts. */
export async function removePasskey(
  db: Kysely<Schema>,
  operatorId: number,
  id: string,
  { proof, audit = [] }: { proof?: Proof; audit?: readonly AuditEntry[] } = {},
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    if (!(await stillCounts(tx, operatorId, proof))) return false
    if (await deletePasskey(tx, operatorId, id)) await recordAndTell(tx, audit)
    return true
  })
}

/** Deletes a passkey of an operator, inside a transaction. Returns whether there was one. */
export async function deletePasskey(tx: Transaction<Schema>, operatorId: number, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('passkeys')
    .where('operator_id', '=', operatorId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

const COLUMNS = [
  'id',
  'operator_id as operatorId',
  'public_key as publicKey',
  'counter',
  'name',
  'created_at as createdAt',
  'used_at as usedAt',
] as const
