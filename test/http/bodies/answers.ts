/** Fields of student interest only: ranked answers, a state, a key. */
import { type BadValue, bodyOf, inField, type Row } from './rows.ts'

/** Each field with the example that its error gives. */
const rankedFields = {
  interestLevel: '1 - First in your list',
  timeline: '2 - Second in your list',
  experience: '0 - Last in your list',
  source: '3 - Third in your list',
}

const rankedLike = (example: string): BadValue[] => {
  const shape = `must be a digit, " - " and a label, such as "${example}" (leave it out unless the student chose it from a list, and put their own words into message)`
  return [
    ['a digit alone', '2', shape],
    ['a digit and a dash', '2 -', shape],
    ['a digit, a dash and a space', '2 - ', shape],
    ['a label alone', 'Within three months', shape],
    ['no spaces', '2-Within three months', shape],
    ['no space before the dash', '2- Within three months', shape],
    ['no space after the dash', '2 -Within three months', shape],
    ['two spaces after the dash', '2 -  Within three months', shape],
    ['two spaces before the dash', '2  - Within three months', shape],
    ['unbreakable spaces', '2\u00a0-\u00a0Within three months', shape],
    ['an en dash', '2 – Within three months', shape],
    ['an em dash', '2 — Within three months', shape],
    ['a minus sign', '2 − Within three months', shape],
    ['a colon', '2: Within three months', shape],
    ['a dot', '2. Within three months', shape],
    ['a bracket', '2) Within three months', shape],
    ['two digits', '12 - Within three months', shape],
    ['a negative rank', '-1 - Never', shape],
    ['a fraction', '1.5 - Perhaps', shape],
    ['a letter for a rank', 'B - Within three months', shape],
    ['a word for a rank', 'two - Within three months', shape],
    ['a full-width digit', '２ - Within three months', shape],
    ['an Arabic-Indic digit', '٢ - Within three months', shape],
    ['label first', 'Within three months - 2', shape],
    ['long and without shape', 'x'.repeat(500), shape],
    ['121 characters', `2 - ${'x'.repeat(117)}`, 'must be 5 to 120 characters (it has 121)'],
    ['121 characters, emoji', `2 - ${'😀'.repeat(117)}`, 'must be 5 to 120 characters (it has 121)'],
  ]
}

const place = 'must be a 2 to 3 letter code or the name of a state, such as TX or Texas'

const states: BadValue[] = [
  ['one letter', 'T', place],
  ['one emoji', '🤠', place],
  ['a digit', '4', place],
  ['a code of digits', '48', place],
  ['letters and a digit', 'T2', place],
  ['four letters', 'TXAS', place],
  ['a misspelt name', 'Texass', place],
  ['a name and a code', 'Texas (TX)', place],
  ['a code and a postal code', 'TX 78701', place],
  ['a country and a state', 'US-TX', place],
  ['two states', 'TX, OK', place],
  ['a name in Cyrillic', 'Техас', place],
  ['two letters of another script', 'ТХ', place],
  ['two letters with an accent', 'TÉ', place],
  ['full-width letters', 'ＴＸ', place],
  ['a flag', '🇺🇸', place],
  ['a name of an object', 'constructor', place],
  ['__proto__', '__proto__', place],
  ['61 letters', 'x'.repeat(61), place],
]

const printable = 'must be 1 to 255 printable ASCII characters'

const keys: BadValue[] = [
  ['256 characters', 'k'.repeat(256), printable],
  ['an accented letter', 'clé', printable],
  ['an emoji', 'key-😀', printable],
  ['a full-width letter', 'ｋ', printable],
  ['an unbreakable space inside', 'key\u00a01', printable],
  ['a soft hyphen', 'key\u00ad1', printable],
]

const inHeader = (headers: Record<string, string>, body: unknown, error: string): Row => ({
  to: 'student',
  what: `key: ${Object.keys(headers).join(' and ')}, ${error}`,
  body: bodyOf('student', { idempotencyKey: body }),
  headers,
  status: 400,
  error,
})

