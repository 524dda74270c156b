/** Requests to erase a person, which a second operator confirms. Each waits as a row, and ends once. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import { type AskedReason, confirmObstacle } from '../../leads/lead/erasure-reasons.ts'
import { type AuditEntry, audited, recordAudit } from '../operators/audit-log.ts'
import { type Operator, toOperator } from '../operators/operators.ts'
import { addMails } from '../outbox/outbox.ts'
import { takeTurns } from '../settings/secrets.ts'
import type { Schema } from '../tables/schema.ts'
import { type ErasureOptions, type ErasureReport, erasePersonIn } from './erasure.ts'
import { findRequests } from './person-ids.ts'

export type ErasureRequest = Selectable<Schema['erasure_requests']> & { askedBy: string }

/** The operator who acts. */
type By = { operator: { id: number; name: string }; now: number }

/** The entry for the audit log if something changes. */
type Audited = { audit: readonly AuditEntry[] }

/**
 * Asks to erase a person, and notifies everyone who may confirm. The number of the request is added to the audit entry.
 * If a request about the person is already waiting, returns that request's id.
 */
export async function requestErasure(
  db: Kysely<Schema>,
  person: string,
  { operator, now, reason, expiresAt, audit }: By & { reason: AskedReason; expiresAt: number } & Audited,
): Promise<{ id: number; isNew: boolean }> {
  return db.transaction().execute(async tx => {
    // If two operators ask to erase the same person at the same time, there is one request.
    await takeTurns(tx)
    const [known] = await findRequests(tx, emailKey(person))
    if (known !== undefined) return { id: known, isNew: false }
    const { id } = await tx
      .insertInto('erasure_requests')
      .values({ person, reason, asked_by: operator.id, created_at: now, expires_at: expiresAt })
      .returning('id')
      .executeTakeFirstOrThrow()
    const others = await listConfirmers(tx, { asked_by: operator.id, created_at: now })
    const mails = others.map(({ id: step }) => ({ kind: 'erasure' as const, subject: id, step }))
    await addMails(tx, mails, now)
    await recordAudit(
      tx,
      audit.map(entry => ({ ...entry, detail: `request ${id}` })),
    )
    return { id, isNew: true }
  })
}

/** The operators who may confirm a request. */
export async function listConfirmers(
  db: Kysely<Schema>,
  { asked_by, created_at }: Pick<ErasureRequest, 'asked_by' | 'created_at'>,
): Promise<Operator[]> {
  const rows = await db.selectFrom('operators').selectAll().orderBy('id').execute()
  const operators = rows.map(toOperator)
  const asker = operators.find(({ id }) => id === asked_by)
  if (asker === undefined) return []
  return operators.filter(
    one =>
      (one.role === 'admin' || one.role === 'manager') &&
      !one.disabled &&
      confirmObstacle(one, asker, created_at) === undefined,
  )
}

/** The requests that wait, the oldest first. */
export async function listErasureRequests(db: Kysely<Schema>): Promise<ErasureRequest[]> {
  return selectRequests(db).where('outcome', 'is', null).orderBy('r.id').execute()
}

export async function readErasureRequest(db: Kysely<Schema>, id: number): Promise<ErasureRequest | undefined> {
  return selectRequests(db).where('r.id', '=', id).executeTakeFirst()
}

const selectRequests = (db: Kysely<Schema>) =>
  db
    .selectFrom('erasure_requests as r')
    .innerJoin('operators as o', 'o.id', 'r.asked_by')
    .selectAll('r')
    .select('o.name as askedBy')

/**
 * Erases the person that a request is about, in one transaction with the end of the request. `addressHash` and
 * `otherHashes` belong to this person. Returns undefined if the request does not wait anymore, or if the operator may
 * not confirm it.
 */
export async function confirmErasure(
  db: Kysely<Schema>,
  id: number,
  { operator, now, ...options }: By & Pick<ErasureOptions, 'addressHash' | 'otherHashes' | 'audit'>,
): Promise<ErasureReport | undefined> {
  return db.transaction().execute(async tx => {
    const request = await lockWaiting(tx, id, now)
    if (request?.person == null) return undefined
    const confirmers = await listConfirmers(tx, request)
    if (!confirmers.some(({ id }) => id === operator.id)) return undefined
    const { name: askedBy } = await tx
      .selectFrom('operators')
      .select('name')
      .where('id', '=', request.asked_by)
      .executeTakeFirstOrThrow()
    return erasePersonIn(tx, request.person, {
      askedBy,
      confirmedBy: operator.name,
      reason: request.reason,
      ...options,
      now,
    })
  })
}

/**
 * Ends a request without erasing anyone. If the operator who asked does this, the request counts as withdrawn. If
 * another operator does, it counts as refused, and we notify the operator who asked. Returns false if the request does
 * not wait anymore.
 */
export async function declineErasure(
  db: Kysely<Schema>,
  id: number,
  { operator, now, audit }: By & Audited,
): Promise<boolean> {
  return audited(db, audit, async tx => {
    const request = await lockWaiting(tx, id, now)
    if (request === undefined) return false
    const outcome = request.asked_by === operator.id ? 'withdrawn' : 'refused'
    await endRequest(tx, id, { outcome, decided_at: now, decided_by: operator.name })
    const mail = { kind: 'erasure' as const, subject: id, step: request.asked_by }
    if (outcome === 'refused') await addMails(tx, [mail], now)
    return true
  })
}

/** Ends the requests that have expired, and notifies the operators who asked. Returns how many there were. */
export async function expireErasureRequests(db: Kysely<Schema>, now: number): Promise<number> {
  return db.transaction().execute(async tx => {
    const over = await tx
      .selectFrom('erasure_requests')
      .select(['id', 'asked_by'])
      .where('outcome', 'is', null)
      .where('expires_at', '<=', now)
      .forUpdate()
      .execute()
    for (const { id } of over) await endRequest(tx, id, { outcome: 'expired', decided_at: now, decided_by: null })
    const mails = over.map(({ id, asked_by }) => ({ kind: 'erasure' as const, subject: id, step: asked_by }))
    await addMails(tx, mails, now)
    return over.length
  })
}

async function lockWaiting(tx: Transaction<Schema>, id: number, now: number) {
  return tx
    .selectFrom('erasure_requests')
    .selectAll()
    .where('id', '=', id)
    .where('outcome', 'is', null)
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst()
}

const endRequest = (
  tx: Transaction<Schema>,
  id: number,
  decision: Pick<Selectable<Schema['erasure_requests']>, 'outcome' | 'decided_at' | 'decided_by'>,
) =>
  tx
    .updateTable('erasure_requests')
    .set({ person: null, ...decision })
    .where('id', '=', id)
    .where('outcome', 'is', sql.lit(null))
    .execute()
