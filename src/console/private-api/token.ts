/** The tokens of the private API: their form, and the hash by which the store finds them. */
import { newSecret, secretHash } from '../../platform/secret.ts'

/** People, and programs that look for leaked secrets, recognize a token by this prefix. */
export const TOKEN_PREFIX = 'frontdesk_'

export type NewToken = { token: string; tokenHash: string; ending: string }

export function newToken(): NewToken {
  const token = TOKEN_PREFIX + newSecret()
  return { token, tokenHash: secretHash(token), ending: token.slice(-4) }
}

/** The hash of the token in the header `Authorization` (RFC 6750); undefined for anything else. */
export function tokenHashIn(authorization: string | undefined): string | undefined {
  const [, token] = /^Bearer +(frontdesk_[\w-]{43})$/i.exec(authorization ?? '') ?? []
  return token === undefined ? undefined : secretHash(token)
}
