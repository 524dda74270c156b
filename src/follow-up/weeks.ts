/** Weeks of the school, from Monday to Sunday, and the mornings of their reports. */
import { addDays } from '../platform/time.ts'
import type { Calendar } from './calendar.ts'
import { morningFrom } from './school-mornings.ts'

export type Week = {
  /** Its Monday and its Sunday, yyyy-mm-dd. */
  first: string
  last: string
  /** The moments at which this week and the next one begin. */
  from: number
  until: number
}

type Days = Pick<Calendar, 'startOf'>

/** The week that contains a day, yyyy-mm-dd. */
export function weekOf(day: string, calendar: Days): Week {
  const first = addDays(day, -((new Date(day).getUTCDay() + 6) % 7))
  const next = addDays(first, 7)
  return { first, last: addDays(first, 6), from: calendar.startOf(first), until: calendar.startOf(next) }
}

export const weekBefore = ({ first }: Pick<Week, 'first'>, calendar: Days): Week => weekOf(addDays(first, -7), calendar)

export const weekAfter = ({ first }: Pick<Week, 'first'>, calendar: Days): Week => weekOf(addDays(first, 7), calendar)

/** A week as the subject of a task: its Monday as yyyymmdd. */
export const numberOfWeek = ({ first }: Week): number => Number(first.replaceAll('-', ''))

export const weekOfNumber = (monday: number, calendar: Days): Week =>
  weekOf(String(monday).replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3'), calendar)

/** When a week is reported: on the first school morning of the next week. */
export const reportMorning = (week: Week, calendar: Calendar): number => morningFrom(week.until, calendar).at

/** The weeks whose report is still to come: this week and, until its morning, the last one. */
export function weeksToReport(now: number, calendar: Calendar): Week[] {
  const current = weekOf(calendar.today(now), calendar)
  const last = weekBefore(current, calendar)
  return reportMorning(last, calendar) > now ? [last, current] : [current]
}
