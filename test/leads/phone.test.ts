import { equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isSameNumber, phoneDigits, readablePhone, toE164 } from '../../src/leads/body/phone.ts'
import { anyText } from './arbitraries.ts'

const digit = fc.constantFrom(...'0123456789')

describe('the digits of a phone number', () => {
  test('are ASCII digits, whatever was written', () => {
    fc.assert(
      fc.property(anyText(), text => match(phoneDigits(text), /^[0-9]*$/)),
      { numRuns: 2000 },
    )
  })

  test('are the same with any punctuation between them', () => {
    const punctuated = fc.array(fc.tuple(digit, fc.stringMatching(/^[ ()./+x–-]{0,3}$/)))
    fc.assert(
      fc.property(punctuated, parts => {
        const text = parts.map(([number, between]) => `${number}${between}`).join('')
        equal(phoneDigits(text), parts.map(([number]) => number).join(''))
      }),
    )
  })

  test('count in their compatible forms, and in no other script', () => {
    equal(phoneDigits('５１２-５５５'), '512555')
    equal(phoneDigits('①②½'), '1212')
    equal(phoneDigits('٥١٢'), '')
  })
})

describe('E.164', () => {
  test('is a number or undefined, for any text and any country that the settings may name', () => {
    const country = fc.stringMatching(/^[A-Z]{2}$/)
    const numbers = fc.oneof(anyText(), fc.stringMatching(/^[+(]?[0-9 ().-]{5,30}$/))
    fc.assert(
      fc.property(numbers, country, (text, country) => {
        const number = toE164(text, country)
        ok(number === undefined || /^\+[1-9][0-9]{1,16}$/.test(number), String(number))
      }),
      { numRuns: 1000 },
    )
  })

  test('of a number in E.164 is the same number, in any country', () => {
    const american = fc.stringMatching(/^\+1[2-9][0-9]{2}[2-9][0-9]{6}$/)
    const country = fc.constantFrom('US', 'GB', 'MX', 'DE', 'JP', 'XX')
    fc.assert(fc.property(american, country, (number, country) => equal(toE164(number, country), number)))
  })

  for (const [written, country, number] of [
    ['(512) 555-0142', 'US', '+15125550142'],
    ['+1 512 555 0142', 'DE', '+15125550142'],
    ['1-512-555-0142', 'US', '+15125550142'],
    ['512-555-0142 ext. 7', 'US', '+15125550142'],
    ['５１２ ５５５ ０１４２', 'US', '+15125550142'],
    ['030 901820', 'DE', '+4930901820'],
    ['+52 55 5123 4567', 'US', '+525551234567'],
    ['00000000000000', 'US', undefined],
    ['call me', 'US', undefined],
    ['(512) 555-0142', 'XX', undefined],
  ] as const) {
    test(`of ${written} in ${country} is ${number}`, () => equal(toE164(written, country), number))
  }
})

describe('a number as staff read it', () => {
  for (const [written, country, shown] of [
    ['5125550163', 'US', '(512) 555-0163'],
    ['512-555-0163', 'US', '(512) 555-0163'],
    ['512.555.0163', 'US', '(512) 555-0163'],
    ['(512)555-0163', 'US', '(512) 555-0163'],
    ['+1 512 555 0163', 'US', '(512) 555-0163'],
    ['1-512-555-0163', 'US', '(512) 555-0163'],
    ['512–555–0163', 'US', '(512) 555-0163'],
    ['５１２-５５５-０１６３', 'US', '(512) 555-0163'],
    ['604-555-0163', 'US', '(604) 555-0163'],
    ['+52 55-5123-4567', 'US', '+52 55 5123 4567'],
    ['512-555-0163 ext. 7', 'US', '512-555-0163 ext. 7'],
    ['512-555-0163 x7', 'US', '512-555-0163 x7'],
    ['512-555-0163 evenings', 'US', '512-555-0163 evenings'],
    ['512-555-0163 / 512-555-0164', 'US', '512-555-0163 / 512-555-0164'],
    ['00000000000000', 'US', '00000000000000'],
    ['020-7946-0958', 'GB', '020 7946 0958'],
    ['512-555-0163', 'XX', '512-555-0163'],
  ] as const) {
    test(`${written} in ${country} is ${shown}`, () => equal(readablePhone(written, country), shown))
  }

  test('has the digits of the number, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.stringMatching(/^[+(]?[0-9 ().-]{5,30}$/)), text => {
        const shown = readablePhone(text, 'US')
        ok(shown === text || isSameNumber(shown, text), shown)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('two numbers', () => {
  for (const [one, other, same] of [
    ['(512) 555-0142', '512-555-0142', true],
    ['+1 512 555 0142', '512.555.0142', true],
    ['020 7946 0958', '+44 20 7946 0958', true],
    ['020 7946 0958', '0044 20 7946 0958', true],
    ['512-555-0142', '512-555-0143', false],
    ['0000000000', '512-555-0143', false],
  ] as const) {
    test(`${one} and ${other} are ${same ? 'the same' : 'different'}`, () => {
      equal(isSameNumber(one, other), same)
      equal(isSameNumber(other, one), same)
    })
  }
})
