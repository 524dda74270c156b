/**
 * Screening of site submissions: signals that something is off, added up. Agents fill forms in no
 * time, clocks are wrong and tabs stay open, so one signal alone never holds anybody back.
 */
import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Settings } from '../config/settings.ts'
import { lazy } from '../lazy.ts'
import { SECOND } from '../time.ts'
import { asciiDomain } from './email.ts'
import type { SiteInterest } from './schema.ts'

export type Signal = keyof Settings['screening']['weights']

const TOO_FAST = 3 * SECOND
const TOO_OLD = 24 * 3600 * SECOND
const AHEAD = 5 * 60 * SECOND
const MANY_LINKS = 3
const MANY_ADDRESSES = 3

/** Shorter messages ("Please call me") are alike by themselves. */
const TELLING_TEXT = 20

/** For this long one message is remembered, in milliseconds. */
export const TEXT_MEMORY = 24 * 3600 * SECOND

/** What each signal says to the team. */
export const signalNotes: Record<Signal, string> = {
  tooFast: 'It was sent within 3 seconds of being started, as scripts and agents do.',
  tooOld: 'The form was started more than 24 hours before it was sent.',
  ahead: "The sender's clock is more than 5 minutes ahead.",
  links: 'The message has three or more links.',
  disposable: 'The email address belongs to a disposable email service.',
  sharedText: 'The same message came from three or more email addresses within a day.',
}

/**
 * The signals of one submission. `addressesWithText` counts the different addresses, this one
 * included, under which its message came within TEXT_MEMORY.
 */
export function signalsOf(
  body: SiteInterest,
  { receivedAt, addressesWithText }: { receivedAt: number; addressesWithText: number },
): Signal[] {
  const age = receivedAt - body.startedAt
  const links = body.message?.match(/https?:\/\/|www\.|\[url/gi)?.length ?? 0
  const signs: Record<Signal, boolean> = {
    tooFast: age >= -AHEAD && age < TOO_FAST,
    tooOld: age > TOO_OLD,
    ahead: age < -AHEAD,
    links: links >= MANY_LINKS,
    disposable: disposableDomains().has(asciiDomain(body.email)),
    sharedText: addressesWithText >= MANY_ADDRESSES,
  }
  return (Object.keys(signs) as Signal[]).filter(signal => signs[signal])
}

/** Whether these signals together hold a submission back. */
export const holdsBack = (signals: readonly Signal[], screening: Settings['screening']): boolean =>
  signals.reduce((sum, signal) => sum + screening.weights[signal], 0) >= screening.threshold

/** What two messages share when they say the same; undefined for one too short to tell. */
export function textDigest(message: string | undefined): string | undefined {
  const text = (message ?? '').normalize('NFKC').toLowerCase().replace(/\s+/g, ' ')
  return text.length < TELLING_TEXT ? undefined : hash('sha256', text, 'base64url').slice(0, 22)
}

/** Throw-away mail services. The list is large, so it is read when a submission is screened first. */
const disposableDomains = lazy(
  () =>
    new Set<string>(
      createRequire(import.meta.url)('disposable-email-domains-js').disposableEmailBlocklist(),
    ),
)
