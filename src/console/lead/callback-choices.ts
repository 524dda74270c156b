/** The times that one tap can choose for a callback, and the next days on which the school is open. */
import { dateTimeFormat } from '../../content/date-format.ts'
import type { Place } from '../../follow-up/area-codes.ts'
import { HOUR } from '../../platform/time.ts'
import type { RowContext } from './list-row-words.ts'

/**
 * The times for a callback that one tap can choose, by the clock where a person lives: the value for the action, and a
 * name for people. All are within calling hours. The morning is the next one on which the school is open.
 */
export function callbackChoices(
  context: Pick<RowContext, 'settings' | 'calendar' | 'now'>,
  place: Place,
): { when: string; name: string }[] {
  const { settings, calendar, now } = context
  const timeZone = calendar.zonesOf(place).zones[0] ?? settings.school.timeZone
  const [today = '', clock = ''] = dateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone })
    .format(now)
    .split(' ')
  const [morning] = nextSchoolDays(context, 1)
  const there = timeZone === settings.school.timeZone ? '' : ' there'
  return [
    ...(calendar.callWindow(place, now + HOUR).open ? [{ when: '1h', name: 'In an hour' }] : []),
    ...(clock < '13:30' ? [{ when: `${today}T14:00`, name: `This afternoon, 2 PM${there}` }] : []),
    ...(clock < '17:30' ? [{ when: `${today}T18:00`, name: `Tonight, 6 PM${there}` }] : []),
    ...(morning === undefined
      ? []
      : [{ when: `${morning.day}T10:00`, name: `${morning.name} morning, 10 AM${there}` }]),
  ]
}

/** The next days on which the school is open, as yyyy-mm-dd, each with its name. */
export function nextSchoolDays(
  { settings, calendar, now }: Pick<RowContext, 'settings' | 'calendar' | 'now'>,
  count: number,
): { day: string; name: string }[] {
  const { timeZone, country } = settings.school
  const weekday = dateTimeFormat(`en-${country}`, { weekday: 'long', timeZone })
  const days: { day: string; name: string }[] = []
  let start = calendar.midnightAfter(now)
  // Two weeks without a school day mean that the school has a break.
  for (let ahead = 1; ahead <= 14 && days.length < count; ahead++) {
    const end = calendar.midnightAfter(start)
    const name = ahead === 1 ? 'Tomorrow' : weekday.format(start)
    if (calendar.school.elapsed(start, end) > 0) days.push({ day: calendar.today(start), name })
    start = end
  }
  return days
}
