/** Bodies that must be accepted: each limit from within, and values that are unusual but fine. */
import { bodyOf, bodyWith, type GoodValue, type Operation } from './rows.ts'

/** A request that gets 200. */
export type Good = { to: Operation; what: string; body: string | Buffer; headers?: Record<string, string> }

const now = 1_795_291_200_000
const hour = 3_600_000
const grin = '\u{1f600}'
const eAcute = 'e\u0301'

const names: GoodValue[] = [
  ['two letters', 'Al'],
  ['two letters among spaces', ' \tAl\n '],
  ['two emoji', grin.repeat(2)],
  ['two Chinese characters', '王芳'],
  ['two accented letters, four as sent', eAcute.repeat(2)],
  ['50 letters', 'a'.repeat(50)],
  ['50 letters among many spaces', `${' '.repeat(100)}${'a'.repeat(50)}${' '.repeat(100)}`],
  ['50 emoji', grin.repeat(50)],
  ['50 accented letters, 100 as sent', eAcute.repeat(50)],
  ['25 letters that NFC takes apart', '\u0958'.repeat(25)],
  ['an apostrophe', "O'Brien"],
  ['a typographic apostrophe', 'O’Brien'],
  ['a hyphen and a dot', 'Mary-Ann St. John'],
  ['an Arabic name', 'محمد'],
  ['a name with marks of direction', '\u200fمحمد\u200e'],
  ['a name with a zero-width joiner', 'क्‍ष'],
  ['markup', '<b>Ana</b>'],
  ['SQL', "Robert'); DROP TABLE leads;--"],
  ['a formula', '=1+1'],
  ['a template', '{{7*7}}'],
  ['the word null', 'null'],
]

const phones: GoodValue[] = [
  ['ten digits', '5125550142'],
  ['ten digits among spaces', '  5125550142\n'],
  ['fifteen digits', '123456789012345'],
  ['fifteen digits with a plus', '+123456789012345'],
  ['ten digits in 25 characters', '(512) - 555 - 01 - 42 ...'],
  ['an extension', '512-555-0142 ext. 7'],
  ['ten full-width digits', '５１２５５５０１４２'],
  ['ten mathematical digits', '𝟓𝟏𝟐𝟓𝟓𝟓𝟎𝟏𝟒𝟐'],
  ['ten digits and an emoji', '📞 512 555 0142'],
  ['a number that no one has', '0000000000'],
]

const local64 = 'a'.repeat(64)
const emails: GoodValue[] = [
  ['five characters', 'a@b.c'],
  ['120 characters', `${'a'.repeat(60)}@${'m'.repeat(51)}.example`],
  ['a local part of 64 letters', `${local64}@mercy.example`],
  ['a local part of 64 octets in 32 letters', `${'é'.repeat(32)}@mercy.example`],
  ['a label of 63 letters', `ana@${'m'.repeat(63)}.example`],
  ['spaces around', '  ana.spaces@mercy.example\n'],
  ['capital letters', 'Ana.CAPITALS@Mercy.EXAMPLE'],
  ['every sign of an atom', "!#$%&'*+/=?^_`{|}~-@mercy.example"],
  ['a tag', 'ana+frontdesk@mercy.example'],
  ['digits', '12345@67890.example'],
  ['a hyphen first', '-ana@mercy.example'],
  ['two hyphens in a label', 'ana@mer--cy.example'],
  ['many labels', 'ana@a.b.c.d.e.f.g.example'],
  ['a new top-level domain', 'ana@mercy.photography'],
  ['a domain outside of ASCII', 'ana@münchen.example'],
  ['a domain in Punycode', 'ana@xn--bcher-kva.example'],
  ['a domain outside of ASCII, full-width', 'ana.wide@ｍercy.example'],
  ['a local part outside of ASCII', 'josé@mercy.example'],
  ['a local part in Chinese', '王芳@mercy.example'],
  ['an address of right-to-left letters', 'دانا@مثال.example'],
]

