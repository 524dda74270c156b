/** The two fields against abuse: `website`, the honeypot, and `startedAt`, a time. */
import { type BadValue, bodyWith, inField, type Row } from './rows.ts'

/** When the table is sent: 21 November 2026, 20:00 UTC. */
const now = 1_795_291_200_000
const hour = 3_600_000

const websites: BadValue[] = [
  ['missing', undefined, 'is required: send it as an empty string'],
  ['null', null, 'must be the empty string (it is null)'],
  ['a number', 0, 'must be the empty string (it is a number)'],
  ['false', false, 'must be the empty string (it is a boolean)'],
  ['an array', [], 'must be the empty string (it is an array)'],
  ['an array of an empty string', [''], 'must be the empty string (it is an array)'],
  ['an object', {}, 'must be the empty string (it is an object)'],
]

const moments: BadValue[] = [
  ['missing', undefined, 'is required: send Unix time in milliseconds'],
  ['null', null, 'must be an integer, Unix time in milliseconds (it is null)'],
  ['true', true, 'must be an integer, Unix time in milliseconds (it is a boolean)'],
  ['an array', [now], 'must be an integer, Unix time in milliseconds (it is an array)'],
  ['an object', { $date: now }, 'must be an integer, Unix time in milliseconds (it is an object)'],
  ['an empty string', '', 'must be an integer, Unix time in milliseconds (it is a string)'],
  ['the moment as a string', String(now), 'must be an integer, Unix time in milliseconds (it is a string)'],
  ['an ISO date', '2026-11-21T20:00:00Z', 'must be an integer, Unix time in milliseconds (it is a string)'],
  ['a word', 'now', 'must be an integer, Unix time in milliseconds (it is a string)'],
  [
    'a fraction of a millisecond',
    now + 0.5,
    'must be an integer, Unix time in milliseconds (it is not a whole number)',
  ],
  [
    'seconds with a fraction',
    1795291200.123,
    'must be an integer, Unix time in milliseconds (it is not a whole number)',
  ],
  ['a small fraction', 0.1, 'must be an integer, Unix time in milliseconds (it is not a whole number)'],
  ['nanoseconds', 1_795_291_200_000_000_000, 'must be an integer, Unix time in milliseconds (it is out of range)'],
  ['2 to the power of 53', 2 ** 53, 'must be an integer, Unix time in milliseconds (it is out of range)'],
  ['minus 2 to the power of 53', -(2 ** 53), 'must be an integer, Unix time in milliseconds (it is out of range)'],
  ['1e300', 1e300, 'must be an integer, Unix time in milliseconds (it is out of range)'],
  ['seconds', 1795291200, 'must be Unix time in milliseconds (it looks like seconds: multiply it by 1000)'],
  ['seconds of 1973', 100_000_000, 'must be Unix time in milliseconds (it looks like seconds: multiply it by 1000)'],
  [
    'the last that looks like seconds',
    99_999_999_999,
    'must be Unix time in milliseconds (it looks like seconds: multiply it by 1000)',
  ],
  [
    'microseconds',
    1_795_291_200_000_000,
    'must be Unix time in milliseconds (it looks like microseconds: divide it by 1000)',
  ],
  [
    'the first that looks like microseconds',
    1e14,
    'must be Unix time in milliseconds (it looks like microseconds: divide it by 1000)',
  ],
  [
    'the largest exact integer',
    Number.MAX_SAFE_INTEGER,
    'must be Unix time in milliseconds (it looks like microseconds: divide it by 1000)',
  ],
  ['zero', 0, 'must be Unix time in milliseconds (it is far too small to be a current date)'],
  ['one', 1, 'must be Unix time in milliseconds (it is far too small to be a current date)'],
  [
    'the seconds that the form took',
    42,
    'must be Unix time in milliseconds (it is far too small to be a current date)',
  ],
  [
    'milliseconds since the page was loaded',
    5234,
    'must be Unix time in milliseconds (it is far too small to be a current date)',
  ],
  ['the day as digits', 20261121, 'must be Unix time in milliseconds (it is far too small to be a current date)'],
  ['minus one', -1, 'must be Unix time in milliseconds (it is far too small to be a current date)'],
  ['the moment with a minus', -now, 'must be Unix time in milliseconds (it is far too small to be a current date)'],
  [
    'a day and a millisecond ahead',
    now + 24 * hour + 1,
    'must not be more than 24 hours ahead (it is 25 hours ahead; is the clock right?)',
  ],
  [
    '25 hours ahead',
    now + 25 * hour,
    'must not be more than 24 hours ahead (it is 25 hours ahead; is the clock right?)',
  ],
  [
    'two days ahead',
    now + 48 * hour,
    'must not be more than 24 hours ahead (it is 48 hours ahead; is the clock right?)',
  ],
  [
    '3 years ahead',
    now + 3 * 365 * 24 * hour,
    'must not be more than 24 hours ahead (it is 26280 hours ahead; is the clock right?)',
  ],
  [
    'the year 5138',
    99_999_999_999_999,
    'must not be more than 24 hours ahead (it is 27279086 hours ahead; is the clock right?)',
  ],
]

/** JSON text that `JSON.stringify` never writes. */
const written: [what: string, json: string, error: string][] = [
  ['1e400', '1e400', 'must be an integer, Unix time in milliseconds (it is out of range)'],
  ['-1e400', '-1e400', 'must be an integer, Unix time in milliseconds (it is out of range)'],
  [
    '2 to the power of 53 and one',
    '9007199254740993',
    'must be an integer, Unix time in milliseconds (it is out of range)',
  ],
  ['100 digits', '1'.repeat(100), 'must be an integer, Unix time in milliseconds (it is out of range)'],
  ['minus zero', '-0', 'must be Unix time in milliseconds (it is far too small to be a current date)'],
  ['1e-400', '1e-400', 'must be Unix time in milliseconds (it is far too small to be a current date)'],
  [
    'seconds with a fraction of zero',
    '1795291200.000',
    'must be Unix time in milliseconds (it looks like seconds: multiply it by 1000)',
  ],
  [
    'seconds with an exponent',
    '1.7952912e9',
    'must be Unix time in milliseconds (it looks like seconds: multiply it by 1000)',
  ],
]

export const moment: Row[] = [
  ...inField('site', 'website', websites),
  ...inField('site', 'startedAt', moments),
  ...written.map(([what, json, error]) => ({
    to: 'site' as const,
    what: `startedAt: ${what}`,
    body: bodyWith('site', 'startedAt', json),
    status: 400,
    error: `startedAt ${error}`,
  })),
]

const trap =
  'must be the empty string: it is a trap for automated form fillers, so send "website": "" whatever the answer'

/** Rejected, but quarantined: nothing else is wrong with them. */
export const trapped: Row[] = inField('site', 'website', [
  ['an address', 'https://mercy.example', trap],
  ['a host', 'mercy.example', trap],
  ['a word', 'none', trap],
  ['a space', ' ', trap],
  ['a line break', '\n', trap],
  ['a zero', '0', trap],
  ['NUL', '\0', trap],
  ['half of a surrogate pair', '\ud83d', trap],
  ['a right-to-left override', '\u202emoc.ycrem', trap],
  ['thousands of characters', 'x'.repeat(20_000), trap],
])
