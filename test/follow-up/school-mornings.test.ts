import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { nextMorning } from '../../src/follow-up/school-mornings.ts'

const daily = '09:00-17:00'
const hours = {
  monday: daily,
  tuesday: daily,
  wednesday: daily,
  thursday: daily,
  friday: daily,
  saturday: daily,
  sunday: daily,
}
const calendar = createCalendar({
  school: { timeZone: 'America/New_York', hours, holidays: [] },
  followUp: { quietHours: { from: '21:00', to: '09:00' }, zones: {} },
})

const next = (now: string): [number, string] => {
  const { day, at } = nextMorning(Date.parse(now), calendar)
  return [day, new Date(at).toISOString()]
}

test('the next school morning is today until the school opens, also after a day with 23 or 25 hours', () => {
  const monday = [20270315, '2027-03-15T13:00:00.000Z']
  deepEqual(next('2027-03-14T13:00:00Z'), monday, 'the morning of the clock change is over')
  for (const now of ['2027-03-15T03:59:59Z', '2027-03-15T04:00:00Z', '2027-03-15T04:30:00Z', '2027-03-15T12:59:59Z'])
    deepEqual(next(now), monday, now)
  deepEqual(next('2027-11-08T04:59:59Z'), [20271108, '2027-11-08T14:00:00.000Z'], 'at the end of 25 hours')
  deepEqual(next('2027-11-08T14:00:00Z'), [20271109, '2027-11-09T14:00:00.000Z'])
})