const siteTexts: [field: string, values: GoodValue[]][] = [
  [
    'company',
    [
      ['two letters', '3M'],
      ['two emoji', grin.repeat(2)],
      ['120 letters', 'm'.repeat(120)],
      ['120 emoji', grin.repeat(120)],
    ],
  ],
  [
    'address',
    [
      ['eight characters', '1 Main S'],
      ['eight emoji', grin.repeat(8)],
      ['180 letters', 'x'.repeat(180)],
      ['180 emoji', grin.repeat(180)],
      ['several lines and tabs', '100 Main Street\r\n\tFloor 2\nAustin, TX 78701'],
      ['90 lines and CR LF counted once', `${'x\r\n'.repeat(89)}xy`],
      ['right-to-left isolates', '\u2067شارع الملك 100\u2069'],
    ],
  ],
]

const messages: GoodValue[] = [
  ['missing', undefined],
  ['empty', ''],
  ['blank', ' \r\n\t '],
  ['one letter', 'x'],
  ['1500 letters', 'x'.repeat(1500)],
  ['1500 letters among line breaks', `\r\n${'x'.repeat(1500)}\n\n`],
  ['1500 emoji', grin.repeat(1500)],
  ['1500 accented letters, 3000 as sent', eAcute.repeat(1500)],
  ['lines, tabs and separators', 'One\r\nTwo\rThree\n\n\tFour\u2028Five\u2029Six'],
  ['an override of direction', 'He wrote \u202eabc\u202c.'],
  ['markup and a mail header', '<script>alert(1)</script>\r\nBcc: x@y.example'],
]

const moments: GoodValue[] = [
  ['now', now],
  ['three seconds ago', now - 3000],
  ['an hour ago', now - hour],
  ['a week ago', now - 7 * 24 * hour],
  ['the first after what looks like seconds', 1e11],
  ['ten minutes ahead', now + hour / 6],
  ['24 hours ahead', now + 24 * hour],
]

const rankedValues: GoodValue[] = [
  ['missing', undefined],
  ['empty', ''],
  ['blank', '  '],
  ['the shortest', '0 - x'],
  ['the shortest with an emoji', `9 - ${grin}`],
  ['spaces around', ' 2 - Within three months '],
  ['120 characters', `2 - ${'x'.repeat(116)}`],
  ['120 characters, emoji', `2 - ${grin.repeat(116)}`],
  ['dashes in the label', '2 - Within three - or four - months'],
]

const studentTexts: [field: string, values: GoodValue[]][] = [
  ...['interestLevel', 'timeline', 'experience', 'source'].map((field): [string, GoodValue[]] => [field, rankedValues]),
  [
    'city',
    [
      ['missing', undefined],
      ['blank', ' '],
      ['one letter', 'Å'],
      ['80 letters', 'x'.repeat(80)],
      ['80 emoji', grin.repeat(80)],
    ],
  ],
  [
    'state',
    [
      ['missing', undefined],
      ['blank', '\n'],
      ['two letters', 'TX'],
      ['small letters', 'tx'],
      ['three letters', 'NSW'],
      ['a name', 'Texas'],
      ['a name in capitals among spaces', '  NEW   HAMPSHIRE '],
      ['the district', 'Washington, D.C.'],
    ],
  ],
  [
    'employer',
    [
      ['missing', undefined],
      ['one letter', 'X'],
      ['120 letters', 'x'.repeat(120)],
      ['120 emoji', grin.repeat(120)],
    ],
  ],
  [
    'idempotencyKey',
    [
      ['one character', '1'],
      ['spaces around', '  key with spaces around  '],
      ['255 characters', 'k'.repeat(255)],
      ['every printable character', Array.from({ length: 93 }, (_, i) => String.fromCharCode(33 + i)).join('')],
      ['a UUID', '7e57d004-2b97-0e7a-b45f-5387367791cd'],
    ],
  ],
]

const inField = (to: Operation, field: string, values: readonly GoodValue[]): Good[] =>
  values.map(([what, value]) => ({ to, what: `${field}: ${what}`, body: bodyOf(to, { [field]: value }) }))

