/** Names, companies, addresses, messages: too short and too long, in whatever script. */
import { type BadValue, inField, type Row } from './rows.ts'

const grin = '\u{1f600}'
/** One code point in NFC, two as sent. */
const eAcute = 'e\u0301'

/** Too short for a site; a student may have a name of one character. */
const shortNames: BadValue[] = [
  ['one letter', 'A', 'must be 2 to 50 characters (it has 1)'],
  ['one letter among spaces', '  A  ', 'must be 2 to 50 characters (it has 1)'],
  ['one emoji, two code units', grin, 'must be 2 to 50 characters (it has 1)'],
  ['a letter and its accent, one in NFC', eAcute, 'must be 2 to 50 characters (it has 1)'],
  ['a Hangul syllable in three parts', '\u1112\u1161\u11ab', 'must be 2 to 50 characters (it has 1)'],
]

const longNames = (limit: string): BadValue[] => [
  ['51 letters', 'a'.repeat(51), `must be ${limit} characters (it has 51)`],
  ['51 emoji', grin.repeat(51), `must be ${limit} characters (it has 51)`],
  ['51 accented letters', eAcute.repeat(51), `must be ${limit} characters (it has 51)`],
  ['26 letters with an accent that stays apart', 'q\u0301'.repeat(26), `must be ${limit} characters (it has 52)`],
  ['26 letters that NFC takes apart', '\u0958'.repeat(26), `must be ${limit} characters (it has 52)`],
  ['a family of seven code points, eight times', '👩‍👩‍👧‍👦'.repeat(8), `must be ${limit} characters (it has 56)`],
  ['thousands of letters', 'a'.repeat(5000), `must be ${limit} characters (it has 5000)`],
]

const companies: BadValue[] = [
  ['one letter', 'M', 'must be 2 to 120 characters (it has 1)'],
  ['one emoji', grin, 'must be 2 to 120 characters (it has 1)'],
  ['121 letters', 'm'.repeat(121), 'must be 2 to 120 characters (it has 121)'],
  ['121 emoji', grin.repeat(121), 'must be 2 to 120 characters (it has 121)'],
  ['61 letters that NFC takes apart', '\u0958'.repeat(61), 'must be 2 to 120 characters (it has 122)'],
]

const addresses: BadValue[] = [
  ['one letter', 'x', 'must be 8 to 180 characters (it has 1)'],
  ['seven characters', '10 Main', 'must be 8 to 180 characters (it has 7)'],
  ['seven characters, line breaks around them', '\n10 Main\r\n', 'must be 8 to 180 characters (it has 7)'],
  ['seven emoji, fourteen code units', grin.repeat(7), 'must be 8 to 180 characters (it has 7)'],
  ['seven accented letters, fourteen as sent', eAcute.repeat(7), 'must be 8 to 180 characters (it has 7)'],
  ['three letters on three lines, CR LF counted once', 'a\r\nb\r\nc', 'must be 8 to 180 characters (it has 5)'],
  ['181 letters', 'x'.repeat(181), 'must be 8 to 180 characters (it has 181)'],
  ['181 emoji', grin.repeat(181), 'must be 8 to 180 characters (it has 181)'],
  ['91 lines', `${'x\r\n'.repeat(91)}x`, 'must be 8 to 180 characters (it has 183)'],
]

const messages: BadValue[] = [
  ['1501 letters', 'x'.repeat(1501), 'must be at most 1500 characters (it has 1501)'],
  ['1501 emoji', grin.repeat(1501), 'must be at most 1500 characters (it has 1501)'],
  ['1501 accented letters', eAcute.repeat(1501), 'must be at most 1500 characters (it has 1501)'],
  ['751 letters that NFC takes apart', '\u0958'.repeat(751), 'must be at most 1500 characters (it has 1502)'],
  ['1712 characters', 'x'.repeat(1712), 'must be at most 1500 characters (it has 1712)'],
  ['751 lines', 'x\n'.repeat(751), 'must be at most 1500 characters (it has 1501)'],
]

const cities: BadValue[] = [
  ['81 letters', 'x'.repeat(81), 'must be at most 80 characters (it has 81)'],
  ['81 emoji', grin.repeat(81), 'must be at most 80 characters (it has 81)'],
]

const employers: BadValue[] = [
  ['121 letters', 'x'.repeat(121), 'must be at most 120 characters (it has 121)'],
  ['121 emoji', grin.repeat(121), 'must be at most 120 characters (it has 121)'],
]

export const texts: Row[] = [
  ...['firstName', 'lastName'].flatMap(name => [
    ...inField('site', name, [...shortNames, ...longNames('2 to 50')]),
    ...inField('student', name, longNames('at most 50')),
  ]),
  ...inField('site', 'company', companies),
  ...inField('site', 'address', addresses),
  ...inField('site', 'message', messages),
  ...inField('student', 'message', messages),
  ...inField('student', 'city', cities),
  ...inField('student', 'employer', employers),
]
