/** Unknown properties, and known ones under another name. */
import { aSite, aStudent } from '../../support/bodies.ts'
import { bodyOf, type Operation, type Row, rejected } from './rows.ts'

const unknown: [what: string, over: Record<string, unknown>, error: string][] = [
  ['a property more', { title: 'Dr' }, 'title is not a known property'],
  ['a property of the other operation', { city: 'Austin' }, 'city is not a known property'],
  [
    'a key in the body',
    { idempotencyKey: 'one' },
    'idempotencyKey is not a body property here: send it in the header X-Idempotency-Key',
  ],
  ['null for a value', { title: null }, 'title is not a known property'],
  ['a canary for a value', { title: 'canary' }, 'title is not a known property'],
  ['two', { title: 'Dr', fax: '1' }, 'title is not a known property; fax is not a known property'],
  [
    'five',
    { a: 1, b: 1, c: 1, d: 1, e: 1 },
    'a is not a known property; b is not a known property; c is not a known property; d is not a known property; e is not a known property',
  ],
  [
    'six',
    { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 },
    'a is not a known property; b is not a known property; c is not a known property; d is not a known property; e is not a known property; 1 more property is not known',
  ],
  [
    'two thousand',
    Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`p${i}`, 1])),
    'p0 is not a known property; p1 is not a known property; p2 is not a known property; p3 is not a known property; p4 is not a known property; 1995 more properties are not known',
  ],
  [
    'first_name beside firstName',
    { first_name: 'Ana' },
    'first_name is not a known property (did you mean firstName?)',
  ],
  ['firstname', { firstname: 'Ana' }, 'firstname is not a known property (did you mean firstName?)'],
  ['FIRSTNAME', { FIRSTNAME: 'Ana' }, 'FIRSTNAME is not a known property (did you mean firstName?)'],
  ['a space in a name', { 'first name': 'Ana' }, '"first name" is not a known property (did you mean firstName?)'],
  ['a space after a name', { 'firstName ': 'Ana' }, '"firstName " is not a known property (did you mean firstName?)'],
  ['frstName', { frstName: 'Ana' }, 'frstName is not a known property (did you mean firstName?)'],
  ['Email', { Email: 'a@b.example' }, 'Email is not a known property (did you mean email?)'],
  ['e-mail', { 'e-mail': 'a@b.example' }, 'e-mail is not a known property (did you mean email?)'],
  ['phone1', { phone1: '512-555-0142' }, 'phone1 is not a known property (did you mean phone?)'],
  ['adress', { adress: '100 Main Street' }, 'adress is not a known property (did you mean address?)'],
  ['mesage', { mesage: 'Hello' }, 'mesage is not a known property (did you mean message?)'],
  ['Website', { Website: '' }, 'Website is not a known property (did you mean website?)'],
  ['started_at', { started_at: 1 }, 'started_at is not a known property (did you mean startedAt?)'],
  ['organization', { organization: 'Mercy' }, 'organization is not a known property'],
  ['__proto__', { ['__proto__']: { admin: true } }, '__proto__ is not a known property'],
  ['constructor', { constructor: { prototype: {} } }, 'constructor is not a known property'],
  ['prototype', { prototype: 1 }, 'prototype is not a known property'],
  ['toString', { toString: 1 }, 'toString is not a known property'],
  ['hasOwnProperty', { hasOwnProperty: 1 }, 'hasOwnProperty is not a known property'],
  ['toJSON', { toJSON: 1 }, 'toJSON is not a known property'],
  ['an empty name', { '': 1 }, '"" is not a known property'],
  ['a space for a name', { ' ': 1 }, '" " is not a known property'],
  ['a dotted name', { 'contact.title': 1 }, 'contact.title is not a known property'],
  ['a bracketed name', { 'tags[]': 1 }, '"tags[]" is not a known property'],
  ['a name of digits', { 0: 1 }, '0 is not a known property'],
  ['NUL in a name', { 'a\0b': 1 }, '"a?b" is not a known property'],
  ['line breaks in a name', { 'a\r\nSet-Cookie: x': 1 }, '"a??Set-Cookie: x" is not a known property'],
  ['a terminal escape in a name', { '\u001b[31m': 1 }, '"?[31m" is not a known property'],
  ['a right-to-left override in a name', { '\u202eemanksat': 1 }, '"?emanksat" is not a known property'],
  ['a zero-width space in a name', { 'tit\u200ble': 1 }, '"tit?le" is not a known property'],
  ['half of a surrogate pair in a name', { 'a\ud83d': 1 }, '"a\ufffd" is not a known property'],
  ['an emoji for a name', { '😀': 1 }, '"😀" is not a known property'],
  ['a name in another script', { имя: 'Ана' }, '"имя" is not a known property'],
  ['quotes in a name', { 'say "hi"': 1 }, '"say \\"hi\\"" is not a known property'],
  ['a backslash in a name', { 'a\\b': 1 }, '"a\\\\b" is not a known property'],
  ['markup in a name', { '<b>x</b>': 1 }, '"<b>x</b>" is not a known property'],
  ['a name of 40 characters', { ['n'.repeat(40)]: 1 }, `${'n'.repeat(40)} is not a known property`],
  ['a name of 41 characters', { ['n'.repeat(41)]: 1 }, `"${'n'.repeat(40)}…" is not a known property`],
  ['a name of 100 characters', { ['n'.repeat(100)]: 1 }, `"${'n'.repeat(40)}…" is not a known property`],
  ['a name of 100 emoji', { ['😀'.repeat(100)]: 1 }, `"${'😀'.repeat(40)}…" is not a known property`],
  ['a name of 20,000 characters', { ['n'.repeat(20_000)]: 1 }, `"${'n'.repeat(40)}…" is not a known property`],
]

