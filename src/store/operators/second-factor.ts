/** Queries on the second factor of operators. */
import type { Kysely } from 'kysely'
import type { Schema } from '../tables/schema.ts'
import { type AuditEntry, recordAndTell } from './audit-log.ts'
import { type Proof, stillCounts } from './proof.ts'

/** Turns the second factor on; earlier recovery codes stop working. Returns false if the proof no longer counts. */
export async function setSecondFactor(
  db: Kysely<Schema>,
  operatorId: number,
  { secret, step, codeHashes, proof, audit = [] }: NewFactor,
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    if (!(await stillCounts(tx, operatorId, proof))) return false
    await tx
      .updateTable('operators')
      .set({ totp_secret: secret, totp_step: step })
      .where('id', '=', operatorId)
      .execute()
    await tx.deleteFrom('recovery_codes').where('operator_id', '=', operatorId).execute()
    await tx
      .insertInto('recovery_codes')
      .values(codeHashes.map(code_hash => ({ operator_id: operatorId, code_hash })))
      .execute()
    await recordAndTell(tx, audit)
    return true
  })
}

type Change = { proof?: Proof; audit?: readonly AuditEntry[] }
type NewFactor = Change & { secret: string; step: number; codeHashes: string[] }

export async function listTotpSecrets(db: Kysely<Schema>): Promise<{ operatorId: number; secret: string }[]> {
  return db
    .selectFrom('operators')
    .select(['id as operatorId', 'totp_secret as secret'])
    .where('totp_secret', 'is not', null)
    .$narrowType<{ secret: string }>()
    .execute()
}

/** Turns the second factor off. Returns false if the proof no longer counts. */
export async function removeSecondFactor(
  db: Kysely<Schema>,
  operatorId: number,
  { proof, audit = [] }: Change = {},
): Promise<boolean> {
  return db.transaction().execute(async tx => {
    if (!(await stillCounts(tx, operatorId, proof))) return false
    await tx.updateTable('operators').set({ totp_secret: null, totp_step: null }).where('id', '=', operatorId).execute()
    await tx.deleteFrom('recovery_codes').where('operator_id', '=', operatorId).execute()
    await recordAndTell(tx, audit)
    return true
  })
}

/** Uses the code of a time step. Returns false if the same or a later code was already used. */
export async function useTotpStep(db: Kysely<Schema>, operatorId: number, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('operators')
    .set({ totp_step: step })
    .where('id', '=', operatorId)
    .where('totp_secret', 'is not', null)
    .where('totp_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Uses a recovery code. Returns false if there is none with that hash. */
export async function useRecoveryCode(db: Kysely<Schema>, operatorId: number, codeHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('operator_id', '=', operatorId)
    .where('code_hash', '=', codeHash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

export async function countRecoveryCodes(db: Kysely<Schema>, operatorId: number): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_codes')
    .select(eb => eb.fn.countAll().as('left'))
    .where('operator_id', '=', operatorId)
    .executeTakeFirstOrThrow()
  return Number(left)
}

/** Records when an operator was first asked for a second factor; null if their role no longer needs one. */
export async function askForFactor(db: Kysely<Schema>, operatorId: number, at: number | null): Promise<void> {
  await db
    .updateTable('operators')
    .set({ factor_asked_at: at })
    .where('id', '=', operatorId)
    .$if(at !== null, query => query.where('factor_asked_at', 'is', null))
    .execute()
}
