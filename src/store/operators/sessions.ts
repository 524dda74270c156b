/** Queries on the sessions of operators. */
import type { ExpressionBuilder, Kysely } from 'kysely'
import { DAY, HOUR, MINUTE } from '../../platform/time.ts'
import type { Schema } from '../tables/schema.ts'
import { type AuditEntry, audited, changeAudited } from './audit-log.ts'
import { hasPasskey, type Operator, toOperator } from './operators.ts'
import { type Proof, stillCounts } from './proof.ts'

/** A session ends this long after its last request, and this long after it began, in milliseconds. */
export const SESSION_IDLE = 12 * HOUR
export const SESSION_LIFETIME = 7 * DAY

/** When a session was last seen is recorded at most this often. */
const SEEN_EVERY = 1 * MINUTE

export type Session = { tokenHash: string; createdAt: number; seenAt: number; network: string; browser: string }

type NewSession = Omit<Session, 'createdAt' | 'seenAt'> & { now: number; proof?: Proof; audit?: readonly AuditEntry[] }

/**
 * Begins a session, and deletes those that are over. With a proof, returns false if it is no longer valid: verifying a
 * password takes a moment, in which the person may have changed it.
 */
export async function addSession(
  db: Kysely<Schema>,
  operatorId: number,
  { tokenHash, network, browser, now, proof, audit = [] }: NewSession,
): Promise<boolean> {
  const began = await audited(db, audit, async tx => {
    if (!(await stillCounts(tx, operatorId, proof))) return false
    await tx
      .insertInto('sessions')
      .values({ token_hash: tokenHash, operator_id: operatorId, created_at: now, seen_at: now, network, browser })
      .execute()
    return true
  })
  await db
    .deleteFrom('sessions')
    .where(eb => eb.or([eb('seen_at', '<=', now - SESSION_IDLE), eb('created_at', '<=', now - SESSION_LIFETIME)]))
    .execute()
  return began
}

/** The operator of a session that is not over, unless they are disabled. Records that it was seen. */
export async function readSession(
  db: Kysely<Schema>,
  tokenHash: string,
  now: number,
): Promise<{ operator: Operator; session: Session; hasPasskey: boolean } | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('operators', 'operators.id', 'sessions.operator_id')
    .selectAll('operators')
    .select(hasPasskey)
    .select(['sessions.created_at as began_at', 'sessions.seen_at', 'sessions.network', 'sessions.browser'])
    .where('token_hash', '=', tokenHash)
    .where('seen_at', '>', now - SESSION_IDLE)
    .where('sessions.created_at', '>', now - SESSION_LIFETIME)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { began_at: createdAt, seen_at: seenAt, network, browser } = row
  if (seenAt < now - SEEN_EVERY) {
    await db.updateTable('sessions').set({ seen_at: now }).where('token_hash', '=', tokenHash).execute()
  }
  return {
    operator: toOperator(row),
    session: { tokenHash, createdAt, seenAt, network, browser },
    hasPasskey: Boolean(row.has_passkey),
  }
}

/** Whether the operator of a row has a session that is not over. SQLite answers with a number. */
export const isSignedIn =
  (now: number) =>
  ({ exists, selectFrom }: ExpressionBuilder<Schema, 'operators'>) =>
    exists(
      selectFrom('sessions')
        .select('sessions.token_hash')
        .whereRef('sessions.operator_id', '=', 'operators.id')
        .where('sessions.seen_at', '>', now - SESSION_IDLE)
        .where('sessions.created_at', '>', now - SESSION_LIFETIME),
    ).as('signed_in')

/** Ends a session of an operator. Returns whether there was one; only then, the audit log says so. */
export async function endSession(
  db: Kysely<Schema>,
  operatorId: number,
  tokenHash: string,
  audit: readonly AuditEntry[] = [],
): Promise<boolean> {
  return changeAudited(db, audit, tx =>
    tx.deleteFrom('sessions').where('operator_id', '=', operatorId).where('token_hash', '=', tokenHash),
  )
}

/** Ends every session of an operator but one. If there were others, the audit log says so. */
export async function endOtherSessions(
  db: Kysely<Schema>,
  operatorId: number,
  tokenHash: string,
  audit: readonly AuditEntry[] = [],
): Promise<void> {
  await changeAudited(db, audit, tx =>
    tx.deleteFrom('sessions').where('operator_id', '=', operatorId).where('token_hash', '!=', tokenHash),
  )
}

/** The sessions of an operator that are not over, the latest first. */
export const listSessions = (db: Kysely<Schema>, operatorId: number, now: number): Promise<Session[]> =>
  db
    .selectFrom('sessions')
    .select(['token_hash as tokenHash', 'created_at as createdAt', 'seen_at as seenAt', 'network', 'browser'])
    .where('operator_id', '=', operatorId)
    .where('seen_at', '>', now - SESSION_IDLE)
    .where('created_at', '>', now - SESSION_LIFETIME)
    .orderBy('seen_at', 'desc')
    .orderBy('token_hash')
    .execute()