const keyless =
  'idempotencyKey is required: send a unique value, such as a UUID, in the body or the X-Idempotency-Key header, and reuse it when you retry'

const headerKeys: Row[] = [
  inHeader({}, undefined, keyless),
  inHeader({}, '', keyless),
  inHeader({}, '  ', keyless),
  inHeader({ 'X-Idempotency-Key': '' }, undefined, keyless),
  inHeader({ 'X-Idempotency-Key': ' ', 'Idempotency-Key': '' }, '', keyless),
  inHeader({ 'X-Request-Id': 'one' }, undefined, keyless),
  inHeader(
    { 'X-Idempotency-Key': 'k'.repeat(256) },
    undefined,
    'X-Idempotency-Key must be 1 to 255 printable ASCII characters',
  ),
  inHeader(
    { 'Idempotency-Key': 'k'.repeat(256) },
    undefined,
    'Idempotency-Key must be 1 to 255 printable ASCII characters',
  ),
  inHeader(
    { 'X-Idempotency-Key': 'cl\u00e9' },
    undefined,
    'X-Idempotency-Key must be 1 to 255 printable ASCII characters',
  ),
  inHeader({ 'X-Idempotency-Key': 'a\tb' }, undefined, 'X-Idempotency-Key must be 1 to 255 printable ASCII characters'),
  inHeader({ 'Idempotency-Key': '""' }, undefined, 'Idempotency-Key must be 1 to 255 printable ASCII characters'),
  inHeader(
    { 'X-Idempotency-Key': 'two' },
    'one',
    'idempotencyKey in the body and X-Idempotency-Key must be the same idempotency key (they differ)',
  ),
  inHeader(
    { 'X-Idempotency-Key': 'ONE' },
    'one',
    'idempotencyKey in the body and X-Idempotency-Key must be the same idempotency key (they differ)',
  ),
  inHeader(
    { 'Idempotency-Key': '"two"' },
    'one',
    'idempotencyKey in the body and Idempotency-Key must be the same idempotency key (they differ)',
  ),
  inHeader(
    { 'X-Idempotency-Key': 'one', 'Idempotency-Key': 'two' },
    undefined,
    'X-Idempotency-Key and Idempotency-Key must be the same idempotency key (they differ)',
  ),
  inHeader(
    { 'X-Idempotency-Key': 'two', 'Idempotency-Key': 'three' },
    'one',
    'idempotencyKey in the body and X-Idempotency-Key must be the same idempotency key (they differ); idempotencyKey in the body and Idempotency-Key must be the same idempotency key (they differ)',
  ),
  inHeader(
    { 'X-Idempotency-Key': 'cl\u00e9' },
    'key',
    'X-Idempotency-Key must be 1 to 255 printable ASCII characters; idempotencyKey in the body and X-Idempotency-Key must be the same idempotency key (they differ)',
  ),
]

export const answers: Row[] = [
  ...Object.entries(rankedFields).flatMap(([field, example]) => inField('student', field, rankedLike(example))),
  ...inField('student', 'state', states),
  ...inField('student', 'idempotencyKey', keys),
  ...headerKeys,
]

/** For a service whose settings name the allowed answers to `timeline` and `source`. */
export const named: Record<string, { allowed: string[] }> = {
  timeline: { allowed: ['1 - Soon', '2 - Within three months', '3 - Some day'] },
  source: { allowed: ['1 - A letter', '3 - A friend'] },
}

export const notNamed: Row[] = [
  ...inField(
    'student',
    'timeline',
    ['1', 'Soon', '1 - soon', '1 - Soon.', '2 - Soon', '4 - Never', '1-Soon', '1 – Soon'].map(value => [
      value,
      value,
      'must be one of "1 - Soon", "2 - Within three months", "3 - Some day"',
    ]),
  ),
  ...inField('student', 'source', [
    ['another answer', '2 - An advertisement', 'must be one of "1 - A letter", "3 - A friend"'],
    ['121 characters', `2 - ${'x'.repeat(117)}`, 'must be one of "1 - A letter", "3 - A friend"'],
  ]),
]
