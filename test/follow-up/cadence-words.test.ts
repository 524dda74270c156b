import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Cadence, Step } from '../../src/follow-up/cadence.ts'
import { differences, whenInWords } from '../../src/follow-up/cadence-words.ts'

const remind: Step = {
  name: 'remind',
  after: '5 minutes',
  clock: 'school',
  to: 'counselor',
  message: 'notifications/reminder.md',
}
const write: Step = { name: 'day-1', after: '1 day', clock: 'student', to: 'student', message: 'letters/day-1.md' }
const end: Step = { name: 'end', after: '14 days', clock: 'student', close: 'no reply' }
const cadence: Cadence = [remind, write, end]

test('the time of a step in words names the clock by which it counts', () => {
  const words = [
    ['5 minutes', 'school', 'after 5 minutes of school hours'],
    ['1 hours', 'school', 'after 1 hour of school hours'],
    ['3 days', 'school', 'after 3 school days'],
    ['1 day', 'student', 'after 1 day'],
    ['36 hours', 'student', 'after 36 hours'],
    ['0 days', 'student', 'at once'],
    ['0 minutes', 'school', 'as soon as the school is open'],
    ['soon', 'school', 'after soon'],
  ] as const
  for (const [after, clock, expected] of words) equal(whenInWords({ after, clock }), expected)
})

describe('the difference between two versions of a cadence', () => {
  test('names each step that is new, removed or different', () => {
    const later: Cadence = [
      { ...remind, to: 'team' },
      { ...write, after: '2 days' },
      { ...write, name: 'day-9', after: '9 days' },
    ]
    deepEqual(differences(cadence, later), [
      'Removed: the end after 14 days.',
      'Changed: after 5 minutes of school hours, the team gets notifications/reminder.md. Before, the counselor gets notifications/reminder.md.',
      'Changed: the email to the student after 1 day now comes after 2 days.',
      'New: after 9 days, the student gets letters/day-1.md.',
    ])
  })

  test('can name messages by their subjects', () => {
    const later = [remind, write, { ...write, name: 'day-5', after: '5 days' }, end]
    deepEqual(
      differences(cadence, later, file => `“${file.length}”`),
      ['New: after 5 days, the student gets “16”.'],
    )
  })

  test('is empty for the same steps, and names an order that alone has changed', () => {
    deepEqual(differences(cadence, structuredClone(cadence)), [])
    const again = { ...remind, name: 'remind-again' }
    deepEqual(differences([remind, again], [again, remind]), ['Steps at the same time are in another order.'])
  })
})
