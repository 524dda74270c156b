/** What makes two requests one: the key under which a submission is kept, and its fingerprint. */
import { hash } from 'node:crypto'
import type { Body, Kind } from './submission.ts'

/** For this long the same body of operation A without a key counts as a retry. */
export const FINGERPRINT_LIFETIME = 24 * 3_600_000

/** 128 bits and a little of SHA-256: narrow, since one is kept for every submission for good. */
const DIGEST_LENGTH = 22

/** Tells whether two bodies say the same; they are compared as parsed, all fields included. */
export const fingerprintOf = <K extends Kind>(kind: K, body: Body[K]): string =>
  digest(`${kind}\n${JSON.stringify(body)}`)

/**
 * The unique key of a submission: made from the client's key, or where there is none from the
 * fingerprint. The operation is part of it, so that keys of the two never meet.
 */
export const submissionKey = (kind: Kind, from: 'client' | 'fingerprint' | 'trap', value: string) =>
  digest(`${kind}\n${from}\n${value}`)

const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH)
