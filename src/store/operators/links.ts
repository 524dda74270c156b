/** Queries on the links that let an operator in once: to choose the first password, or a new one. */
import type { Kysely, Transaction } from 'kysely'
import { emailKey } from '../../leads/body/email.ts'
import { DAY, HOUR, MINUTE } from '../../platform/time.ts'
import { addMail } from '../outbox/outbox.ts'
import { takeTurns } from '../settings/secrets.ts'
import type { Schema } from '../tables/schema.ts'
import { type AuditEntry, audited, recordAndTell, recordAudit } from './audit-log.ts'
import { addOperator, endLinks, type NewOperator, type Operator, toOperator } from './operators.ts'
import { deletePasskey } from './passkeys.ts'

export type LinkPurpose = Schema['operator_links']['purpose']

/** How long a link works, in milliseconds. */
export const LINK_LIFETIME: Record<LinkPurpose, number> = { first: 1 * DAY, invitation: 7 * DAY, reset: 1 * HOUR }

/**
 * A person who asks again within this time, in milliseconds, does not get another email. The time doubles with each
 * email of a day, since anyone can ask in the name of an operator, up to the time for which the last link works.
 */
const RESET_PAUSE = 5 * MINUTE

export type OperatorLink = {
  id: number
  purpose: LinkPurpose
  nonce: string
  expiresAt: number
  used: boolean
  /** The operator of the link; undefined if it creates the first one. */
  operator: Operator | undefined
}

/** `nonce` is random. With `mail`, the link is sent to the operator. */
type NewLink = { nonce: string; now: number; mail: boolean }
type AuditedLink = NewLink & { audit?: readonly AuditEntry[] }

/** A link that creates the first operator, who is an admin; undefined if there are operators. */
export async function addFirstLink(db: Kysely<Schema>, link: Omit<NewLink, 'mail'>): Promise<number | undefined> {
  return db.transaction().execute(async tx => {
    if (await hasOperators(tx)) return undefined
    return addLink(tx, 'first', null, { ...link, mail: false })
  })
}

/** Adds an operator, and a link to choose a password; undefined if there is one with that address. */
export async function inviteOperator(
  db: Kysely<Schema>,
  operator: NewOperator,
  { audit = [], ...link }: AuditedLink,
): Promise<number | undefined> {
  return db.transaction().execute(async tx => {
    const id = await addOperator(tx, operator)
    if (id === undefined) return undefined
    await recordAudit(tx, audit)
    return addLink(tx, 'invitation', id, link)
  })
}

/** Invites an operator again; earlier links stop working. */
export async function inviteAgain(
  db: Kysely<Schema>,
  operatorId: number,
  { audit = [], ...link }: AuditedLink,
): Promise<number> {
  return audited(db, audit, async tx => {
    return addLink(tx, 'invitation', operatorId, link)
  })
}

/**
 * Removes everything that proves who an operator is: password, second factor, passkeys, sessions. Lets them in again if
 * they were disabled, and invites them again.
 */
export async function resetOperator(
  db: Kysely<Schema>,
  operatorId: number,
  { audit = [], ...link }: AuditedLink,
): Promise<number> {
  return audited(db, audit, async tx => {
    const cleared = { password: null, totp_secret: null, totp_step: null, factor_asked_at: null, disabled_at: null }
    await tx.updateTable('operators').set(cleared).where('id', '=', operatorId).execute()
    for (const table of ['sessions', 'recovery_codes', 'passkeys'] as const) {
      await tx.deleteFrom(table).where('operator_id', '=', operatorId).execute()
    }
    return addLink(tx, 'invitation', operatorId, link)
  })
}

/**
 * Sends an operator a link to choose a new password, unless one was sent a moment ago. Does nothing if no one, or only
 * a disabled operator, has that address.
 */
