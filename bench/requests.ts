/**
 * Requests that differ as in real life (names, email, phone, message, start time, key) and cost almost
 * nothing to create: the slots of a template are overwritten, byte for byte, before each send.
 */
import { randomUUID } from 'node:crypto'

/** A is site interest, B is student interest. */
export type Operation = 'A' | 'B'

export const paths = { A: '/api/site-interest', B: '/api/admissions/interest' } as const

/**
 * A run of one of these characters is a slot of that width:
 * `^` capitalized word, `~` word, `#` digits, `%` sequence number, `*` UUID, `&` start time.
 */
const SLOTS = /\^+|~+|#+|%+|\*+|&+/g

const bodies = {
  A:
    '{"firstName":"^^^^^^","lastName":"^^^^^^^^","email":"~~~~~~.%%%%%%%%%%@example.com",' +
    '"phone":"(312) 555-####","company":"^^^^^^^^ Care","address":"1### ^^^^^^^^ Street, Chicago",' +
    '"message":"We could take 1# students from ^^^^^^ on. Our ~~~~~~ ward and the ~~~~~~~~ team ' +
    'have room; please ask for ^^^^^^^ at extension ###.",' +
    '"website":"","startedAt":&&&&&&&&&&&&&}',
  B:
    '{"firstName":"^^^^^^","lastName":"^^^^^^^^","email":"~~~~~~.%%%%%%%%%%@example.com",' +
    '"phone":"(312) 555-####","city":"^^^^^^^^","state":"IL","interestLevel":"2 - Very interested",' +
    '"timeline":"1 - Within a month","source":"3 - A friend","message":"I work ~~~~~~ nights as ' +
    'a ~~~~~~~~. Are there ^^^^^^ classes?",' +
    '"idempotencyKey":"************************************"}',
} as const

const headers = { A: '', B: 'X-Idempotency-Key: ************************************\r\n' } as const

/** One connection's request: `next()` rewrites `bytes` into a request that was never sent before. */
export class RequestTemplate {
  readonly bytes: Buffer
  #slots: { fill: Fill; at: number; width: number }[]

  constructor(operation: Operation, port: number) {
    const text = requestText(operation, port)
    this.bytes = Buffer.from(text, 'latin1')
    this.#slots = [...text.matchAll(SLOTS)].map(({ 0: slot, index }) => ({
      fill: fills[slot.charAt(0) as keyof typeof fills],
      at: index,
      width: slot.length,
    }))
  }

  next(): Buffer {
    const values = { uuid: randomUUID(), startedAt: startedAt(), sequence: sequence++ }
    for (const { fill, at, width } of this.#slots) fill(this.bytes, at, width, values)
    return this.bytes
  }
}

const requestText = (operation: Operation, port: number) =>
  `POST ${paths[operation]} HTTP/1.1\r\n` +
  `Host: 127.0.0.1:${port}\r\n` +
  'Accept: application/json\r\n' +
  'Content-Type: application/json\r\n' +
  headers[operation] +
  `Content-Length: ${bodies[operation].length}\r\n\r\n` +
  bodies[operation]

/** Unique across processes, too: one process sends fewer than 1,000 requests per millisecond. */
let sequence = Date.now() * 1000

/** People take between 20 and 90 seconds to fill in a form. */
const startedAt = () => Date.now() - 20_000 - Math.floor(Math.random() * 70_000)

type Values = { uuid: string; startedAt: number; sequence: number }
type Fill = (bytes: Buffer, at: number, width: number, values: Values) => void

const fills = {
  '^': (bytes, at, width) => writeWord(bytes, at, width, 'BDFGHKLMNPRSTVWZ'),
  '~': (bytes, at, width) => writeWord(bytes, at, width, CONSONANTS),
  '#': writeDigits,
  '%': (bytes, at, _width, { sequence }) => bytes.write(sequence.toString(36), at, 'latin1'),
  '*': (bytes, at, _width, { uuid }) => bytes.write(uuid, at, 'latin1'),
  '&': (bytes, at, _width, { startedAt }) => bytes.write(String(startedAt), at, 'latin1'),
} satisfies Record<string, Fill>

const CONSONANTS = 'bdfghklmnprstvwz'
const VOWELS = 'aeio'

/** Writes consonants and vowels in turns, like `Mirola`. One random number is enough for five pairs. */
function writeWord(bytes: Buffer, at: number, width: number, initials: string) {
  let random = (Math.random() * 2 ** 30) | 0
  for (let i = 0; i < width; i += 2) {
    bytes[at + i] = (i === 0 ? initials : CONSONANTS).charCodeAt(random & 15)
    if (i + 1 < width) bytes[at + i + 1] = VOWELS.charCodeAt((random >> 4) & 3)
    random >>= 6
  }
}

function writeDigits(bytes: Buffer, at: number, width: number) {
  let random = (Math.random() * 1e9) | 0
  for (let i = 0; i < width; i++) {
    bytes[at + i] = 48 + (random % 10)
    random = (random / 10) | 0
  }
}
