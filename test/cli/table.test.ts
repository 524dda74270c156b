import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import stringWidth from 'string-width'
import { type Row, type TableOptions, table } from '../../src/cli/terminal/table.ts'
import { onTerminal } from '../../src/cli/terminal/terminal.ts'

const rows: Row[] = [
  { id: 1, name: '田中 太郎', note: `e\u0301${'x'.repeat(40)}`, email: 'ana@mercy.example' },
  { id: 22, name: 'Ben\nOkafor', note: '\u001b[31mred\u001b[0m \u0007bell', email: null },
]

const tableIn = (
  { env = {}, ...stream }: { env?: Record<string, string>; columns?: number; isTTY?: boolean },
  options?: TableOptions,
) => {
  const output = { write: () => {}, ...stream }
  return onTerminal({ env, stdout: output, stderr: output }, () => table(rows, options))
}

describe('a table', () => {
  test('lines up wide characters, and shows no control character of others', () => {
    deepEqual(tableIn({ env: { COLUMNS: '200' } }).split('\n'), [
      `id  name        note${' '.repeat(39)}email`,
      `1   田中 太郎   e\u0301${'x'.repeat(40)}  ana@mercy.example`,
      ' 22  Ben Okafor  red bell'.trim(),
    ])
  })

  test('leaves out what is optional, then cuts what is widest, to fit its window', () => {
    const lines = tableIn({ isTTY: true, columns: 40, env: { NO_COLOR: '1' } }, { optional: ['email'] })
    const [head, first = ''] = lines.split('\n')
    match(head ?? '', /^id {2}name {8}note$/)
    match(first, /^1 {3}田中 太郎 {3}e\u0301x+…$/)
    equal(stringWidth(first), 40)
  })

  test('is 100 columns wide where there is no window', () => {
    const widths = tableIn({ columns: 30 })
      .split('\n')
      .map(line => stringWidth(line))
    equal(Math.max(...widths) > 70 && Math.max(...widths) <= 100, true)
  })

  test('has a bold head on a terminal only, and not with NO_COLOR', () => {
    match(tableIn({ isTTY: true, columns: 80 }), /^\u001b\[1mid .*\u001b\[22m\n1 /)
    for (const plain of [{}, { isTTY: true, env: { NO_COLOR: '1' } }, { isTTY: true, env: { TERM: 'dumb' } }])
      match(tableIn(plain), /^id /)
  })
})
