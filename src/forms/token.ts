/**
 * The token of a form: when we rendered it, and a random nonce, signed. It is evidence for screening and,
 * with the words that are sent, the idempotency key. It never expires: what a page of yesterday sends is
 * still someone's inquiry.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Kind } from '../leads/body/submission.ts'

export type FormToken = {
  /** Unix time in milliseconds. */
  startedAt: number
  nonce: string
}

export type Tokens = {
  /** `seen` is what the page shows that we must know for sure later: the text of the consent. */
  issue(kind: Kind, seen: string, now: number): string
  /** Undefined if we did not sign it for a form of this kind that shows the same. Never throws. */
  read(kind: Kind, seen: string, token: string | undefined): FormToken | undefined
}

/** Time, nonce, signature. */
const TOKEN = /^([0-9a-z]{1,11})\.([\w-]{16})\.([\w-]{22})$/

export function createTokens(secretKey: string): Tokens {
  // A signature of a link is not valid for a form.
  const mac = (kind: Kind, seen: string, time: string, nonce: string) =>
    createHmac('sha256', secretKey)
      .update(`form\n${kind}\n${time}\n${nonce}\n${seen}`)
      .digest()
      .subarray(0, 16)
      .toString('base64url')
  return {
    issue: (kind, seen, now) => {
      const [time, nonce] = [now.toString(36), randomBytes(12).toString('base64url')]
      return `${time}.${nonce}.${mac(kind, seen, time, nonce)}`
    },
    read: (kind, seen, token) => {
      const [, time = '', nonce = '', signature = ''] = TOKEN.exec(token ?? '') ?? []
      if (signature === '') return undefined
      const expected = mac(kind, seen, time, nonce)
      if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature))) return undefined
      return { startedAt: Number.parseInt(time, 36), nonce }
    },
  }
}
