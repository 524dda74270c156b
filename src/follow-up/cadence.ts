/** A cadence: the steps that follow up a lead, and how long after the start each of them comes. */

export type Recipient = 'counselor' | 'backup' | 'manager' | 'team' | 'student'

type Timing = {
  name: string
  /** How long after the start of the follow-up, such as `15 minutes` or `3 days`. */
  after: string
  /** The hours in which that time counts: see `opening-hours.ts`. */
  clock: 'school' | 'student'
}
export type MessageStep = Timing & { to: Recipient; message: string }
/** Tells destinations that a lead waits, mostly channels of Slack and Teams: it records `lead.late`. */
export type ChatStep = Timing & { channel: 'chat' }
export type ClosingStep = Timing & { close: 'no reply' }
export type Step = MessageStep | ChatStep | ClosingStep

export type Cadence = readonly Step[]

/** Steps on different tracks do not wait for each other: messages to the staff, emails to the student, the end. */
export type Track = 'staff' | 'student' | 'end'

export const tracks: readonly Track[] = ['staff', 'student', 'end']

// Everything that depends on the kind of a step is here, except its entries in the settings
// (`config/setting-shapes.ts`) and the code that carries it out (`tasks/stepping.ts`).

export function trackOf(step: Step): Track {
  if ('close' in step) return 'end'
  return recipientOf(step) === 'student' ? 'student' : 'staff'
}

/** Who is notified about the lead in a step; undefined for the step that closes it. */
export function recipientOf(step: Step): Recipient | 'chat' | undefined {
  if ('channel' in step) return step.channel
  return 'to' in step ? step.to : undefined
}

/** The file with a step's message; undefined for a step without a message. */
export const templateOf = (step: Step): string | undefined => ('message' in step ? step.message : undefined)

/** The files with the messages of both cadences. A file that several steps send is listed several times. */
export const templatesOf = ({ student, site }: { student: Cadence; site: Cadence }): string[] =>
  [...student, ...site].flatMap(step => templateOf(step) ?? [])

/** The steps after the one at `index` that send an email, on the same track. */
export const laterMessages = (cadence: Cadence, index: number): number[] =>
  stepsOn(cadence, trackOf(stepAt(cadence, index))).filter(
    step => step > index && templateOf(stepAt(cadence, step)) !== undefined,
  )

export const stepsOn = (cadence: Cadence, track: Track): number[] =>
  cadence.flatMap((step, index) => (trackOf(step) === track ? index : []))

/** The track's first step after `index`, or its first step if `index` is undefined; undefined if there is none. */
export const nextOnTrack = (cadence: Cadence, track: Track, index: number | undefined): number | undefined =>
  stepsOn(cadence, track).find(step => step > (index ?? -1))

/** Throws a RangeError if the cadence has no such step. */
export function stepAt(cadence: Cadence, index: number): Step {
  const step = cadence[index]
  if (step === undefined) throw new RangeError(`The cadence has no step ${index}`)
  return step
}

/**
 * How long a step waits. Days are separate from minutes because a day is not always 24 hours long: clocks change, and a
 * school counts only the days on which it is open.
 */
export type Delay = { days: number; minutes: number }

const LONGEST_DAYS = 365

/** The delay in a text such as `5 minutes`, `36 hours` or `14 days`, at most 365 days; otherwise undefined. */
export function parseDelay(text: string): Delay | undefined {
  const [, digits, unit] = /^(0|[1-9]\d{0,5}) (minute|hour|day)s?$/.exec(text) ?? []
  if (unit === undefined) return undefined
  const count = Number(digits)
  const delay = {
    minute: { days: 0, minutes: count },
    hour: { days: 0, minutes: 60 * count },
    day: { days: count, minutes: 0 },
  }[unit as 'minute' | 'hour' | 'day']
  return nominalMinutes(delay) <= nominalMinutes({ days: LONGEST_DAYS, minutes: 0 }) ? delay : undefined
}

/** The delay of a step in a cadence without problems. Throws a RangeError if it is not one. */
export function delayOf(step: Step): Delay {
  const delay = parseDelay(step.after)
  if (delay === undefined) throw new RangeError(`${JSON.stringify(step.after)} is not a delay`)
  return delay
}

/** The time to add to the earlier delay to get the later one, with days and minutes counted separately. */
export const delayBetween = (earlier: Delay, later: Delay): Delay => ({
  days: later.days - earlier.days,
  minutes: later.minutes - earlier.minutes,
})

/** The length of a delay if every day had 24 hours, in minutes: for comparing delays. */
export const nominalMinutes = ({ days, minutes }: Delay): number => days * 24 * 60 + minutes