const misspelt: [Operation, from: string, to: string, error: string][] = [
  [
    'site',
    'firstName',
    'first_name',
    'firstName is required (you sent first_name: the name is firstName); first_name is not a known property (did you mean firstName?)',
  ],
  [
    'site',
    'firstName',
    'FirstName',
    'firstName is required (you sent FirstName: the name is firstName); FirstName is not a known property (did you mean firstName?)',
  ],
  [
    'site',
    'lastName',
    'lastname',
    'lastName is required (you sent lastname: the name is lastName); lastname is not a known property (did you mean lastName?)',
  ],
  [
    'site',
    'email',
    'e-mail',
    'email is required (you sent e-mail: the name is email); e-mail is not a known property (did you mean email?)',
  ],
  [
    'site',
    'email',
    'EMAIL',
    'email is required (you sent EMAIL: the name is email); EMAIL is not a known property (did you mean email?)',
  ],
  ['site', 'email', 'mail', 'email is required; mail is not a known property'],
  [
    'site',
    'phone',
    'Phone',
    'phone is required (you sent Phone: the name is phone); Phone is not a known property (did you mean phone?)',
  ],
  ['site', 'phone', 'telephone', 'phone is required; telephone is not a known property'],
  [
    'site',
    'company',
    'Compagny',
    'company is required (you sent Compagny: the name is company); Compagny is not a known property (did you mean company?)',
  ],
  [
    'site',
    'address',
    'adress',
    'address is required (you sent adress: the name is address); adress is not a known property (did you mean address?)',
  ],
  [
    'site',
    'website',
    'Website',
    'website is required: send it as an empty string; Website is not a known property (did you mean website?)',
  ],
  [
    'site',
    'startedAt',
    'started_at',
    'startedAt is required (you sent started_at: the name is startedAt); started_at is not a known property (did you mean startedAt?)',
  ],
  [
    'site',
    'startedAt',
    'timestamp',
    'startedAt is required: send Unix time in milliseconds; timestamp is not a known property',
  ],
  ['student', 'firstName', 'first_name', 'firstName is required (you sent first_name: the name is firstName)'],
  ['student', 'firstName', 'Firstnam', 'firstName is required (you sent Firstnam: the name is firstName)'],
  ['student', 'lastName', 'last-name', 'lastName is required (you sent last-name: the name is lastName)'],
  ['student', 'email', 'Email', 'email is required (you sent Email: the name is email)'],
  ['student', 'email', 'emailAddress', 'email is required'],
  ['student', 'phone', ' phone ', 'phone is required (you sent " phone ": the name is phone)'],
]

function renamed([to, from, name, error]: (typeof misspelt)[number]): Row {
  const { [from]: value, ...rest }: Record<string, unknown> = to === 'site' ? aSite() : aStudent()
  return rejected(to, `${from} sent as ${name}`, JSON.stringify({ ...rest, [name]: value }), error)
}

export const properties: Row[] = [
  ...unknown.map(([what, over, error]) => rejected('site', `unknown: ${what}`, bodyOf('site', over), error)),
  ...misspelt.map(renamed),
]
