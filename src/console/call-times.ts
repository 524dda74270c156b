/** Until when, or from when, one may call people where they live. */
import { dateTimeFormat } from '../content/date-format.ts'
import type { RowContext } from './lead-row.ts'

export type CallTime = {
  open: boolean
  /** When that changes; null if it never does. */
  until: number | null
  /** The time where they are; two if their state has two time zones. */
  local: string
  /** Such as `call until 8:00 PM`, in their time. */
  words: string
}

/** Makes a function of a lead's state. Keep it for a page: many leads have the same state. */
export function callTimes({
  settings,
  calendar,
  now,
}: Pick<RowContext, 'settings' | 'calendar' | 'now'>): (state: string | null) => CallTime {
  const known = new Map<string | null, CallTime>()
  const clockIn = (zone: string, moment: number) =>
    dateTimeFormat(`en-${settings.school.country}`, {
      ...{ hour: 'numeric', minute: '2-digit', timeZone: zone },
    })
      .format(moment)
      .replaceAll('\u202f', ' ')
  const timeOf = (state: string | null): CallTime => {
    const zones = calendar.zonesOf(state)
    const local = [...new Set(zones.map(zone => clockIn(zone, now)))].join(' or ')
    const { open, until } = calendar.callWindow(state, now)
    if (until === null) return { open, until, local, words: 'you may call at any time' }
    const moment = clockIn(zones[0] ?? settings.school.timeZone, until)
    const words = open ? `call until ${moment}` : `do not call before ${moment}`
    return { open, until, local, words }
  }
  return state => {
    const time = known.get(state) ?? timeOf(state)
    known.set(state, time)
    return time
  }
}
