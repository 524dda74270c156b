/** Made-up people, for trying settings out: students who write in, and counselors who call them. */
import type { Settings } from '../config/settings.ts'
import { DAY, MINUTE } from '../time.ts'
import type { Calendar } from './calendar.ts'
import type { SuppressionReason } from './stop-conditions.ts'
import { timeZone } from './time-zone.ts'
import { zonesOfState } from './zones.ts'

/** How people behave. Measured nowhere: plausible, and stated wherever a result is shown. */
const firstTries = [
  { share: 0.35, from: 1, to: 5 },
  { share: 0.25, from: 5, to: 15 },
  { share: 0.17, from: 15, to: 60 },
  { share: 0.15, from: 60, to: 480 },
]
const REACHED = 0.5
const TRIES = 4
export const REPLIES = 0.06
export const UNSUBSCRIBES = 0.01
const BOUNCES = 0.02
const OWN_STATES = 0.6
const NO_STATE = 0.05
const otherStates = 'CA TX FL NY PA IL OH GA NC MI NJ WA'.split(' ')
/** From Sunday on, and from midnight on: evenings and weekends are when people look for a school. */
const byWeekday = [10, 11, 11, 11, 10, 8, 8]
const byHour = '6 3 2 2 2 3 6 10 15 20 24 26 28 26 25 27 30 32 35 39 41 37 26 14'
  .split(' ')
  .map(Number)

const percent = (share: number): string => `${Math.round(100 * share)} %`

/** What a simulation rests on, in sentences. */
export const assumptions: readonly string[] = [
  'Students write at all hours, most in the evening and at weekends hardly less.',
  `${percent(OWN_STATES)} come from states that counselors have as their own, ${percent(NO_STATE)} name none.`,
  ...firstTries.map(
    ({ share, from, to }) =>
      `${percent(share)} are first tried after ${from} to ${to} minutes of opening hours.`,
  ),
  `The others are never tried. A try reaches ${percent(REACHED)}; there are up to ${TRIES}, one each opening day.`,
  `${percent(BOUNCES)} of the addresses do not exist; a letter is answered by ${percent(REPLIES)}, who are then reached within 4 hours, and makes ${percent(UNSUBSCRIBES)} unsubscribe.`,
  'Reminders make nobody quicker. Nobody writes twice, has an account, or is paused.',
  'The month begins with nobody to follow up, so its first days are quieter than later ones.',
]

/** A student, and what the school will do by itself: when it tries to reach them, and when it does. */
export type SimulatedStudent = {
  arrival: number
  state: string | null
  tries: number[]
  /** Infinity for never. */
  contactedAt: number
  suppressed: SuppressionReason | null
}

/** Somebody who writes in, within `days` days from `firstDay` (yyyy-mm-dd) on. */
export function arrivalIn(
  { settings, days, firstDay }: { settings: Settings; days: number; firstDay: string },
  calendar: Calendar,
  random: Random,
): SimulatedStudent {
  const state = stateFor(settings, random)
  const [home = settings.school.timeZone] = zonesOfState(
    state,
    settings.followUp.zones,
    settings.school.timeZone,
  )
  const first = Date.parse(firstDay) / DAY
  const all = Array.from({ length: days }, (_, i) => first + i)
  // 1 January 1970 was a Thursday.
  const day = all[random.weighted(all.map(one => byWeekday[(one + 4) % 7] ?? 0))] ?? first
  const time = (random.weighted(byHour) + random.next()) * 60 * MINUTE
  const arrival = timeZone(home).momentOf({ day, time: Math.floor(time) })
  const tries = triesFor(arrival, calendar, random)
  const reachedBy = tries.findIndex(() => random.chance(REACHED))
  return {
    arrival,
    state,
    tries,
    contactedAt: tries[reachedBy] ?? Infinity,
    suppressed: random.chance(BOUNCES) ? 'bounced' : null,
  }
}

function stateFor({ admissions }: Settings, random: Random): string | null {
  const own = [...new Set(admissions.counselors.flatMap(({ states = [] }) => states))]
  if (random.chance(NO_STATE)) return null
  const states = own.length > 0 && random.chance(OWN_STATES / (1 - NO_STATE)) ? own : otherStates
  return states[random.weighted(states.map(() => 1))] ?? null
}

function triesFor(arrival: number, { school }: Calendar, random: Random): number[] {
  const band = firstTries[random.weighted([...firstTries.map(({ share }) => share), neverTried])]
  if (band === undefined) return []
  const minutes = Math.floor(band.from + random.next() * (band.to - band.from))
  const first = school.after(arrival, { days: 0, minutes })
  return Array.from({ length: TRIES }, (_, i) => school.after(first, { days: i, minutes: 0 }))
}

const neverTried = 1 - firstTries.reduce((sum, { share }) => sum + share, 0)

export type Random = {
  /** In [0, 1). */
  next(): number
  chance(share: number): boolean
  /** An index, as likely as its weight is large. */
  weighted(weights: readonly number[]): number
}

/** Mulberry32: small, and random enough to try something out. */
export function randomFrom(seed: number): Random {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    chance: share => next() < share,
    weighted: weights => {
      let left = next() * weights.reduce((sum, one) => sum + one, 0)
      const found = weights.findIndex(weight => {
        left -= weight
        return left < 0
      })
      return found === -1 ? weights.length - 1 : found
    },
  }
}