const withHeaders = (to: Operation, headers: Record<string, string>, over: Record<string, unknown> = {}): Good => ({
  to,
  what: `headers ${JSON.stringify(headers)}`,
  body: bodyOf(to, over),
  headers,
})

const jsonTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json ; charset="utf-8"',
  'application/json;',
  'application/json; foo=bar; version=2',
  'APPLICATION/JSON',
  'Application/Json; Charset=UTF-8',
  'application/vnd.x+json',
  'application/vnd.mercy.lead-v1+json; charset=utf-8',
  'application/ld+json',
]

const both = ['site', 'student'] as const

export const accepted: Good[] = [
  ...['firstName', 'lastName'].flatMap(name => inField('student', name, [['one Chinese character', '王']])),
  ...both.flatMap(to => [
    ...inField(to, 'firstName', names),
    ...inField(to, 'lastName', names),
    ...inField(to, 'phone', phones),
    ...inField(to, 'email', emails),
    ...inField(to, 'message', messages),
    ...jsonTypes.map(type => withHeaders(to, { 'Content-Type': type })),
    withHeaders(to, { 'Content-Encoding': 'identity' }),
    withHeaders(to, { 'Content-Encoding': '' }),
    { to, what: 'a byte order mark', body: `\ufeff${bodyOf(to, {})}` },
    { to, what: 'spaces around', body: `\r\n\t ${bodyOf(to, {})}\n` },
    { to, what: '32 KiB', body: bodyOf(to, {}).padEnd(32 * 1024) },
    { to, what: 'indented', body: JSON.stringify(JSON.parse(bodyOf(to, {})), null, '\t') },
    { to, what: 'every character escaped', body: bodyOf(to, { firstName: '@' }).replace('@', '\\u0041\\u006e\\u0061') },
    { to, what: 'the same name twice, the last is right', body: bodyOf(to, {}).replace('{', '{"firstName":null,') },
  ]),
  ...siteTexts.flatMap(([field, values]) => inField('site', field, values)),
  ...inField('site', 'startedAt', moments),
  ...['1795291200000.0', '17952912e5', '1.7952912E+12'].map(json => ({
    to: 'site' as const,
    what: `startedAt: ${json}`,
    body: bodyWith('site', 'startedAt', json),
  })),
  withHeaders('site', { 'X-Idempotency-Key': 'site one' }),
  withHeaders('site', { 'Idempotency-Key': '"site two"' }),
  ...studentTexts.flatMap(([field, values]) => inField('student', field, values)),
  ...inField('student', 'shoeSize', [
    ['an unknown property', 43],
    ['null', null],
    ['an object', { eu: 43 }],
  ]),
  ...inField('student', '__proto__', [['an object', { firstName: 'Eve' }]]),
  ...inField('student', 'website', [['filled in', 'https://x.example']]),
  ...inField('student', 'first_name', [['beside firstName', 'Ana']]),
  withHeaders('student', { 'X-Idempotency-Key': 'two' }, { idempotencyKey: undefined }),
  withHeaders('student', { 'X-Idempotency-Key': 'three' }, { idempotencyKey: '' }),
  withHeaders('student', { 'X-Idempotency-Key': 'four' }, { idempotencyKey: 'four' }),
  withHeaders('student', { 'Idempotency-Key': 'five' }, { idempotencyKey: undefined }),
  withHeaders('student', { 'Idempotency-Key': '"six"' }, { idempotencyKey: 'six' }),
  withHeaders('student', { 'Idempotency-Key': '"a \\"b\\""' }, { idempotencyKey: 'a "b"' }),
  withHeaders('student', { 'X-Idempotency-Key': 'seven', 'Idempotency-Key': '"seven"' }, { idempotencyKey: 'seven' }),
  withHeaders('student', { 'X-Idempotency-Key': 'x'.repeat(255) }, { idempotencyKey: undefined }),
  withHeaders('student', { 'X-Idempotency-Key': '' }, { idempotencyKey: 'eight' }),
]
