/**
 * The token of a form: the time when we rendered it and a random nonce, signed. It is evidence for screening and,
 * together with the words that are sent, the idempotency key. It never expires: what yesterday's page sends is still
 * someone's inquiry.
 */
import { randomBytes } from 'node:crypto'
import type { Kind } from '../leads/body/submission.ts'
import { isSigned, signature } from '../platform/signature.ts'

export type FormToken = {
  /** Unix time in milliseconds. */
  startedAt: number
  nonce: string
}

export type Tokens = {
  /** `seen`: what the page shows that we must be able to prove later, which is the text of the consent. */
  issue(kind: Kind, seen: string, now: number): string
  /** Reads a token; undefined unless we signed it for a form of this kind that shows the same. Never throws. */
  read(kind: Kind, seen: string, token: string | undefined): FormToken | undefined
}

/** Time, nonce, signature. */
const TOKEN = /^([0-9a-z]{1,11})\.([\w-]{16})\.([\w-]{22})$/

const BYTES = 16

const textOf = (seen: string, time: string, nonce: string): string => `${time}\n${nonce}\n${seen}`

export function createTokens(secretKey: string): Tokens {
  const purposeOf = (kind: Kind) => `${kind} form`
  return {
    issue: (kind, seen, now) => {
      const [time, nonce] = [now.toString(36), randomBytes(12).toString('base64url')]
      return `${time}.${nonce}.${signature(secretKey, purposeOf(kind), textOf(seen, time, nonce), BYTES)}`
    },
    read: (kind, seen, token) => {
      const [, time = '', nonce = '', given = ''] = TOKEN.exec(token ?? '') ?? []
      if (!isSigned(secretKey, purposeOf(kind), textOf(seen, time, nonce), given, BYTES)) return undefined
      return { startedAt: Number.parseInt(time, 36), nonce }
    },
  }
}
