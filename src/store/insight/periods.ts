/** Which periods (days and months) a range of days is computed from, in the counts of insight. */

/** The counts of a range are the counts of `added` minus the counts of `subtracted`. */
export type Periods = { added: string[]; subtracted: string[] }

/**
 * The periods of a range. Each month of the range is read with as few rows as possible: as a whole, as its days in the
 * range, or as a whole minus its other days. `from` and `to` are the first and the last day, as yyyy-mm-dd.
 */
export function periodsOf(from: string, to: string): Periods {
  const periods: Periods = { added: [], subtracted: [] }
  const [first, last] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)]
  let month = first.with({ day: 1 })
  while (Temporal.PlainDate.compare(month, last) <= 0) {
    const days = Array.from({ length: month.daysInMonth }, (_, day) => month.add({ days: day }).toString())
    const { inside = [], outside = [] } = Object.groupBy(days, day => (from <= day && day <= to ? 'inside' : 'outside'))
    if (inside.length <= outside.length) periods.added.push(...inside)
    else {
      periods.added.push(month.toString().slice(0, 7))
      periods.subtracted.push(...outside)
    }
    month = month.add({ months: 1 })
  }
  return periods
}

/** 1 for a period whose counts are added, -1 for a period whose counts are subtracted. */
export const signOf = ({ subtracted }: Periods): ((period: string) => 1 | -1) => {
  const negative = new Set(subtracted)
  return period => (negative.has(period) ? -1 : 1)
}

/** All periods that are read. Never empty, since databases reject an empty list: no count has the period ''. */
export const periodsToRead = ({ added, subtracted }: Periods): string[] => ['', ...added, ...subtracted]
