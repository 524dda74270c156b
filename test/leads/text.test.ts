import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { codePoints, isPlain, textProblem, tidy } from '../../src/leads/body/tidy-text.ts'
import { anyText, likelyText } from './arbitraries.ts'

const texts = fc.oneof(anyText(), likelyText(0, 40))

describe('tidy text', () => {
  test('stays as it is when it is tidied again', () => {
    fc.assert(
      fc.property(texts, text => equal(tidy(tidy(text)), tidy(text))),
      { numRuns: 3000 },
    )
  })

  test('is NFC, and has no white space at either end', () => {
    fc.assert(
      fc.property(texts, text => {
        equal(tidy(text), tidy(text).normalize('NFC'))
        equal(tidy(text), tidy(text).trim())
      }),
      { numRuns: 3000 },
    )
  })

  test('has no more problems than before', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom('one', 'many'), (text, lines) => {
        if (textProblem(text, lines) === undefined) equal(textProblem(tidy(text), lines), undefined)
      }),
      { numRuns: 3000 },
    )
  })

  test('has one kind of line ending', () => {
    equal(tidy('a\r\nb\rc\nd\u2028e\u2029f'), 'a\nb\nc\nd\ne\nf')
    equal(tidy('a\n\r\nb'), 'a\n\nb')
  })
})

describe('text without a problem', () => {
  test('is well-formed and contains no control characters but line ends and tabs', () => {
    fc.assert(
      fc.property(texts, text => {
        if (textProblem(text, 'many') !== undefined) return
        ok(text.isWellFormed())
        ok(!/\p{Cc}/u.test(text.replace(/[\t\n\r]/g, '')))
      }),
      { numRuns: 3000 },
    )
  })

  test('is one line in a one-line field', () => {
    fc.assert(
      fc.property(texts, text => {
        if (textProblem(text, 'one') !== undefined) return
        equal(tidy(text).split(/[\n\r\u2028\u2029]/).length, 1)
        equal(textProblem(text, 'many'), undefined)
      }),
      { numRuns: 3000 },
    )
  })

  test('may begin and end with line breaks, because they are not stored', () => {
    equal(textProblem('\n Ana\r\n', 'one'), undefined)
    equal(textProblem('Ana\nRuiz', 'one'), 'must be one line, without tabs or line breaks')
  })

  test('contains no characters that change text direction in a one-line field', () => {
    for (const character of '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069') {
      const problem = textProblem(`Ana${character}Ruiz`, 'one')
      equal(problem, 'must not contain characters that change text direction')
      equal(textProblem(`Ana${character}Ruiz`, 'many'), undefined)
    }
  })

  test('may contain the marks that right-to-left names need', () => {
    equal(textProblem('\u200fمحمد\u200e', 'one'), undefined)
    equal(textProblem('\u061cمحمد', 'one'), undefined)
  })
})

test('plain text has no problem and is its own stored form', () => {
  const ascii = fc.string({ unit: 'binary-ascii' })
  fc.assert(
    fc.property(fc.oneof(texts, ascii), text => {
      if (!isPlain(text)) return
      equal(textProblem(text, 'one'), undefined)
      equal(textProblem(text, 'many'), undefined)
      equal(tidy(text), text)
    }),
    { numRuns: 3000 },
  )
  equal(isPlain('100 Main Street'), true)
  for (const text of ['', ' a', 'a ', 'a\nb', 'é', 'a\0']) equal(isPlain(text), false)
})

test('length is counted in code points', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => equal(codePoints(text), [...text].length)),
    { numRuns: 1000 },
  )
})
