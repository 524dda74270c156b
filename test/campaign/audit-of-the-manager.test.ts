/** The audit of what is for the manager, in the simulated month: what it accepts, and what it does not. */
import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { auditManager } from '../../campaign/follow-up/audit-manager.ts'
import type { World } from '../../campaign/follow-up/world.ts'

/** Monday, 10:00 in New York, on which the manager is away from step 5 on. */
const MONDAY = Date.parse('2026-10-19T14:00:00Z')

function violationsOf(kind: string, tick: number, to: string, step = 0): string[] {
  const away = { counselor: 'manager', firstDay: '2026-10-19', lastDay: '2026-10-19', from: 5, to: 100 }
  const message = { id: 'it', kind, step, subject: 1, deliveries: [{ tick, at: MONDAY, to: `${to}@school.example` }] }
  const time = { ticksAt: () => [tick] }
  const world = { time, ledger: { absences: [away] }, post: { byId: new Map([['it', message]]) } }
  const violations: string[] = []
  auditManager(world as unknown as World, (holds, otherwise) => {
    if (!holds) violations.push(otherwise)
  })
  return violations
}

test('what is for the manager goes to the team while the manager is away', () => {
  for (const [kind, step] of [
    ['step', 2],
    ['unattended', 0],
    ['retention', 0],
  ] as const) {
    deepEqual(violationsOf(kind, 4, 'max', step), [])
    deepEqual(violationsOf(kind, 6, 'admissions', step), [])
    deepEqual(violationsOf(kind, 6, 'max', step), [
      'message it went to max@school.example, not admissions@school.example',
    ])
    deepEqual(violationsOf(kind, 4, 'admissions', step), [
      'message it went to admissions@school.example, not max@school.example',
    ])
  }
  deepEqual(violationsOf('unattended', 6, 'partnerships', 1), [])
  deepEqual(violationsOf('step', 6, 'ana', 1), [])
})

test('the weekly report waits for the manager', () => {
  deepEqual(violationsOf('report', 6, 'max'), [])
  deepEqual(violationsOf('report', 6, 'admissions'), [
    'message it went to admissions@school.example, not max@school.example',
  ])
})
