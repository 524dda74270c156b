/** Bodies that are not JSON. Both operations respond alike. */
import { gzipSync } from 'node:zlib'
import { bodyOf, type Row } from './rows.ts'

const site = bodyOf('site', {})
const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map(part => Buffer.from(part as string)))

const notJson: [what: string, body: string | Buffer, error: string][] = [
  ['nothing', '', 'The body is empty: send one JSON object'],
  ['spaces', ' \n\t', 'The body is not valid JSON: it ends too early'],
  ['a byte order mark alone', '\ufeff', 'The body is not valid JSON: it ends too early'],
  ['cut off in a value', '{"firstName": "An', 'The body is not valid JSON: it ends too early'],
  ['cut off in a name', '{"first', 'The body is not valid JSON: it ends too early'],
  [
    'cut off after a comma',
    '{"firstName": "Ana",',
    'The body is not valid JSON: it ends too early',
  ],
  ['cut off after a colon', '{"firstName":', 'The body is not valid JSON: it ends too early'],
  [
    'cut off before the last brace',
    site.slice(0, -1),
    'The body is not valid JSON: it ends too early',
  ],
  [
    'cut off in an escape',
    '{"firstName": "\\u00e',
    'The body is not valid JSON: it ends too early',
  ],
  ['cut off in true', '{"subscribe": tru', 'The body is not valid JSON: it ends too early'],
  [
    'cut off in a number',
    '{"startedAt": 1795291200.',
    'The body is not valid JSON: it ends too early',
  ],
  ['an open brace', '{', 'The body is not valid JSON: it ends too early'],
  [
    'thousands of open brackets',
    '['.repeat(30_000),
    'The body is not valid JSON: it ends too early',
  ],
  [
    'single quotes',
    "{'firstName': 'Ana'}",
    'The body is not valid JSON: strings and names need straight double quotes (see line 1, column 2)',
  ],
  [
    'single quotes around a value',
    '{"firstName": \'Ana\'}',
    'The body is not valid JSON: strings and names need straight double quotes (see line 1, column 15)',
  ],
  [
    'curly quotes',
    '{“firstName”: “Ana”}',
    'The body is not valid JSON: strings and names need straight double quotes (see line 1, column 2)',
  ],
  [
    'unquoted names',
    '{firstName: "Ana"}',
    'The body is not valid JSON: property names need double quotes (see line 1, column 2)',
  ],
  [
    'an unquoted name on the third line',
    '{\n"firstName": "Ana",\n  lastName: "Ruiz"}',
    'The body is not valid JSON: property names need double quotes (see line 3, column 3)',
  ],
  [
    'a comma at the end of an object',
    '{"firstName": "Ana",}',
    'The body is not valid JSON: there is a comma before a closing bracket (see line 1, column 21)',
  ],
  [
    'a comma at the end, on the next line',
    '{\n  "firstName": "Ana",\n}',
    'The body is not valid JSON: there is a comma before a closing bracket (see line 3, column 1)',
  ],
  [
    'a comma at the end of an array',
    '[1, 2, ]',
    'The body is not valid JSON: there is a comma before a closing bracket (see line 1, column 8)',
  ],
  [
    'a comma at the end, after a byte order mark',
    '\ufeff{"a": 1,\n}',
    'The body is not valid JSON: there is a comma before a closing bracket (see line 2, column 1)',
  ],
  [
    'a comma before a bracket in a text, the mistake elsewhere',
    '{"message": "so,}", "a": x}',
    'The body is not valid JSON (see line 1, column 26)',
  ],
  [
    'None',
    '{"message": None}',
    'The body is not valid JSON: write null, true and false (see line 1, column 13)',
  ],
  [
    'True',
    '{"a": True}',
    'The body is not valid JSON: write null, true and false (see line 1, column 7)',
  ],
  ['undefined', '{"message": undefined}', 'The body is not valid JSON (see line 1, column 13)'],
  ['the word undefined', 'undefined', 'The body is not valid JSON (see line 1, column 1)'],
  ['the word of an object', '[object Object]', 'The body is not valid JSON (see line 1, column 2)'],
  ['NaN', '{"startedAt": NaN}', 'The body is not valid JSON (see line 1, column 15)'],
  ['Infinity', '{"startedAt": Infinity}', 'The body is not valid JSON (see line 1, column 15)'],
  [
    'a hexadecimal number',
    '{"startedAt": 0x10}',
    'The body is not valid JSON (see line 1, column 16)',
  ],
  ['a leading zero', '{"startedAt": 01}', 'The body is not valid JSON (see line 1, column 16)'],
  ['a plus sign', '{"startedAt": +1}', 'The body is not valid JSON (see line 1, column 15)'],
  [
    'a number that starts with a dot',
    '{"startedAt": .5}',
    'The body is not valid JSON (see line 1, column 15)',
  ],
  [
    'separators in a number',
    '{"startedAt": 1_795}',
    'The body is not valid JSON (see line 1, column 16)',
  ],
  [
    'an expression',
    '{"startedAt": Date.now()}',
    'The body is not valid JSON (see line 1, column 15)',
  ],
  ['a comment', '{"a": 1 // one\n}', 'The body is not valid JSON (see line 1, column 9)'],
  ['a comment first', '/* body */ {}', 'The body is not valid JSON (see line 1, column 1)'],
  [
    'a comma missing',
    '{"firstName": "Ana" "lastName": "Ruiz"}',
    'The body is not valid JSON (see line 1, column 21)',
  ],
  ['a colon missing', '{"firstName" "Ana"}', 'The body is not valid JSON (see line 1, column 14)'],
  [
    'a value missing',
    '{"firstName": , "lastName": "Ruiz"}',
    'The body is not valid JSON (see line 1, column 15)',
  ],
  ['a comma first', '{, "firstName": "Ana"}', 'The body is not valid JSON (see line 1, column 2)'],
  [
    'a brace too many',
    '{"firstName": "Ana"}}',
    'The body is not valid JSON (see line 1, column 21)',
  ],
  [
    'the wrong bracket',
    '{"firstName": "Ana"]',
    'The body is not valid JSON (see line 1, column 20)',
  ],
  ['two objects', '{"a": 1}{"b": 2}', 'The body is not valid JSON (see line 1, column 9)'],
  [
    'two objects on two lines',
    '{"a": 1}\n{"b": 2}',
    'The body is not valid JSON (see line 2, column 1)',
  ],
  [
    'a line break in a string',
    '{"message": "one\ntwo"}',
    'The body is not valid JSON: inside a string, write a line break as \\n and a tab as \\t (see line 1, column 17)',
  ],
  [
    'a tab in a string',
    '{"message": "one\ttwo"}',
    'The body is not valid JSON: inside a string, write a line break as \\n and a tab as \\t (see line 1, column 17)',
  ],
  [
    'NUL in a string',
    '{"message": "one\0two"}',
    'The body is not valid JSON (see line 1, column 17)',
  ],
  [
    'an escape that is none',
    '{"message": "it\\\'s"}',
    'The body is not valid JSON: inside a string, write a backslash as \\\\ (see line 1, column 17)',
  ],
  [
    'an escape of two digits',
    '{"message": "\\x41"}',
    'The body is not valid JSON: inside a string, write a backslash as \\\\ (see line 1, column 15)',
  ],
  [
    'an escape cut short',
    '{"message": "\\u12g4"}',
    'The body is not valid JSON (see line 1, column 18)',
  ],
  [
    'a quote too many',
    '{"message": "say "hi""}',
    'The body is not valid JSON (see line 1, column 19)',
  ],
  [
    'form data',
    'firstName=Ana&lastName=Ruiz',
    'The body is not valid JSON: it looks like form data; send one JSON object',
  ],
  [
    'form data, encoded',
    'first%5Bname%5D=Ana',
    'The body is not valid JSON: it looks like form data; send one JSON object',
  ],
  [
    'multipart form data',
    '--x\r\nContent-Disposition: form-data; name="firstName"\r\n\r\nAna\r\n--x--',
    'The body is not valid JSON (see line 1, column 2)',
  ],
  [
    'XML',
    '<lead><firstName>Ana</firstName></lead>',
    'The body is not valid JSON (see line 1, column 1)',
  ],
  ['YAML', 'firstName: Ana\nlastName: Ruiz', 'The body is not valid JSON (see line 1, column 2)'],
  ['JSON in a code fence', '```json\n{}\n```', 'The body is not valid JSON (see line 1, column 1)'],
  ['JSON after words', 'Here is the JSON: {}', 'The body is not valid JSON (see line 1, column 1)'],
  ['JSON with padding', 'callback({})', 'The body is not valid JSON (see line 1, column 1)'],
  ['a guard against inclusion', ")]}',\n{}", 'The body is not valid JSON (see line 1, column 1)'],
  [
    'an unbreakable space between',
    '{\u00a0"a": 1}',
    'The body is not valid JSON (see line 1, column 2)',
  ],
  [
    'a byte order mark inside',
    '{\ufeff"a": 1}',
    'The body is not valid JSON (see line 1, column 2)',
  ],
  ['two byte order marks', '\ufeff\ufeff{}', 'The body is not valid JSON (see line 1, column 1)'],
  [
    'a mistake far into a long body',
    `{"a": "${'x'.repeat(9000)}", }`,
    'The body is not valid JSON',
  ],
  [
    'UTF-16 without a mark',
    Buffer.from(site, 'utf16le'),
    'The body is not valid JSON: it looks like UTF-16; send UTF-8 (see line 1, column 2)',
  ],
  [
    'UTF-16, big end first',
    Buffer.from(site, 'utf16le').swap16(),
    'The body is not valid JSON: it looks like UTF-16; send UTF-8 (see line 1, column 1)',
  ],
  ['UTF-16 with a mark', Buffer.from(`\ufeff${site}`, 'utf16le'), 'The body must be UTF-8'],
  ['Latin-1', Buffer.from('{"firstName": "José"}', 'latin1'), 'The body must be UTF-8'],
  ['a stray continuation byte', bytes('{"a": "', [0x80], '"}'), 'The body must be UTF-8'],
  ['a lead byte alone', bytes('{"a": "', [0xc3], '"}'), 'The body must be UTF-8'],
  ['an overlong slash', bytes('{"a": "', [0xc0, 0xaf], '"}'), 'The body must be UTF-8'],
  ['an overlong NUL', bytes('{"a": "', [0xc0, 0x80], '"}'), 'The body must be UTF-8'],
  ['a surrogate in UTF-8', bytes('{"a": "', [0xed, 0xa0, 0x80], '"}'), 'The body must be UTF-8'],
  ['beyond Unicode', bytes('{"a": "', [0xf4, 0x90, 0x80, 0x80], '"}'), 'The body must be UTF-8'],
  ['0xff', bytes([0xff]), 'The body must be UTF-8'],
  ['cut off in a character', bytes('{"a": "', [0xf0, 0x9f, 0x98]), 'The body must be UTF-8'],
  ['gzip that is not said to be', gzipSync(site), 'The body must be UTF-8'],
]

export const json: Row[] = (['site', 'student'] as const).flatMap(to =>
  notJson.map(([what, body, error]) => ({ to, what, body, status: 400, error })),
)
