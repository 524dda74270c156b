import { equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { stateCode, statesWith } from '../../src/leads/body/states.ts'
import { anyText } from './arbitraries.ts'

const states = statesWith({})

describe('a state', () => {
  test('is a code in capital letters or undefined, for any text', () => {
    fc.assert(
      fc.property(anyText(20), text => {
        const code = stateCode(text, states)
        ok(code === undefined || /^[A-Z]{2,3}$/.test(code))
      }),
      { numRuns: 2000 },
    )
  })

  test('is read from its name in upper or lower case, with any spaces between', () => {
    const anyCase = fc.constantFrom(...states.keys()).chain(name =>
      fc
        .tuple(
          fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }),
          fc.constantFrom(' ', '  ', '\u00a0'),
        )
        .map(([upper, space]) => ({
          name,
          written: [...name]
            .map((letter, i) => (upper[i] ? letter.toUpperCase() : letter))
            .join('')
            .replaceAll(' ', space),
        })),
    )
    fc.assert(fc.property(anyCase, ({ name, written }) => equal(stateCode(written, states), states.get(name))))
  })

  test('is read from its own code', () => {
    for (const code of states.values()) {
      equal(stateCode(code, states), code)
      equal(stateCode(code.toLowerCase(), states), code)
    }
  })

  test('is one of the fifty, the district, or one of five territories, each once', () => {
    const codes = new Set(states.values())
    equal(codes.size, 56)
    for (const code of codes) match(code, /^[A-Z]{2}$/)
  })

  for (const written of ['Washington DC', 'Washington, DC', 'washington, d.c.', 'DC']) {
    test(`is the district, not Washington, if written ${written}`, () => equal(stateCode(written, states), 'DC'))
  }

  test('may be a code that we do not know', () => {
    equal(stateCode('bc', states), 'BC')
    equal(stateCode('Nsw', states), 'NSW')
  })

  for (const written of ['T', 'T2', 'Texass', 'TX, OK', 'constructor', '__proto__', 'ТХ', '']) {
    test(`is not "${written}"`, () => equal(stateCode(written, states), undefined))
  }
})

describe("the operator's own states", () => {
  const own = statesWith({ 'New South Wales': 'NSW', 'Que\u0301bec': 'QC', Texas: 'TEX' })

  test('are read like the built-in ones', () => {
    equal(stateCode('new  south WALES', own), 'NSW')
    equal(stateCode('Ohio', own), 'OH')
  })

  test('match whatever Unicode form the settings use', () => {
    equal(stateCode('Québec', own), 'QC')
  })

  test('override the built-in ones', () => {
    equal(stateCode('texas', own), 'TEX')
    equal(stateCode('TX', own), 'TX')
  })
})
