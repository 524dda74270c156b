/** Bodies that are wrong as a whole: not an object, or with several problems at once. */
import { aSite } from '../../support/bodies.ts'
import { bodyOf, type Operation, type Row, rejected } from './rows.ts'

const both = ['site', 'student'] as const

const notObjects: [what: string, body: string, error: string][] = [
  ['null', 'null', 'The body must be one JSON object (it is null)'],
  ['true', 'true', 'The body must be one JSON object (it is a boolean)'],
  ['false', 'false', 'The body must be one JSON object (it is a boolean)'],
  ['a number', '42', 'The body must be one JSON object (it is a number)'],
  ['a number too large', '1e400', 'The body must be one JSON object (it is a number)'],
  ['a string', '"hello"', 'The body must be one JSON object (it is a string)'],
  ['an empty string', '""', 'The body must be one JSON object (it is a string)'],
  ['an empty array', '[]', 'The body must be one JSON object (it is an array)'],
  ['an array of one body', `[${bodyOf('site', {})}]`, 'The body must be one JSON object (it is an array)'],
  [
    'thousands of arrays in each other',
    `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    'The body must be one JSON object (it is an array)',
  ],
  [
    'a body encoded twice',
    JSON.stringify(bodyOf('site', {})),
    'The body must be one JSON object (it is a string that holds JSON: it was encoded twice)',
  ],
  [
    'spaces and a body encoded twice',
    JSON.stringify('\n {"a": 1}'),
    'The body must be one JSON object (it is a string that holds JSON: it was encoded twice)',
  ],
]

const several: [Operation, over: Record<string, unknown>, error: string][] = [
  [
    'site',
    { phone: '555-0142', message: 'x'.repeat(1712) },
    'phone must contain 10 to 15 digits (it has 7); message must be at most 1500 characters (it has 1712)',
  ],
  [
    'site',
    { message: 'x'.repeat(1712), phone: '555-0142', firstName: undefined },
    'firstName is required; phone must contain 10 to 15 digits (it has 7); message must be at most 1500 characters (it has 1712)',
  ],
  [
    'site',
    { startedAt: 1795291200, website: 'x' },
    'website must be the empty string: it is a trap for automated form fillers, so send "website": "" whatever the answer; startedAt must be Unix time in milliseconds (it looks like seconds: multiply it by 1000)',
  ],
  [
    'site',
    { website: 'x', phone: '12' },
    'phone must contain 10 to 15 digits (it has 2); website must be the empty string: it is a trap for automated form fillers, so send "website": "" whatever the answer',
  ],
  [
    'site',
    { website: 'x', title: 'Dr' },
    'website must be the empty string: it is a trap for automated form fillers, so send "website": "" whatever the answer; title is not a known property',
  ],
  [
    'site',
    { title: 'Dr', email: 'ana' },
    'email must be one valid email address, such as name@example.com; title is not a known property',
  ],
  [
    'site',
    {
      firstName: 'A',
      lastName: 'B\n\nC',
      email: null,
      phone: '',
      company: 7,
      address: '\0',
      message: '\ud800',
      website: undefined,
      startedAt: '1',
    },
    'firstName must be 2 to 50 characters (it has 1); lastName must be one line, without tabs or line breaks; email must be a string (it is null); phone is required (it is empty); company must be a string (it is a number); address must not contain control characters; message must be valid Unicode (it has half of a surrogate pair); website is required: send it as an empty string; startedAt must be an integer, Unix time in milliseconds (it is a string)',
  ],
  [
    'student',
    { firstName: 'B'.repeat(51), state: 'T', timeline: 'soon', message: 1, idempotencyKey: 'é' },
    'firstName must be at most 50 characters (it has 51); state must be a 2 to 3 letter code or the name of a state, such as TX or Texas; timeline must be a digit, " - " and a label, such as "2 - Second in your list" (leave it out unless the student chose it from a list, and put their own words into message); message must be a string (it is a number); idempotencyKey must be 1 to 255 printable ASCII characters',
  ],
  [
    'student',
    { city: 'x'.repeat(81), employer: 'x'.repeat(121), source: '3', interestLevel: '1' },
    'city must be at most 80 characters (it has 81); interestLevel must be a digit, " - " and a label, such as "1 - First in your list" (leave it out unless the student chose it from a list, and put their own words into message); source must be a digit, " - " and a label, such as "3 - Third in your list" (leave it out unless the student chose it from a list, and put their own words into message); employer must be at most 120 characters (it has 121)',
  ],
]

export const shapes: Row[] = [
  ...both.flatMap(to => notObjects.map(([what, body, error]) => rejected(to, what, body, error))),
  rejected(
    'site',
    'an empty object',
    '{}',
    'firstName is required; lastName is required; email is required; phone is required; company is required; address is required; website is required: send it as an empty string; startedAt is required: send Unix time in milliseconds',
  ),
  rejected(
    'student',
    'an empty object',
    '{}',
    'firstName is required; lastName is required; email is required; phone is required; idempotencyKey is required: send a unique value, such as a UUID, in the body or the X-Idempotency-Key header, and reuse it when you retry',
  ),
  rejected(
    'site',
    'a body in an envelope',
    JSON.stringify({ data: aSite() }),
    'firstName is required; lastName is required; email is required; phone is required; company is required; address is required; website is required: send it as an empty string; startedAt is required: send Unix time in milliseconds; data is not a known property',
  ),
  rejected(
    'site',
    'the same name twice, the last is wrong',
    bodyOf('site', {}).replace('"website":""', '"website":"","website":null'),
    'website must be the empty string (it is null)',
  ),
  ...several.map(([to, over, error]) => rejected(to, 'several problems', bodyOf(to, over), error)),
]
