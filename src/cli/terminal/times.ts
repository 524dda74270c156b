/** Times as people at the school say them; programs get `moment` of `output.ts`. */
import type { Settings } from '../../config/settings.ts'
import { timeZone } from '../../follow-up/time-zones.ts'
import { DAY, HOUR, MINUTE } from '../../platform/time.ts'

export type Times = {
  /** Relative to now if it is near: `12 min ago`, `yesterday 3:25 PM`, `Tue 9:00 AM`, `Nov 4, 9:00 AM`. */
  near(at: number): string
  /** Like `near`, but never relative in minutes: `today 3:25 PM`. */
  short(at: number): string
  /** `Sat, Nov 21, 2026, 3:25 PM CST` */
  full(at: number): string
}

export function createTimes({ timeZone: home, country }: Settings['school'], now: number, zone = home): Times {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const { format } = new Intl.DateTimeFormat(`en-${country}`, { ...options, timeZone: zone })
    // Some terminals show the narrow space before AM and PM as a box.
    return (at: number) => format(at).replaceAll('\u202f', ' ')
  }
  const time = { hour: 'numeric', minute: '2-digit' } as const
  const date = { month: 'short', day: 'numeric' } as const
  const ofDay = format(time)
  const ofWeek = format({ weekday: 'short', ...time })
  const ofYear = format({ ...date, ...time })
  const ofAnyYear = format({ ...date, year: 'numeric' })
  const full = format({ weekday: 'short', ...date, year: 'numeric', ...time, timeZoneName: 'short' })
  const { localTime } = timeZone(zone)
  const yearOf = (at: number) => new Date(localTime(at).day * DAY).getUTCFullYear()
  const short = (at: number): string => {
    const day = dayWords[localTime(at).day - localTime(now).day]
    if (day !== undefined) return `${day} ${ofDay(at)}`
    if (Math.abs(at - now) < 6 * DAY) return ofWeek(at)
    return yearOf(at) === yearOf(now) ? ofYear(at) : ofAnyYear(at)
  }
  return {
    near: at => {
      const distance = Math.abs(at - now)
      if (distance < MINUTE) return 'now'
      if (distance >= HOUR) return short(at)
      const minutes = `${Math.floor(distance / MINUTE)} min`
      return at < now ? `${minutes} ago` : `in ${minutes}`
    },
    short,
    full,
  }
}

const dayWords: Record<number, string> = { [-1]: 'yesterday', 0: 'today', 1: 'tomorrow' }

/** How long someone has waited, in its largest unit: `12 min`, `5 h`, `3 days`. */
export function wait(milliseconds: number): string {
  if (milliseconds < HOUR) return `${Math.max(0, Math.floor(milliseconds / MINUTE))} min`
  if (milliseconds < DAY) return `${Math.floor(milliseconds / HOUR)} h`
  const days = Math.floor(milliseconds / DAY)
  return days === 1 ? '1 day' : `${days} days`
}
