/** Random bodies and texts: mostly plausible, sometimes troublesome. */
import fc from 'fast-check'
import type { ParseContext } from '../../src/leads/body/parse.ts'
import { statesWith } from '../../src/leads/body/states.ts'

export const now = Date.parse('2026-11-21T20:00:00Z')

export const context: ParseContext = { now, states: statesWith({}), answers: {} }

/** Characters that something between here and a mail client treats specially. */
const troublesome = [
  '\0',
  '\b',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\v',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u009f',
  ' ',
  '\u00a0',
  '\u2003',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\u200b',
  '\u200d',
  '\u00ad',
  '\u200f',
  '\u202e',
  '\u2066',
  '\ud83d',
  '\ude00',
  '😀',
  '\ufffd',
  '\uffff',
  'e\u0301',
  '\u0301',
  'J\u030c',
  '\u0958',
  '\u1112\u1161',
  '\u212a',
  'İ',
  'ß',
  'ẞ',
  'Σ',
  'ﬁ',
  '½',
  '２',
  '٢',
  '①',
  'ﷺ',
  '＠',
  '．',
  ',',
  ';',
  ':',
  '<',
  '>',
  '"',
  "'",
  '\\',
  '(',
  ')',
  '@',
  '.',
  '-',
  '_',
  '%',
  '+',
  '#',
  '/',
  '=',
  '{{',
  '}}',
  '__proto__',
  'a',
  'B',
  '1',
]

/** Any sequence of UTF-16 code units, lone surrogates included. */
const codeUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
  .map(units => String.fromCharCode(...units))

/** Any text at all. */
export const anyText = (maxLength = 60) =>
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength }),
    fc.string({ unit: 'binary', maxLength }),
    fc.string({ unit: fc.constantFrom(...troublesome), maxLength }),
    codeUnits,
  )

/** Text that most fields accept: letters of all scripts, sometimes with a troublesome character. */
export const likelyText = (minLength: number, maxLength: number) =>
  fc.string({
    unit: fc.oneof(
      { weight: 800, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
      { weight: 200, arbitrary: fc.constantFrom(' ', 'e\u0301', 'J\u030c', '\u0958', '😀') },
      { weight: 1, arbitrary: fc.constantFrom(...troublesome) },
    ),
    minLength,
    maxLength,
  })

const label = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,8}[A-Za-z0-9])?$/),
  fc.string({ unit: fc.constantFrom('a', 'E', 'é', 'J\u030c', 'İ', 'ß', 'ẞ', 'Σ', '中', '２', 'ｅ', 'ﬁ') }),
)

/** `local@domain`, mostly valid. */
export const likelyEmail = fc
  .tuple(
    fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,20}$/),
      fc.string({ unit: fc.constantFrom('a', 'Ö', 'e\u0301', '中', '.', '+', 'J\u030c') }),
    ),
    fc.array(label, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('example', 'COM', 'Jobs', 'xn--p1ai', 'İo'),
  )
  .map(([local, labels, top]) => `${local}@${[...labels, top].join('.')}`)

const oneInFive = <T>(rare: fc.Arbitrary<T>, common: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 1, arbitrary: rare }, { weight: 4, arbitrary: common })

const likelyPhone = oneInFive(
  fc.string({ unit: fc.constantFrom('1', '２', '③', '½', ' ', '-'), minLength: 8, maxLength: 20 }),
  fc.stringMatching(/^[+(]?[0-9]{3}[ ).-]{0,3}[0-9]{3}[ .-]{0,3}[0-9]{4,9}$/),
)

const likelyRanked = fc
  .tuple(fc.integer({ min: 0, max: 9 }), likelyText(1, 30))
  .map(([rank, answer]) => `${rank} - ${answer}`)

/** Mostly a likely value, sometimes any JSON value, sometimes absent. */
const oftenGood = (likely: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 200, arbitrary: likely },
    { weight: 1, arbitrary: anyText() },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )

const maybe = (likely: fc.Arbitrary<unknown>) => oftenGood(fc.option(likely, { nil: undefined }))

const person = {
  firstName: oftenGood(likelyText(2, 20)),
  lastName: oftenGood(likelyText(2, 50)),
  email: oftenGood(oneInFive(likelyEmail, fc.emailAddress({ size: 'small' }))),
  phone: oftenGood(likelyPhone),
}

/** An object as JSON.parse returns it: no property is undefined. */
const asJson = (body: object): Record<string, unknown> => JSON.parse(JSON.stringify(body))

/** Bodies of operation A. */
export const siteBodies = fc
  .record({
    ...person,
    company: oftenGood(likelyText(2, 40)),
    address: oftenGood(likelyText(8, 60)),
    message: maybe(likelyText(0, 100)),
    website: fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: anyText() }),
    startedAt: oftenGood(fc.integer({ min: now - 1e9, max: now + 1e8 })),
  })
  .map(asJson)

/** Bodies of operation B. */
export const studentBodies = fc
  .record({
    ...person,
    city: maybe(likelyText(1, 30)),
    state: maybe(fc.constantFrom('TX', 'tx', 'Nsw', 'new  york', ' Texas ', 'Washington, DC')),
    interestLevel: maybe(likelyRanked),
    timeline: maybe(likelyRanked),
    experience: maybe(likelyRanked),
    source: maybe(likelyRanked),
    employer: maybe(likelyText(1, 40)),
    message: maybe(likelyText(0, 100)),
    idempotencyKey: maybe(fc.stringMatching(/^[\x20-\x7e]{1,40}$/)),
  })
  .map(asJson)

/** Anything that JSON.parse can return, including objects with the names of our fields. */
export const anyJson = fc.oneof(
  siteBodies,
  studentBodies,
  fc.jsonValue(),
  fc.dictionary(
    fc.oneof(anyText(10), fc.constantFrom('firstName', 'email', 'website', '__proto__', 'e-mail')),
    fc.jsonValue({ maxDepth: 2 }),
  ),
)

/** The same body with its properties in another order. */
export const reordered = (bodies: fc.Arbitrary<Record<string, unknown>>) =>
  bodies.chain(body => {
    const entries = Object.entries(body)
    return fc
      .shuffledSubarray(entries, { minLength: entries.length, maxLength: entries.length })
      .map(shuffled => ({ body, other: Object.fromEntries(shuffled) }))
  })
