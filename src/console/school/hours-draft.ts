/** The school hours as a form shows them (spans for each weekday, rows of holidays), and as settings. */
import { partsOf } from '../../follow-up/holidays.ts'
import type { Weekday } from '../../follow-up/school-hours.ts'
import { type Hours, weekdays } from './hours-words.ts'

export type SpanRow = { from: string; to: string }
export type HolidayRow = { date: string; until: string; yearly: boolean; name: string }

export type HoursDraft = { week: Record<Weekday, SpanRow[]>; holidays: HolidayRow[]; note: string }

export const MOST_SPANS = 4
const MOST_HOLIDAYS = 200
const BLANK_SPAN: SpanRow = { from: '', to: '' }
export const BLANK_HOLIDAY: HolidayRow = { date: '', until: '', yearly: false, name: '' }

/** The hours in force as a draft. Days that recur every year get `year` as their year, since a date field needs one. */
export const draftOf = ({ hours, holidays }: Hours, year: string): HoursDraft => ({
  week: weekOf(day => spansOf(hours[day])),
  holidays: holidays.map(holiday => {
    const { date, until = '', name = '' } = partsOf(holiday)
    const yearly = date.length === 5
    const full = (text: string) => (yearly && text !== '' ? `${year}-${text}` : text)
    return { date: full(date), until: full(until), yearly, name }
  }),
  note: '',
})

const spansOf = (text: string): SpanRow[] =>
  text === 'closed'
    ? []
    : text.split(',').map(span => {
        const [from = '', to = ''] = span.trim().split('-')
        // A time field cannot say 24:00.
        return { from, to: to === '24:00' ? '00:00' : to }
      })

const weekOf = (rows: (day: Weekday) => SpanRow[]) =>
  Object.fromEntries(weekdays.map(day => [day, rows(day)])) as HoursDraft['week']

/** Reads the fields of a form that shows such a draft. Empty rows are left out. */
export function readDraft(fields: Record<string, string | undefined>): HoursDraft {
  const of = (name: string) => (fields[name] ?? '').trim()
  const rows = Array.from({ length: MOST_HOLIDAYS }, (_, i) => ({
    date: of(`holiday-${i}-date`),
    until: of(`holiday-${i}-until`),
    yearly: fields[`holiday-${i}-yearly`] !== undefined,
    name: of(`holiday-${i}-name`),
  }))
  return {
    week: weekOf(day =>
      Array.from({ length: MOST_SPANS }, (_, i) => ({ from: of(`${day}-${i}-from`), to: of(`${day}-${i}-to`) }))
        .filter(({ from, to }) => from !== '' || to !== '')
        .toSorted((one, other) => one.from.localeCompare(other.from)),
    ),
    holidays: rows
      .filter(({ date, until, name }) => date !== '' || until !== '' || name !== '')
      .toSorted((one, other) => one.date.localeCompare(other.date)),
    note: of('note'),
  }
}

/** The draft in the form of the settings; nothing is checked yet. */
export const valueOfDraft = ({ week, holidays }: HoursDraft): unknown => ({
  hours: Object.fromEntries(
    weekdays.map(day => [
      day,
      week[day].map(({ from, to }) => `${from}-${to === '00:00' ? '24:00' : to}`).join(', ') || 'closed',
    ]),
  ),
  holidays: holidays.map(({ date, until, yearly, name }) => {
    const asWritten = (text: string) => (yearly ? text.slice(5) : text)
    const more = {
      ...(until === '' || until === date ? {} : { until: asWritten(until) }),
      ...(name === '' ? {} : { name }),
    }
    return Object.keys(more).length === 0 ? asWritten(date) : { date: asWritten(date), ...more }
  }),
})

/** The draft after someone pressed a button that adds or removes a row; undefined if no such button was pressed. */
export function withButton(draft: HoursDraft, pressed: string | undefined): HoursDraft | undefined {
  const [, what, which = ''] = /^(add|remove):(\w+)$/.exec(pressed ?? '') ?? []
  if (what === undefined) return undefined
  if (which === 'holiday') return { ...draft, holidays: [...draft.holidays, BLANK_HOLIDAY] }
  const day = weekdays.find(one => one === which)
  if (day !== undefined) return { ...draft, week: { ...draft.week, [day]: [...draft.week[day], BLANK_SPAN] } }
  return { ...draft, holidays: draft.holidays.filter((_, i) => String(i) !== which) }
}
