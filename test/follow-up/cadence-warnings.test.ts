import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import type { Cadence, Step } from '../../src/follow-up/cadence.ts'
import { cadenceWarnings } from '../../src/follow-up/cadence-warnings.ts'

const { student, site, quietHours } = defaultSettings.followUp
const remind = (after: string, clock: 'school' | 'student' = 'school'): Step => ({
  name: `remind-${after.replace(' ', '-')}`,
  after,
  clock,
  to: 'counselor',
  message: 'notifications/reminder.md',
})
const letter = (after: string): Step => ({
  name: `letter-${after.replace(' ', '-')}`,
  after,
  clock: 'student',
  to: 'student',
  message: `letters/${after}.md`,
})
const end = (after: string): Step => ({ name: 'end', after, clock: 'student', close: 'no reply' })
const warnings = (cadence: Cadence, quiet = quietHours) => cadenceWarnings('student', cadence, quiet)

describe('a cadence is warned about', () => {
  test('not at all if it is the one that Frontdesk comes with', () => {
    deepEqual(cadenceWarnings('student', student, quietHours), [])
    deepEqual(cadenceWarnings('site', site, quietHours), [])
  })

  const cases: [string, Cadence, RegExp][] = [
    ['without reminders', [letter('1 day'), end('14 days')], /No one at the school is reminded/],
    ['with a late first reminder', [remind('2 days'), end('14 days')], /late, after 2 days/],
    [
      'that reminds the staff by the wrong clock',
      [remind('5 minutes', 'student'), end('14 days')],
      /on weekends and holidays: the reminder to the counselor after 5 minutes is counted in calendar/,
    ],
    [
      'that asks the backup to take over before it reminds the counselor',
      [{ ...remind('15 minutes'), to: 'backup' }, remind('30 minutes'), end('14 days')],
      /^The backup is asked to take over after 15 minutes of school hours, before the counselor is reminded for the first time \(after 30 minutes of school hours\)\.$/,
    ],
    [
      'with many emails',
      [remind('5 minutes'), ...[1, 3, 5, 7, 9, 11].map(day => letter(`${day} days`)), end('14 days')],
      /gets 6 follow-up emails/,
    ],
    [
      'with two emails on one day',
      [remind('5 minutes'), letter('2 hours'), letter('12 hours'), end('14 days')],
      /The emails to the student after 2 hours and after 12 hours are less than a day apart/,
    ],
    [
      'that sends one message twice',
      [remind('5 minutes'), letter('1 day'), { ...letter('9 days'), message: 'letters/1 day.md' }, end('14 days')],
      /The emails to the student after 1 day and after 9 days are the same message/,
    ],
    ['that never ends', [remind('5 minutes'), letter('1 day')], /Nothing closes the lead/],
    [
      'that ends right after an email',
      [remind('5 minutes'), letter('7 days'), end('7 days')],
      /is closed after 7 days, less than a day after the last email to the student/,
    ],
  ]
  for (const [title, cadence, expected] of cases)
    test(title, () => {
      const found = warnings(cadence)
      equal(found.length, 1)
      match(found[0] ?? '', expected)
    })

  test('whose emails can come at night', () => {
    const nights = [
      ['20:00', '09:00', 0],
      ['21:00', '08:00', 0],
      ['22:00', '09:00', 1],
      ['20:00', '07:00', 1],
      ['12:00', '12:00', 1],
    ] as const
    for (const [from, to, count] of nights) equal(warnings(student, { from, to }).length, count, `${from} to ${to}`)
    deepEqual(warnings([remind('5 minutes'), end('14 days')], { from: '12:00', to: '12:00' }), [])
  })
})
