/** What makes two requests one: the key under which a submission is kept, and its fingerprint. */

import { hash } from 'node:crypto'
import { DAY } from '../time.ts'
import type { Kind } from './submission.ts'

/** For this long the same body of operation A without a key counts as a retry. */
export const FINGERPRINT_LIFETIME = DAY

/** 128 bits and a little of SHA-256: narrow, since one is kept for every submission for good. */
const DIGEST_LENGTH = 22

/**
 * Tells whether two bodies say the same. `text` is the parsed body as JSON, as it is stored: parsing
 * puts the fields, all of which count, into one order and form.
 */
export const fingerprintOf = (kind: Kind, text: string): string => digest(`${kind}\n${text}`)

/** The unique key of a submission, made from the key that its client gave it. */
export const clientKey = (kind: Kind, key: string): string => `c${digest(`${kind}\n${key}`)}`

/** The unique key of a submission without one: the same body is the same submission. */
export const fingerprintKey = (fingerprint: string): string => `f${fingerprint}`

/** The unique key of what the honeypot refused; that of a corrected try is another. */
export const refusedKey = (fingerprint: string): string => `r${fingerprint}`

const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH)
