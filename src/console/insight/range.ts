/** The range of days and the kind of lead that insight shows, in the URL and in words. */
import { dateInWords } from '../../content/date-format.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { isDay } from '../../platform/time.ts'

/** The ranges that have a name, in the URL and for people. */
export const ranges = { '7': 'Last 7 days', '30': 'Last 30 days', '90': 'Last 90 days', year: 'This year' } as const

type RangeName = keyof typeof ranges

export type InsightRange = {
  /** Undefined if someone chose the days themselves. */
  name: RangeName | undefined
  /** The first and the last day, yyyy-mm-dd. */
  from: string
  to: string
  kind: Kind | undefined
}

/** The longest range, in years, so that every response is quick. */
const LONGEST_YEARS = 10

/** Reads the query of a URL. An invalid range becomes the last 30 days; a day in the future becomes today. */
export function readRange(query: Record<string, string | undefined>, today: string): InsightRange {
  const kind = query['kind']
  const chosen = { kind: kind === 'student' || kind === 'site' ? kind : undefined } as const
  const day = (text: string | undefined) =>
    text !== undefined && isDay(text) ? (text > today ? today : text) : undefined
  const [since, until] = [day(query['since']), day(query['until'])]
  if (since !== undefined || until !== undefined) {
    const [one, other] = [since ?? until ?? today, until ?? today]
    const [first, to] = one <= other ? [one, other] : [other, one]
    const earliest = Temporal.PlainDate.from(to).subtract({ years: LONGEST_YEARS }).toString()
    return { name: undefined, from: first < earliest ? earliest : first, to, ...chosen }
  }
  const name = Object.hasOwn(ranges, query['range'] ?? '') ? (query['range'] as RangeName) : '30'
  return { name, from: firstDay(name, today), to: today, ...chosen }
}

function firstDay(name: RangeName, today: string): string {
  if (name === 'year') return `${today.slice(0, 4)}-01-01`
  return Temporal.PlainDate.from(today)
    .subtract({ days: Number(name) - 1 })
    .toString()
}

/** The part of a URL after the path, with some of it changed. */
export function queryOfRange({ name, from, to, kind }: InsightRange, more = {}): string {
  const days = name === undefined ? { since: from, until: to } : { range: name }
  return `?${new URLSearchParams({ ...days, ...(kind && { kind }), ...more })}`
}

/** Such as `October 24, 2026 to November 22, 2026: students`. */
export function rangeInWords({ from, to, kind }: InsightRange, school: { country: string }): string {
  const who = { student: 'students', site: 'sites', all: 'students and sites' }[kind ?? 'all']
  const days = from === to ? dateInWords(from, school) : `${dateInWords(from, school)} to ${dateInWords(to, school)}`
  return `${days}: ${who}`
}