export async function requestReset(
  db: Kysely<Schema>,
  email: string,
  { nonce, now }: Omit<NewLink, 'mail'>,
): Promise<void> {
  await db.transaction().execute(async tx => {
    const operator = await tx
      .selectFrom('operators')
      .select('id')
      .where('email_key', '=', emailKey(email))
      .where('disabled_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (operator === undefined) return
    const { sent, last } = await tx
      .selectFrom('operator_links')
      .select(eb => [eb.fn.countAll<number>().as('sent'), eb.fn.max('created_at').as('last')])
      .where('operator_id', '=', operator.id)
      .where('purpose', '=', 'reset')
      .where('created_at', '>', now - DAY)
      // A clock that was ahead may have left a link with a later moment.
      .where('created_at', '<=', now)
      .executeTakeFirstOrThrow()
    const pause = Math.min(RESET_PAUSE * 2 ** (sent - 1), LINK_LIFETIME.reset)
    if (last === null || last + pause <= now) await addLink(tx, 'reset', operator.id, { nonce, now, mail: true })
  })
}

export async function readOperatorLink(db: Kysely<Schema>, id: number): Promise<OperatorLink | undefined> {
  const row = await db.selectFrom('operator_links').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return undefined
  const operator =
    row.operator_id === null
      ? undefined
      : await db.selectFrom('operators').selectAll().where('id', '=', row.operator_id).executeTakeFirst()
  return {
    id,
    purpose: row.purpose,
    nonce: row.nonce,
    expiresAt: row.expires_at,
    used: row.used_at !== null || (row.purpose === 'first' && (await hasOperators(db))),
    operator: operator && toOperator(operator),
  }
}

/**
 * Uses a link, once: its operator gets the password with that hash and loses these passkeys, and the operator's
 * sessions end. `first`: the person who becomes an operator by the link for the first one. Returns the operator;
 * undefined if the link was used or has expired, if the operator is disabled, or if someone else became the first
 * operator meanwhile.
 */
export async function redeemOperatorLink(
  db: Kysely<Schema>,
  linkId: number,
  { password, first, removePasskeys, now, audit }: LinkUse,
): Promise<Operator | undefined> {
  return db.transaction().execute(async tx => {
    const link = await tx
      .updateTable('operator_links')
      .set({ used_at: now })
      .where('id', '=', linkId)
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .returning(['operator_id', 'purpose'])
      .executeTakeFirst()
    if (link === undefined) return undefined
    const id = link.operator_id ?? (first && (await addFirstOperator(tx, { ...first, now })))
    if (id === undefined) return undefined
    const changed = await tx
      .updateTable('operators')
      .set({ password })
      .where('id', '=', id)
      .where('disabled_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
    for (const passkey of removePasskeys) await deletePasskey(tx, id, passkey)
    await tx.deleteFrom('sessions').where('operator_id', '=', id).execute()
    await endLinks(tx, id, { now })
    const entry = audit && changed && { ...audit, operatorId: id, actor: changed.name }
    if (entry) await (first === undefined ? recordAndTell : recordAudit)(tx, entry)
    return changed && toOperator(changed)
  })
}

type LinkUse = {
  password: string
  first?: { name: string; email: string }
  removePasskeys: readonly string[]
  now: number
  /** The actor is the operator of the link. */
  audit?: Omit<AuditEntry, 'operatorId' | 'actor'>
}

/** Adds the first operator; undefined if there are operators, or if another process adds one at the same moment. */
async function addFirstOperator(
  tx: Transaction<Schema>,
  person: Omit<NewOperator, 'role'>,
): Promise<number | undefined> {
  // If two processes start at the same time, the second finds that the first has added one.
  await takeTurns(tx)
  return (await hasOperators(tx)) ? undefined : addOperator(tx, { ...person, role: 'admin' })
}

async function hasOperators(db: Kysely<Schema>): Promise<boolean> {
  const any = await db.selectFrom('operators').select('id').limit(1).executeTakeFirst()
  return any !== undefined
}

/**
 * Earlier links of the same operator stop working. But a request for a new password does not end an invitation: anyone
 * may make one, and its email works for a shorter time.
 */
async function addLink(
  tx: Transaction<Schema>,
  purpose: LinkPurpose,
  operatorId: number | null,
  { nonce, now, mail }: NewLink,
): Promise<number> {
  if (operatorId !== null) await endLinks(tx, operatorId, { now, ...(purpose === 'reset' && { purpose }) })
  const { id } = await tx
    .insertInto('operator_links')
    .values({ purpose, operator_id: operatorId, nonce, created_at: now, expires_at: now + LINK_LIFETIME[purpose] })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (mail && purpose !== 'first') await addMail(tx, purpose, id, { now })
  return id
}

/** Deletes links that no one can use anymore, so that requests do not add up. Returns whether there may be more. */
export async function expireLinks(
  db: Kysely<Schema>,
  { before, limit }: { before: number; limit: number },
): Promise<boolean> {
  const old = db.selectFrom('operator_links').select('id').where('expires_at', '<', before).orderBy('id').limit(limit)
  const { numDeletedRows } = await db.deleteFrom('operator_links').where('id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows) === limit
}
