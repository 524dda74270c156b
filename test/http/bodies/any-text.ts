/** Values that no string field accepts. */
import { type BadValue, inField, type Row } from './rows.ts'

const notStrings: BadValue[] = [
  ['null', null, 'must be a string (it is null)'],
  ['a number', 42, 'must be a string (it is a number)'],
  ['zero', 0, 'must be a string (it is a number)'],
  ['true', true, 'must be a string (it is a boolean)'],
  ['false', false, 'must be a string (it is a boolean)'],
  ['an array of a string', ['Anna Ruiz'], 'must be a string (it is an array)'],
  ['an empty array', [], 'must be a string (it is an array)'],
  ['an object', { value: 'Anna Ruiz' }, 'must be a string (it is an object)'],
]

const absent: BadValue[] = [
  ['missing', undefined, 'is required'],
  ['empty', '', 'is required (it is empty)'],
  ['a space', ' ', 'is required (it is empty)'],
  ['tabs and line breaks', '\t\r\n\n', 'is required (it is empty)'],
  ['wide and unbreakable spaces', '\u3000\u00a0\u2003', 'is required (it is empty)'],
  ['a byte order mark', '\ufeff', 'is required (it is empty)'],
]

/** Characters that neither a database nor an email can hold, in texts that are long enough for every field. */
const unsafe: BadValue[] = [
  ['NUL alone', '\0', 'must not contain control characters'],
  ['NUL inside', 'Anna\0Ruiz 12', 'must not contain control characters'],
  ['a terminal escape', '\u001b[31mAnna Ruiz', 'must not contain control characters'],
  ['a backspace', 'Anna Ruizz\b', 'must not contain control characters'],
  ['a vertical tab', 'Anna\vRuiz 12', 'must not contain control characters'],
  ['a form feed', 'Anna\fRuiz 12', 'must not contain control characters'],
  ['DEL', 'Anna Ruiz\u007f', 'must not contain control characters'],
  ['the C1 control NEL', 'Anna\u0085Ruiz', 'must not contain control characters'],
  ['the C1 control APC', 'Anna\u009fRuiz', 'must not contain control characters'],
  ['a high surrogate', 'Anna Ruiz\ud83d', 'must be valid Unicode (it has half of a surrogate pair)'],
  ['a low surrogate', '\ude00 Anna Ruiz', 'must be valid Unicode (it has half of a surrogate pair)'],
  ['a pair reversed', 'Anna \ude00\ud83d R', 'must be valid Unicode (it has half of a surrogate pair)'],
]

const notOneLine: BadValue[] = [
  ['a line feed', 'Anna\nBcc: x@y.example', 'must be one line, without tabs or line breaks'],
  ['a carriage return', 'Anna\rRuiz 12', 'must be one line, without tabs or line breaks'],
  ['CR LF', 'Anna\r\nBcc: x@y.example', 'must be one line, without tabs or line breaks'],
  ['a tab', 'Anna\tRuiz 12', 'must be one line, without tabs or line breaks'],
  ['a line separator', 'Anna\u2028Ruiz', 'must be one line, without tabs or line breaks'],
  ['a paragraph separator', 'Anna\u2029Ruiz', 'must be one line, without tabs or line breaks'],
  ['a right-to-left override', 'Anna \u202eziuR', 'must not contain characters that change text direction'],
  ['an embedding', '\u202bAnna Ruiz', 'must not contain characters that change text direction'],
  ['a pop alone', 'Anna Ruiz\u202c', 'must not contain characters that change text direction'],
  ['an isolate', '\u2067Anna\u2069 Ruiz', 'must not contain characters that change text direction'],
]

const fields = {
  site: { required: ['firstName', 'lastName', 'email', 'phone', 'company', 'address'], optional: ['message'] },
  student: {
    required: ['firstName', 'lastName', 'email', 'phone'],
    optional: [
      'city',
      'state',
      'interestLevel',
      'timeline',
      'experience',
      'source',
      'employer',
      'message',
      'idempotencyKey',
    ],
  },
}
const severalLines = ['address', 'message']

export const anyText: Row[] = (['site', 'student'] as const).flatMap(to => {
  const { required, optional } = fields[to]
  const all = [...required, ...optional]
  return [
    ...required.flatMap(field => inField(to, field, absent)),
    ...all.flatMap(field => inField(to, field, [...notStrings, ...unsafe])),
    ...all.filter(field => !severalLines.includes(field)).flatMap(field => inField(to, field, notOneLine)),
  ]
})
