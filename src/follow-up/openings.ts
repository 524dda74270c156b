/** When something with opening hours in local time is open. */
import { DAY, MINUTE } from '../time.ts'
import type { TimeZone } from './time-zone.ts'

/** A part of a day, in milliseconds of local time since 0:00, from `from` until before `to`. */
export type Span = { from: number; to: number }

/** The spans in which a day (counted from 1 January 1970) is open, in their order. */
export type SpansOf = (day: number) => readonly Span[]

/** A stretch of time that is open throughout: moments from `from` until before `to`. */
export type Opening = { from: number; to: number }

/**
 * What is open first from `moment` on, as far as it begins before the moment `before`; undefined
 * where nothing does. What counts is what the local clock shows: an hour that a clock change repeats
 * is open twice, one that is skipped never.
 */
export function nextOpening(
  zone: TimeZone,
  spansOf: SpansOf,
  moment: number,
  before: number,
): Opening | undefined {
  for (let at = moment; at < before; ) {
    const stretch = zone.stretchAt(at)
    const day = Math.floor((at + stretch.offset) / DAY)
    const midnight = day * DAY - stretch.offset
    for (const span of spansOf(day)) {
      const from = Math.max(midnight + span.from, at)
      const to = Math.min(midnight + span.to, stretch.to)
      if (from < to) return from < before ? { from, to } : undefined
    }
    at = Math.min(midnight + DAY, stretch.to)
  }
  return undefined
}

/**
 * A time of day such as 09:30, in milliseconds since 0:00; 24:00 is the end of the day. Undefined
 * where the text is none.
 */
export function timeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]|24(?=:00)):([0-5]\d)$/.exec(text) ?? []
  return hours === undefined ? undefined : (Number(hours) * 60 + Number(minutes)) * MINUTE
}
