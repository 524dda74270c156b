/** Whether the proof of an operator's identity is still valid when something is stored because of it. */
import type { Transaction } from 'kysely'
import type { Schema } from '../tables/schema.ts'

/** The proof: the hash of the typed password, the id of their passkey, or the hash of their session's token. */
export type Proof = { password: string } | { passkey: string } | { session: string }

/**
 * Verifying a password takes a moment, in which the person may have changed it and so ended every session. A change of
 * a proof comes either before this transaction or waits for it. Without a proof, there is nothing to check.
 */
export async function stillCounts(
  tx: Transaction<Schema>,
  operatorId: number,
  proof: Proof | undefined,
): Promise<boolean> {
  if (proof === undefined) return true
  const operator = await tx
    .selectFrom('operators')
    .select('password')
    .where('id', '=', operatorId)
    .where('disabled_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (operator === undefined) return false
  if ('password' in proof) return operator.password === proof.password
  const found =
    'passkey' in proof
      ? await tx
          .selectFrom('passkeys')
          .select('id')
          .where('id', '=', proof.passkey)
          .where('operator_id', '=', operatorId)
          .executeTakeFirst()
      : await tx
          .selectFrom('sessions')
          .select('token_hash as id')
          .where('token_hash', '=', proof.session)
          .where('operator_id', '=', operatorId)
          .executeTakeFirst()
  return found !== undefined
}
