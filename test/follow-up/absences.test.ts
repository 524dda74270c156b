import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { coverageGaps } from '../../src/follow-up/absences.ts'

test('days on which everyone of a state is away are found as spans', () => {
  const days = ['2026-12-23', '2026-12-24', '2026-12-25']
  const people = [{ id: 'a', states: ['TX'] }, { id: 'b', states: ['TX', 'OK'] }, { id: 'c' }]
  const away = (day: string) => new Set(day >= '2026-12-24' ? ['a', 'b'] : ['b'])
  deepEqual(coverageGaps(days, people, away), [
    { state: 'OK', from: '2026-12-23', to: '2026-12-25' },
    { state: 'TX', from: '2026-12-24', to: '2026-12-25' },
  ])
  deepEqual(
    coverageGaps(days, [], () => new Set()),
    [],
  )
})
