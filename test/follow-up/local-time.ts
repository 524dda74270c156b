/** Local time computed with Intl, independently of the Temporal under test; and generators to test it with. */
import fc from 'fast-check'
import type { SchoolWeek, Weekday } from '../../src/follow-up/school-hours.ts'

export type Wall = { date: string; time: string; weekday: Weekday }

/** The local date, time and weekday at a moment: 2026-11-21, 15:00 and saturday. */
export function wallAt(moment: number, timeZone: string): Wall {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    formats.set(timeZone, format)
  }
  const [date = '', time = ''] = format.format(moment).split(' ')
  const weekday = weekdays[new Date(date).getUTCDay()] as Weekday
  return { date, time, weekday }
}

const formats = new Map<string, Intl.DateTimeFormat>()

const weekdays: Weekday[] = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** Whether the school is open, read directly from its settings. */
export function isOpen(moment: number, { timeZone, hours, holidays }: SchoolWeek): boolean {
  const { date, time, weekday } = wallAt(moment, timeZone)
  if (holidays.includes(date) || holidays.includes(date.slice(5))) return false
  if (hours[weekday] === 'closed') return false
  return hours[weekday].split(', ').some(span => {
    const [from = '', to = ''] = span.split('-')
    return from <= time && time < to
  })
}

/** Whether a student may get an email, by the local time of every zone. */
export const isLoud = (moment: number, zones: readonly string[], from: string, to: string) =>
  zones.every(zone => {
    const { time } = wallAt(moment, zone)
    return from <= to ? time < from || time >= to : to <= time && time < from
  })

/** The first moment that fits, found by checking every minute. */
export function firstMinute(moment: number, fits: (moment: number) => boolean): number {
  for (let at = moment; ; at = Math.floor(at / 60_000) * 60_000 + 60_000) if (fits(at)) return at
}

/** 15:00 on 21 November 2026 in New York, and so on. */
export const at = (local: string, timeZone = 'America/New_York'): number =>
  Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).epochMilliseconds

/** The local date and time of a moment, in the format of `at`. */
export const local = (moment: number, timeZone = 'America/New_York'): string =>
  Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(timeZone).toPlainDateTime().toString()

/** Ordinary zones; clock changes at midnight, of half an hour, over 0:00; odd offsets. */
export const zoneNames = [
  'America/New_York',
  'America/Los_Angeles',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'America/Havana',
  'America/Sao_Paulo',
  'Asia/Beirut',
  'Pacific/Apia',
  'Pacific/Chatham',
  'UTC',
]
export const zone = fc.constantFrom(...zoneNames)

const day = fc.integer({ min: Date.parse('2010-01-01'), max: Date.parse('2035-01-01') })
const changes = [
  '2026-03-08T06:59:59.5Z',
  '2026-11-01T05:30:00Z',
  '2028-02-28T23:00:00Z',
  '2026-04-04T14:45:00Z',
  '2011-12-29T12:00:00Z',
  '2010-11-07T02:30:00Z',
  '2026-03-29T00:59:00Z',
]
const nearChange = fc
  .tuple(fc.constantFrom(...changes), fc.integer({ min: -2 * 86_400_000, max: 86_400_000 }))
  .map(([change, distance]) => Date.parse(change) + distance)
/** Moments of many years, often shortly before or after a clock change or a leap day. */
export const moment = fc.oneof(day, nearChange)

const time = fc
  .integer({ min: 0, max: 96 })
  .map(q => `${String(Math.floor(q / 4)).padStart(2, '0')}:${String((q % 4) * 15).padStart(2, '0')}`)
const dayHours = fc.oneof(
  fc.constantFrom('09:00-17:00', '09:00-12:00, 13:00-17:00', '00:00-24:00', 'closed'),
  fc.uniqueArray(time, { minLength: 2, maxLength: 6 }).map(times => {
    const sorted = times.toSorted()
    const spans = sorted.flatMap((from, i) =>
      i % 2 === 0 && sorted[i + 1] !== undefined ? [`${from}-${sorted[i + 1]}`] : [],
    )
    return spans.join(', ')
  }),
)
const holiday = fc.oneof(
  fc.constantFrom('12-25', '02-29', '02-28', '2026-03-08', '2026-11-01', '01-01'),
  day.map(moment => new Date(moment).toISOString().slice(0, 10)),
)

/** Schools that open on at least one weekday, not only in an hour that a clock change can skip. */
export const school: fc.Arbitrary<SchoolWeek> = fc.record({
  timeZone: zone,
  hours: fc.record({
    monday: dayHours,
    tuesday: dayHours,
    wednesday: fc.constantFrom('09:00-17:00', '08:30-12:15, 12:45-24:00'),
    thursday: dayHours,
    friday: dayHours,
    saturday: dayHours,
    sunday: dayHours,
  }),
  holidays: fc.array(holiday, { maxLength: 5 }),
})
