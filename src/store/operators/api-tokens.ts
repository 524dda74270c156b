/** Queries on the tokens with which the school's programs use the private API. */
import { type Kysely, type Selectable, sql } from 'kysely'
import { MINUTE } from '../../platform/time.ts'
import type { Schema } from '../tables/schema.ts'
import { type AuditEntry, audited } from './audit-log.ts'
import { type Operator, toOperator } from './operators.ts'

/** The use of a token is recorded at most this often. */
const USED_EVERY = 1 * MINUTE

export type ApiToken = {
  id: number
  name: string
  /** The last characters of the token. */
  ending: string
  /** The operator that the program acts for. */
  operatorId: number
  scopes: string[]
  createdAt: number
  expiresAt: number | null
  usedAt: number | null
  revokedAt: number | null
}

export type NewApiToken = Pick<ApiToken, 'name' | 'ending' | 'operatorId' | 'scopes' | 'createdAt' | 'expiresAt'> & {
  tokenHash: string
  createdBy: number
}

export async function addApiToken(
  db: Kysely<Schema>,
  token: NewApiToken,
  audit: readonly AuditEntry[],
): Promise<number> {
  return audited(db, audit, async tx => {
    const { id } = await tx
      .insertInto('api_tokens')
      .values({
        name: token.name,
        token_hash: token.tokenHash,
        ending: token.ending,
        operator_id: token.operatorId,
        scopes: token.scopes.join(' '),
        created_by: token.createdBy,
        created_at: token.createdAt,
        expires_at: token.expiresAt,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  })
}

/** All tokens, the newest first, each with the names of the operator that it acts for and of the one who created it. */
export async function listApiTokens(
  db: Kysely<Schema>,
): Promise<(ApiToken & { actsFor: string; createdBy: string; disabled: boolean })[]> {
  const rows = await db
    .selectFrom('api_tokens')
    .innerJoin('operators as o', 'o.id', 'operator_id')
    .innerJoin('operators as maker', 'maker.id', 'created_by')
    .selectAll('api_tokens')
    .select(['o.name as acts_for', 'o.disabled_at', 'maker.name as made_by'])
    .orderBy('api_tokens.id', 'desc')
    .execute()
  return rows.map(row => ({
    ...toToken(row),
    actsFor: row.acts_for,
    createdBy: row.made_by,
    disabled: row.disabled_at !== null,
  }))
}

/**
 * A token that is valid, with the operator that it acts for; undefined if it is unknown or revoked, has expired, or the
 * operator is disabled. Records that it was used.
 */
export async function readApiToken(
  db: Kysely<Schema>,
  tokenHash: string,
  now: number,
): Promise<{ token: ApiToken; operator: Operator } | undefined> {
  const row = await db
    .selectFrom('api_tokens')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('revoked_at', 'is', null)
    .where(eb => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst()
  if (row === undefined) return undefined
  const operator = await db
    .selectFrom('operators')
    .selectAll()
    .where('id', '=', row.operator_id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (operator === undefined) return undefined
  if ((row.used_at ?? 0) < now - USED_EVERY) {
    await db.updateTable('api_tokens').set({ used_at: now }).where('id', '=', row.id).execute()
  }
  return { token: toToken(row), operator: toOperator(operator) }
}

/** How many valid tokens act for an operator. */
export async function countTokensOf(db: Kysely<Schema>, operatorId: number, now: number): Promise<number> {
  const { tokens } = await db
    .selectFrom('api_tokens')
    .select(sql<number>`count(*)`.as('tokens'))
    .where('operator_id', '=', operatorId)
    .where('revoked_at', 'is', null)
    .where(eb => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return Number(tokens)
}

const toToken = (row: Selectable<Schema['api_tokens']>): ApiToken => ({
  id: row.id,
  name: row.name,
  ending: row.ending,
  operatorId: row.operator_id,
  scopes: row.scopes.split(' ').filter(Boolean),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  usedAt: row.used_at,
  revokedAt: row.revoked_at,
})
