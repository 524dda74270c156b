/** Units of time, in milliseconds, and the type of a clock. */

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The parts of a day in which people like to be called. */
export const dayParts = ['morning', 'afternoon', 'evening'] as const

export type DayPart = (typeof dayParts)[number]

/** Tells the time as Unix milliseconds. */
export type Clock = { now(): number }

/** When the day of a moment began, in UTC. */
export const startOfDay = (moment: number): number => Math.floor(moment / DAY) * DAY

/** A time in UTC for programs (ISO 8601): `2026-11-21T20:00:00Z`. */
export const moment = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

/** The time as part of a file name, which then sorts by time: `20261121T200000Z`. */
export const momentInName = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/[-:]|\.\d+/g, '')
