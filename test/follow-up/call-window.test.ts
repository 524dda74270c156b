import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { callWindows } from '../../src/follow-up/call-window.ts'

const quietHours = { from: '20:00', to: '09:00' }
const at = (text: string) => Date.parse(`2026-11-${text}Z`)
const texas = callWindows({ zones: ['America/Chicago', 'America/Denver'], quietHours })

test('staff may call until the quiet hours begin in the first of the time zones', () => {
  deepEqual(texas(at('23T16:30')), { open: true, until: at('24T02:00') })
  deepEqual(texas(at('24T01:59')), { open: true, until: at('24T02:00') })
})

test('outside of that, it says when staff may call next: when they are over in the last zone', () => {
  deepEqual(texas(at('24T02:00')), { open: false, until: at('24T16:00') })
  deepEqual(texas(at('24T15:30')), { open: false, until: at('24T16:00') })
})

test('without quiet hours staff may always call, and quiet hours may lie within a day', () => {
  const zones = ['America/Chicago']
  const never = callWindows({ zones, quietHours: { from: '12:00', to: '12:00' } })
  deepEqual(never(at('24T03:00')), { open: true, until: null })
  const noon = callWindows({ zones, quietHours: { from: '12:00', to: '13:00' } })
  deepEqual(noon(at('24T03:00')), { open: true, until: at('24T18:00') })
  deepEqual(noon(at('24T18:30')), { open: false, until: at('24T19:00') })
})
