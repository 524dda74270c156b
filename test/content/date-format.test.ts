/** Lengths of time in figures, which are upper limits: no figure is ever too short. */
import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { roughly } from '../../src/content/date-format.ts'
import { HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'

test('a rough time is rounded up: to minutes, from an hour on to half hours, from ten on to hours', () => {
  deepEqual([null, 0, 61 * SECOND, 29.5 * MINUTE, 75 * MINUTE, 9.6 * HOUR, 10.2 * HOUR].map(roughly), [
    '–',
    '1 min',
    '2 min',
    '30 min',
    '1.5 h',
    '10 h',
    '11 h',
  ])
})
