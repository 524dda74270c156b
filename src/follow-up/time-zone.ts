/**
 * The local time of one time zone, quickly: a zone keeps one offset for months or for ever, so each
 * stretch between two clock changes is looked up once.
 */
import { DAY } from '../time.ts'

/**
 * A stretch of time, from `from` until before `to`, in which local time is Unix time plus `offset`.
 * All three are in milliseconds; a stretch without an end has -Infinity or Infinity.
 */
export type Stretch = { from: number; to: number; offset: number }

/** A day, as days since 1 January 1970, and a time of that day, in milliseconds since 0:00. */
export type LocalTime = { day: number; time: number }

export type TimeZone = {
  /** The stretch in which the moment lies. */
  stretchAt(moment: number): Stretch
  /** What calendar and clock show at the moment. */
  localTime(moment: number): LocalTime
  /**
   * The moment at which calendar and clock show this. Of two such moments it is the first; a time
   * that a clock change skips is moved on by what is skipped (RFC 5545 section 3.3.5).
   */
  momentOf(local: LocalTime): number
}

/** Throws a RangeError where the name is not that of a time zone. */
export function timeZone(name: string): TimeZone {
  const stretches = [readStretch(0, name)]
  const stretchAt = (moment: number): Stretch => {
    const known = stretches.find(({ from, to }) => from <= moment && moment < to)
    if (known !== undefined) return known
    const read = readStretch(moment, name)
    stretches.push(read)
    return read
  }
  return {
    stretchAt,
    localTime: moment => {
      const local = moment + stretchAt(moment).offset
      const day = Math.floor(local / DAY)
      return { day, time: local - day * DAY }
    },
    momentOf: ({ day, time }) =>
      zoned(day * DAY + time, 'UTC')
        .toPlainDateTime()
        .toZonedDateTime(name).epochMilliseconds,
  }
}

function readStretch(moment: number, name: string): Stretch {
  const at = zoned(moment, name)
  // The previous change is the last one before its argument, but a change may come at the moment.
  const previous = at.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
  const next = at.getTimeZoneTransition('next')
  return {
    from: previous?.epochMilliseconds ?? -Infinity,
    to: next?.epochMilliseconds ?? Infinity,
    offset: at.offsetNanoseconds / 1e6,
  }
}

const zoned = (moment: number, name: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(name)
