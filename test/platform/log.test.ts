import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLog } from '../../src/platform/log.ts'
import { plainLine } from '../../src/platform/log-line.ts'

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

describe('a line for a terminal', () => {
  const line = (fields: object) => plainLine(`${JSON.stringify({ pid: 1, hostname: 'vm', ...fields })}\n`)
  const time = new Date(2026, 10, 21, 15, 25, 7).getTime()

  test('has the local time, the level in a word, the message and its fields', () => {
    equal(
      line({ level: 40, time, task: 17, reason: '421 try later\u001b[31m', msg: 'a message was not sent' }),
      '15:25:07 warn  a message was not sent  task=17 reason="421 try later\\u001b[31m"\n',
    )
    equal(line({ level: 30, time, msg: 'ready' }), '15:25:07 info  ready\n')
  })

  test('shows where an error was thrown, and what caused it', () => {
    const err = { message: 'no', stack: 'Error: no\n    at here', cause: { message: 'disk' } }
    equal(
      line({ level: 50, time, err, msg: 'failed' }),
      '15:25:07 error failed  \n  Error: no\n    at here\n  caused by: disk\n',
    )
  })

  test('is whatever was written, if that is not JSON', () => equal(plainLine('half {\n'), 'half {\n'))
})
