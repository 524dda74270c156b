import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/platform/log.ts'

test('the log describes an error without the data that is attached to it', () => {
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  const cause = Object.assign(new Error('violates check constraint "leads_closed"'), {
    code: '23514',
    constraint: 'leads_closed',
    detail: 'Failing row contains (1, canary@mail.example)',
  })
  log.error({ err: new Error('The batch could not be stored', { cause }) }, 'failed')
  const { err } = JSON.parse(lines[0] ?? '')
  equal(err.message, 'The batch could not be stored')
  deepEqual([err.cause.code, err.cause.constraint], ['23514', 'leads_closed'])
  equal(lines[0]?.includes('canary'), false)
})
