/** The common parts of school hours and student hours: times of day at which something is open. */
import { DAY, MINUTE } from '../platform/time.ts'
import type { Delay, Step } from './cadence.ts'
import type { TimeZone } from './time-zones.ts'

/** Hours in which steps are counted. Moments are Unix time in whole milliseconds. */
export type Hours = {
  /**
   * The moment `delay` after `start`. It is within the opening hours, and never before `start`. The delay's minutes may
   * be negative if its days make up for them.
   */
  after(start: number, delay: Delay): number
  /** `moment` itself or, if it is outside the opening hours, the next moment in them. */
  open(moment: number): number
}

/** The hours in which a lead's steps are counted; each step names one of them. */
export type StepHours = Record<Step['clock'], Hours>

/** A part of a day, in milliseconds of local time since 0:00, from `from` until before `to`. */
export type Span = { from: number; to: number }

/** The spans in which a day (counted from 1 January 1970) is open, in their order. */
export type SpansOf = (day: number) => readonly Span[]

/** A period that is open throughout: moments from `from` until before `to`. */
export type Opening = { from: number; to: number }

/**
 * The first opening from `moment` on, if it begins before `before`; otherwise undefined. The local clock decides: an
 * hour that a clock change repeats is open twice, and one that it skips is never open.
 */
export function nextOpening(zone: TimeZone, spansOf: SpansOf, moment: number, before: number): Opening | undefined {
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

/** The moment this many minutes after `start`. Only minutes within the openings count. */
export function afterOpenMinutes(opening: (moment: number) => Opening, start: number, minutes: number): number {
  let left = minutes * MINUTE
  for (let { from, to } = opening(start); ; { from, to } = opening(to)) {
    if (left < to - from) return from + left
    left -= to - from
  }
}

/** A time of day such as 09:30, in milliseconds since 0:00; 24:00 is the end of the day. Undefined if it is not one. */
export function timeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]|24(?=:00)):([0-5]\d)$/.exec(text) ?? []
  return hours === undefined ? undefined : (Number(hours) * 60 + Number(minutes)) * MINUTE
}
