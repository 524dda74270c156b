/** The hours in which the staff call a person: while the school is open, and it is a suitable hour where they live. */
import { DAY } from '../platform/time.ts'
import type { CallWindow } from './call-window.ts'
import { afterOpenMinutes, type Hours, type Opening } from './opening-hours.ts'
import type { SchoolHours } from './school-hours.ts'

/** How far ahead we look for hours, in milliseconds: each weekday occurs within this time after the school opens. */
const SEARCHED = 8 * DAY

/** No one waits for their best time of day longer than over a long weekend. */
const BEST_WITHIN = 4 * DAY

/**
 * Hours for steps that notify the staff, so that no one counts as late before they may call. Minutes count while both
 * the school and the calling window are open; days are school days. If calling hours never overlap with school hours,
 * school hours count, from the first calling hour on. `best`: the part of the window that suits the person best. If it
 * comes soon, only that part counts.
 */
export function callingHours(
  school: SchoolHours,
  window: (now: number) => CallWindow,
  best?: ((now: number) => CallWindow) | null,
): Hours {
  const firstOf = (window: (now: number) => CallWindow, moment: number, end: number): Opening | undefined => {
    for (let at = moment; at < end; ) {
      const { from, to } = school.opening(at)
      const { open, until } = window(from)
      if (open) return { from, to: Math.min(to, until ?? to) }
      at = until ?? to
    }
    return undefined
  }
  const common = (moment: number): Opening | undefined => {
    const any = firstOf(window, moment, school.open(moment) + SEARCHED)
    if (any === undefined || !best) return any
    const end = any.from + BEST_WITHIN
    const part = firstOf(best, any.from, end)
    return part !== undefined && part.from < end ? part : any
  }
  const callable = (moment: number): number => {
    const { open, until } = window(moment)
    return open || until === null ? moment : until
  }
  const open = (moment: number): number => common(moment)?.from ?? school.open(moment)
  return {
    open,
    after: (start, { days, minutes }) => {
      const first = common(start)
      if (first === undefined) return school.after(callable(start), { days, minutes })
      if (minutes < 0) return open(school.after(first.from, { days, minutes }))
      const day = days === 0 ? start : school.after(first.from, { days, minutes: 0 })
      return afterOpenMinutes(at => common(at) ?? school.opening(at), day, minutes)
    },
  }
}
