import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Cadence } from '../../src/follow-up/cadence.ts'
import { cadenceProblems } from '../../src/follow-up/cadence-problems.ts'
import { closing, defaultCadence, letter, reminder } from './steps.ts'

const problems = (cadence: Cadence, ...expected: string[]) => deepEqual(cadenceProblems(cadence), expected)

describe('a cadence', () => {
  test('is fine as the design has it, and if it is empty', () => {
    problems(defaultCadence)
    problems([])
  })

  test('gives each step a unique name that can be part of a file name', () => {
    const name = (name: string) => `step '${name}' must have a name of lowercase letters, digits and hyphens`
    for (const bad of ['', 'Letter', '-letter', 'a b', 'é', 'a\n']) {
      problems([letter(bad, '1 day')], name(bad))
    }
    problems([letter('a', '1 day'), reminder('a', '1 hour')], "step 'a' must not have the same name as another step")
  })

  test('gives the delay of each step', () => {
    problems(
      [letter('a', 'soon'), letter('b', '1 day')],
      "step 'a' must have a delay in 'after' such as '15 minutes', '36 hours' or '3 days', at most 365 days (it is 'soon')",
    )
  })

  test('goes forward on each track, whatever is in between', () => {
    problems(
      [letter('a', '3 days'), reminder('b', '5 minutes'), letter('c', '71 hours')],
      "step 'c' must not come before 'a', which is listed above it",
    )
    problems([letter('a', '1 day'), letter('b', '24 hours'), letter('c', '1 day')])
  })

  test('writes to students in their own hours', () => {
    problems(
      [{ ...letter('a', '1 day'), clock: 'school' }],
      "step 'a' goes to the student, so its clock must be 'student'",
    )
    problems([{ ...reminder('a', '1 day'), clock: 'student' }])
  })

  test('counts either days or hours and minutes on a track that follows school hours', () => {
    const mixed = (name: string, unit: string, first: string) =>
      `step '${name}' must be counted in ${unit}, as '${first}' is: a day at the school does not have a fixed number of hours`
    problems(
      [reminder('a', '0 days'), reminder('b', '1 hour'), reminder('c', '1 day')],
      mixed('c', 'minutes or hours', 'b'),
    )
    problems([{ ...reminder('a', '1 day'), clock: 'student' }, reminder('b', '30 hours')], mixed('b', 'days', 'a'))
    problems([reminder('a', '0 minutes'), reminder('b', '1 day'), reminder('c', '3 days')])
    problems([letter('a', '36 hours'), letter('b', '3 days')])
  })

  test('closes the lead at most once', () => {
    problems(
      [closing('a', '7 days'), closing('b', '14 days')],
      "step 'b' must not close the lead: another step already does",
    )
  })

  test('closes the lead after everything else', () => {
    problems([letter('a', '7 days'), closing('b', '167 hours')], "step 'b' must not close the lead before step 'a'")
    problems(
      [closing('b', '1 day'), letter('a', '7 days'), reminder('c', '2 days')],
      "step 'b' must not close the lead before step 'a'",
      "step 'b' must not close the lead before step 'c'",
    )
    problems([closing('b', '7 days'), letter('a', '168 hours')])
    problems([closing('b', '0 minutes')])
  })

  test('shows all problems at once', () => {
    deepEqual(cadenceProblems([letter('A', 'soon'), closing('b', '1 day'), closing('b', '1 hour')]).length, 5)
  })
})
