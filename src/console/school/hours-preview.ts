/** What school hours mean for people who write: by when someone calls them, as sentences about the coming days. */
import { dateTimeFormat } from '../../content/date-format.ts'
import { parseDelay, recipientOf } from '../../follow-up/cadence.ts'
import { createCalendar } from '../../follow-up/calendar.ts'
import { daysOfHoliday, type Holiday, partsOf } from '../../follow-up/holidays.ts'
import { parseHours } from '../../follow-up/school-hours.ts'
import { inDigits } from '../../leads/body/tidy-text.ts'
import { DAY, HOUR } from '../../platform/time.ts'
import type { ConsoleDeps } from '../frame/context.ts'
import { type Hours, weekdays } from './hours-words.ts'

/** A holiday within this many days gets a sentence. */
const AHEAD = 366
/** When the invented people write: after most schools have closed. */
const EVENING = 18 * HOUR

/** Sentences about valid hours: the week, two ordinary evenings, and the evenings before the next two holidays. */
export function hoursPreview(hours: Hours, { settings, clock }: ConsoleDeps): string[] {
  const school = { ...settings.school, ...hours }
  const calendar = createCalendar({ ...settings, school })
  const now = clock.now()
  const today = calendar.startOf(calendar.today(now))
  const dayAfter = (days: number) => calendar.startOf(calendar.today(today + days * DAY + DAY / 2))
  const next = Array.from({ length: 8 }, (_, i) => dayAfter(i + 1))
  const friday = next.find(day => weekdayOf(day, school) === 'Friday') ?? today
  const evenings = [...new Set([dayAfter(0), friday])].map(day => day + EVENING).filter(at => at > now)
  const beforeHolidays = Array.from({ length: AHEAD }, (_, i) => dayAfter(i + 1))
    .map(day => ({ day, name: nameOn(calendar.today(day + DAY / 2), hours.holidays) }))
    .filter(({ name }, i, all) => name !== undefined && all[i - 1]?.name !== name)
    .slice(0, 2)
  return [
    weekInWords(hours),
    ...evenings.map(at => sentenceAbout(at, '')),
    ...beforeHolidays.map(({ day, name }) => sentenceAbout(day - DAY + EVENING, name ? ` (before ${name})` : '')),
  ]

  function sentenceAbout(at: number, occasion: string): string {
    const first = settings.followUp.student.find(step => recipientOf(step) === 'counselor')
    const delay = first && parseDelay(first.after)
    const { school: open } = calendar.hoursFor({ state: null, phoneE164: null })
    const by = delay === undefined ? open.open(at) : open.after(at, delay)
    const [wrote, called] = [inWords(at, now, school), inWords(by, now, school)]
    return `A student who writes on ${wrote.day} at ${wrote.time}${occasion} is to be called on ${called.day} by ${called.time}.`
  }
}

/** How many hours the school is open in a week. */
function weekInWords({ hours }: Hours): string {
  const open = weekdays.map(day => (parseHours(hours[day]) ?? []).reduce((sum, { from, to }) => sum + to - from, 0))
  const total = open.reduce((sum, time) => sum + time, 0) / HOUR
  const days = open.filter(time => time > 0).length
  return `The school is open ${inDigits(Math.round(total * 10) / 10)} hours a week, on ${days} ${days === 1 ? 'day' : 'days'}.`
}

/** The name of the holiday on a day; empty for one without a name, undefined if there is none. */
function nameOn(day: string, holidays: readonly Holiday[]): string | undefined {
  const found = holidays.find(one => daysOfHoliday(one).some(date => date === day || date === day.slice(5)))
  return found && (partsOf(found).name ?? 'a holiday')
}

const weekdayOf = (moment: number, { timeZone }: { timeZone: string }): string =>
  dateTimeFormat('en-US', { weekday: 'long', timeZone }).format(moment)

/** `Friday` if it is within a week; otherwise with the date. */
function inWords(moment: number, now: number, { country, timeZone }: { country: string; timeZone: string }) {
  const near = moment - now < 6 * DAY
  const options = near ? {} : ({ month: 'long', day: 'numeric' } as const)
  const locale = `en-${country}`
  return {
    day: dateTimeFormat(locale, { weekday: 'long', ...options, timeZone }).format(moment),
    time: dateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', timeZone })
      .format(moment)
      .replaceAll('\u202f', ' '),
  }
}
