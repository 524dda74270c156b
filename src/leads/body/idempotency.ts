/** How we recognize a repeated request: by the key that we store a submission under, or by its fingerprint. */
import { hash } from 'node:crypto'
import { DAY } from '../../platform/time.ts'
import type { Kind } from './submission.ts'

/** For operation A without a key: how long the same body counts as a retry, in milliseconds. */
export const FINGERPRINT_LIFETIME = DAY

/** A little over 128 bits of SHA-256, in base64url characters: short, because we store one for every submission. */
const DIGEST_LENGTH = 22

/**
 * Equal for two bodies that say the same. `text` is the parsed body as stored JSON, in which all fields have the same
 * order and form. Every field counts.
 */
export const fingerprintOf = (kind: Kind, text: string): string => digest(`${kind}\n${text}`)

/** The unique key of a submission whose client sent a key. */
export const clientKey = (kind: Kind, key: string): string => `c${digest(`${kind}\n${key}`)}`

/** The unique key of a submission from a form: the same page with the same words, no matter how often it is sent. */
export const formKey = (nonce: string, fingerprint: string): string => `p${digest(`${nonce}\n${fingerprint}`)}`

/** The unique key of a submission that completes another. There is only one, whatever it says. */
export const completingKey = (first: string): string => `m${digest(first)}`

/** The unique key of a submission whose client sent no key: the same body is the same submission. */
export const fingerprintKey = (fingerprint: string): string => `f${fingerprint}`

/** The unique key of a submission that the honeypot rejected; a corrected one gets a different key. */
export const refusedKey = (fingerprint: string): string => `r${fingerprint}`

/**
 * The unique key of a submission that a lockout rejected, so that the same body is stored once. It differs from the
 * client's own key, which stays free for a retry.
 */
export const lockedOutKey = (fingerprint: string): string => `l${fingerprint}`

/** The unique key of a row of an imported list: the same words from the same source are the same inquiry. */
export const importedKey = (source: string, fingerprint: string): string => `i${digest(`${source}\n${fingerprint}`)}`

/**
 * The unique key of a post from a source. If the source gives the lead an id, the id decides, whatever else the post
 * says. Without an id, all of its words decide, for as long as the same body counts as a retry.
 */
export const postedKey = (source: number, id: string | undefined, words: string): Once =>
  id === undefined
    ? { key: `s${digest(`${source} words\n${words}`)}`, lifetime: FINGERPRINT_LIFETIME }
    : { key: `s${digest(`${source} id\n${id}`)}`, lifetime: null }

/** A key, and how long it is reserved for its submission, in milliseconds; null means forever. */
export type Once = { key: string; lifetime: number | null }

const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH)
