/** Units of time, in milliseconds, the type of a clock, and days and moments as text. */

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The parts of a day in which people like to be called. */
export const dayParts = ['morning', 'afternoon', 'evening'] as const

export type DayPart = (typeof dayParts)[number]

/**
 * Tells the time as Unix milliseconds. `elapsed` counts milliseconds and is never set; without it, no one notices that
 * the clock jumps.
 */
export type Clock = { now(): number; elapsed?(): number }

/** When the day of a moment began, in UTC. */
export const startOfDay = (moment: number): number => Math.floor(moment / DAY) * DAY

/** The day of a moment in UTC: `2026-11-21`. */
export const utcDay = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)

export const addDays = (day: string, count: number): string => utcDay(Date.parse(day) + count * DAY)

/** Whether a text is a day that exists, such as `2026-11-21`: November 31 does not, but Date reads it as December 1. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00Z`).toJSON()?.slice(0, 10) === text

/** A time in UTC for programs (ISO 8601): `2026-11-21T20:00:00Z`. */
export const moment = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

/** A time in UTC with its milliseconds, for programs: `2026-11-21T20:00:00.000Z`. */
export const exactMoment = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** The time as part of a file name, which then sorts by time: `20261121T200000Z`. */
export const momentInName = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/[-:]|\.\d+/g, '')
