/** Simulated people, for trying out settings: students who write, and counselors who call them. */
import { DAY, MINUTE } from '../platform/time.ts'
import type { Calendar, CalendarSettings } from './calendar.ts'
import type { Random } from './random.ts'
import type { SuppressionReason } from './stop-conditions.ts'
import { timeZone, zonesOfState } from './time-zones.ts'

/** How people behave. These are plausible guesses, not measurements; every result states them. */
const firstCalls = [
  { share: 0.35, from: 1, to: 5 },
  { share: 0.25, from: 5, to: 15 },
  { share: 0.17, from: 15, to: 60 },
  { share: 0.15, from: 60, to: 480 },
]
const REACHED = 0.5
const MOST_CALLS = 4
export const REPLIES = 0.06
export const UNSUBSCRIBES = 0.01
const BOUNCES = 0.02
const OWN_STATES = 0.6
const NO_STATE = 0.05
const otherStates = 'CA TX FL NY PA IL OH GA NC MI NJ WA'.split(' ')
/** Weights from Sunday on, and from midnight on: people look for a school in the evening and on weekends. */
const byWeekday = [10, 11, 11, 11, 10, 8, 8]
const byHour = '6 3 2 2 2 3 6 10 15 20 24 26 28 26 25 27 30 32 35 39 41 37 26 14'.split(' ').map(Number)

const percent = (share: number): string => `${Math.round(100 * share)}%`

/** The assumptions of a simulation, in sentences. */
export const assumptions: readonly string[] = [
  'Students write at all hours, mostly in the evening, and hardly less on weekends.',
  `${percent(OWN_STATES)} come from the counselors’ own states; ${percent(NO_STATE)} name no state.`,
  ...firstCalls.map(
    ({ share, from, to }) => `${percent(share)} get a first call after ${from} to ${to} minutes of school hours.`,
  ),
  `The others are never called. A call reaches ${percent(REACHED)}; there are up to ${MOST_CALLS}, one on each day the school is open.`,
  `${percent(BOUNCES)} of the addresses do not exist; ${percent(REPLIES)} reply to an email and are then reached within 4 hours, and ${percent(UNSUBSCRIBES)} unsubscribe.`,
  'Reminders do not make anyone quicker. No one writes twice, has an account, or is paused.',
  'The month begins with no one to follow up, so its first days are quieter than later ones.',
]

/** A student, and how the school acts without reminders: when it calls, and when it reaches them. */
export type SimulatedStudent = {
  arrival: number
  state: string | null
  phoneE164: null
  callAttempts: number[]
  /** Infinity if never. */
  reachedAt: number
  suppressed: SuppressionReason | null
}

export type PeopleSettings = CalendarSettings & {
  admissions: { counselors: readonly { states?: readonly string[] }[] }
}

/** A student who writes within `days` days from `firstDay` (yyyy-mm-dd) on. */
export function simulatedStudent(
  { settings, days, firstDay }: { settings: PeopleSettings; days: number; firstDay: string },
  calendar: Calendar,
  random: Random,
): SimulatedStudent {
  const state = stateFor(settings, random)
  const [home = settings.school.timeZone] = zonesOfState(state, settings.followUp.zones, settings.school.timeZone)
  const first = Date.parse(firstDay) / DAY
  const all = Array.from({ length: days }, (_, i) => first + i)
  // 1 January 1970 was a Thursday.
  const day = all[random.weighted(all.map(one => byWeekday[(one + 4) % 7] ?? 0))] ?? first
  const time = (random.weighted(byHour) + random.next()) * 60 * MINUTE
  const arrival = timeZone(home).momentOf({ day, time: Math.floor(time) })
  const callAttempts = callAttemptsFor(arrival, calendar, random)
  const reachedBy = callAttempts.findIndex(() => random.chance(REACHED))
  return {
    arrival,
    state,
    phoneE164: null,
    callAttempts,
    reachedAt: callAttempts[reachedBy] ?? Infinity,
    suppressed: random.chance(BOUNCES) ? 'bounced' : null,
  }
}

function stateFor({ admissions }: PeopleSettings, random: Random): string | null {
  const own = [...new Set(admissions.counselors.flatMap(({ states = [] }) => states))]
  if (random.chance(NO_STATE)) return null
  const states = own.length > 0 && random.chance(OWN_STATES / (1 - NO_STATE)) ? own : otherStates
  return states[random.weighted(states.map(() => 1))] ?? null
}

function callAttemptsFor(arrival: number, { school }: Calendar, random: Random): number[] {
  const band = firstCalls[random.weighted([...firstCalls.map(({ share }) => share), neverCalled])]
  if (band === undefined) return []
  const minutes = Math.floor(band.from + random.next() * (band.to - band.from))
  const first = school.after(arrival, { days: 0, minutes })
  return Array.from({ length: MOST_CALLS }, (_, i) => school.after(first, { days: i, minutes: 0 }))
}

const neverCalled = 1 - firstCalls.reduce((sum, { share }) => sum + share, 0)
