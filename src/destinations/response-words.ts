/**
 * What the response of a receiver means, and what to do about it, for the person who looks after a destination. The guide of
 * each kind says the same; a test compares them.
 */
import { SECOND } from '../platform/time.ts'
import { TIMEOUT } from './send-request.ts'

/** Sentences by status, without their full stop. `access`: the receiver does not grant access. */
export type ResponseWords = Partial<Record<number | 'access', string>>

const NO_ENTRY = 'the receiver does not let us in. Check the URL, and the key that it expects'

const usual: ResponseWords = {
  401: NO_ENTRY,
  403: NO_ENTRY,
  404: 'there is nothing at the URL. Check it',
  410: 'the receiver is gone for good, so the destination is switched off. Enter its new URL, and switch it on',
  429: 'too much at once. There is nothing to do: we wait as long as it asks, or a minute',
}

const REDIRECT = 'a redirect, which we do not follow. Enter the URL that it leads to'
const REFUSED = 'the receiver does not accept the request, and its response says why'
const ITS_OWN = 'the receiver has a problem of its own. If it lasts, ask the people who run it'

export const NO_RESPONSE = `no response within ${TIMEOUT / SECOND} seconds. If it lasts, ask the people who run the receiver`

/** What a status that is a failure means, for a kind with such words of its own. */
export function wordsFor(status: number, ofKind: ResponseWords = {}): string {
  const known = ofKind[status] ?? usual[status]
  if (known !== undefined) return known
  if (status >= 300 && status < 400) return REDIRECT
  return status >= 500 ? ITS_OWN : REFUSED
}

/** What it means that a receiver does not grant access, with this status. */
export const accessWords = (status: number, ofKind: ResponseWords = {}): string =>
  [400, 401, 403].includes(status) && ofKind.access !== undefined ? ofKind.access : wordsFor(status)
