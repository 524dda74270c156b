/**
 * Screening: signals that something is wrong, added up. Agents fill in forms in no time, clocks are wrong, and tabs
 * stay open, so one signal alone never quarantines a submission. Only a form says when a student began, and a source
 * never does; without it, time gives no signals.
 */
import { hash } from 'node:crypto'
import { lazy, lazyLibrary } from '../../platform/lazy.ts'
import { DAY, MINUTE, SECOND } from '../../platform/time.ts'
import { doubtfulEmail } from './doubtful-contact.ts'
import { asciiDomain } from './email.ts'
import type { Body, Kind, Submission } from './submission.ts'

const TOO_FAST = 3 * SECOND
const TOO_OLD = DAY
const AHEAD = 5 * MINUTE
const MANY_LINKS = 3
const MANY_ADDRESSES = 3

/** Shorter messages, in characters, are often the same by chance ("Please call me"). */
const SHORTEST_COMPARED = 20

/** How long we remember a message, in milliseconds. */
export const TEXT_MEMORY = DAY

/** The evidence that each signal judges. */
type Evidence = {
  body: Body[Kind]
  /**
   * Milliseconds from the start of the form to its arrival: negative if the sender's clock is ahead; NaN if the start
   * is unknown, which makes every comparison false.
   */
  age: number
  /** How many addresses, this one included, sent the same message within TEXT_MEMORY. */
  addressesWithText: number
}

type SignalRule = {
  /** How much it counts, unless the settings say otherwise. */
  weight: number
  /** The sentence that the team reads. */
  note: string
  seen(evidence: Evidence): boolean
}

/** Every signal; the settings of `screening.weights` derive from this table. */
export const signals = {
  tooFast: {
    weight: 1,
    note: 'It was sent within 3 seconds of being started, as scripts and agents do.',
    seen: ({ age }) => age >= -AHEAD && age < TOO_FAST,
  },
  tooOld: {
    weight: 1,
    note: 'The form was started more than 24 hours before it was sent.',
    seen: ({ age }) => age > TOO_OLD,
  },
  ahead: { weight: 1, note: "The sender's clock is more than 5 minutes ahead.", seen: ({ age }) => age < -AHEAD },
  links: {
    weight: 2,
    note: 'The message has three or more links.',
    seen: ({ body }) => (body.message?.match(/https?:\/\/|www\.|\[url/gi)?.length ?? 0) >= MANY_LINKS,
  },
  disposable: {
    weight: 2,
    note: 'The email address belongs to a disposable email service.',
    // The list also has typos of common domains: `gmial.com` is a mistake by someone who hopes for an answer.
    seen: ({ body: { email = '' } }) =>
      disposableDomains().has(asciiDomain(email)) && doubtfulEmail(email)?.meant === undefined,
  },
  sharedText: {
    weight: 2,
    note: 'The same message came from three or more email addresses within a day.',
    seen: ({ addressesWithText }) => addressesWithText >= MANY_ADDRESSES,
  },
} as const satisfies Record<string, SignalRule>

export type Signal = keyof typeof signals

export const signalNames = Object.keys(signals) as Signal[]

export const signalNote = (signal: string): string => signals[signal as Signal].note

/** The signals of one submission. `addressesWithText`: how many addresses, including its own, sent its message. */
export function signalsOf(submission: Submission, addressesWithText: number): Signal[] {
  const { receivedAt, body } = submission
  const age = receivedAt - startOf(submission)
  const evidence = { body, age, addressesWithText }
  return signalNames.filter(signal => signals[signal].seen(evidence))
}

/** When the person began to fill in the form; NaN if that is unknown, as for a post from a source. */
const startOf = ({ kind, body, form }: Submission): number =>
  form?.source ? Number.NaN : (form?.startedAt ?? (kind === 'site' ? body.startedAt : Number.NaN))

type Screening = { threshold: number; weights: Record<Signal, number> }

/** Whether these signals together send a submission to quarantine. */
export const isSuspicious = (found: readonly Signal[], screening: Screening): boolean =>
  found.reduce((sum, signal) => sum + screening.weights[signal], 0) >= screening.threshold

/** Equal for messages with the same text; undefined if a message is too short to tell. */
export function textDigest(message: string | undefined): string | undefined {
  const text = (message ?? '').normalize('NFKC').toLowerCase().replace(/\s+/g, ' ')
  return text.length < SHORTEST_COMPARED ? undefined : hash('sha256', text, 'base64url').slice(0, 22)
}

/** Domains of disposable mail services. The list is long, so it is read only at the first screening. */
const disposableDomains = lazy(() => new Set(disposable().disposableEmailBlocklist()))
const disposable = lazyLibrary<typeof import('disposable-email-domains-js')>('disposable-email-domains-js')
