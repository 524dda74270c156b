/** The body of a request: read within its limit, and from its bytes to JSON. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { HttpError } from './errors.ts'

/** The largest body that is read, in bytes. */
export const BODY_LIMIT = 32 * 1024

/**
 * Longer bodies, in characters, are not searched for their mistake. It is more than a body needs that
 * fills every field of an operation up to its limit; a test holds it against the schemas.
 */
const MOST_SEARCHED = 8192

/** `application/json` and its relatives (RFC 6839 section 3.1), in any case, with any parameters. */
const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

/**
 * Reads the JSON body of a request. Throws 415 for another content type or encoding, 413 beyond the
 * limit, 400 for what is not JSON.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  const hasBody = request.headers['content-length'] !== '0' && hasContent(request)
  if (hasBody && !JSON_TYPE.test(type ?? '')) throw notJson(type)
  if (encoding && !/^identity$/i.test(encoding)) throw compressed()
  return parseJson(await readBytes(request))
}

/** Whether there is a body at all (RFC 9112 section 6.3). */
const hasContent = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** What lies beyond the limit is not read by us; the server lets it run dry. */
async function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length']) > BODY_LIMIT) throw tooLarge()
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > BODY_LIMIT) reject(tooLarge())
    else chunks.push(chunk)
  })
  request.on('end', () =>
    resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
  )
  // The client left or was cut off: nobody hears this, but it is no mistake of ours.
  request.on('error', () => reject(new HttpError(400, 'The body did not arrive in full')))
  return promise
}

/** The answer to a body beyond the limit. */
export const tooLarge = () =>
  new HttpError(413, `The body must be at most ${BODY_LIMIT / 1024} KiB`)

const compressed = () =>
  new HttpError(415, 'Send the body uncompressed, without Content-Encoding', {
    Accept: 'application/json',
    'Accept-Encoding': 'identity',
  })

/** The answer to a body of another type. */
export function notJson(contentType = ''): HttpError {
  const hint = /form-urlencoded|form-data/i.test(contentType)
    ? 'Forms are not taken: send the fields as one JSON object'
    : 'Send the body as JSON'
  return new HttpError(415, `${hint}, with the header Content-Type: application/json`, {
    Accept: 'application/json',
  })
}

/**
 * Parses the bytes of a JSON text (RFC 8259; a byte order mark is passed over). Throws 400 with the
 * place of the mistake, and what it looks like where that can be told.
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new HttpError(400, 'The body is empty: send one JSON object')
  if (!isUtf8(bytes)) throw new HttpError(400, 'The body must be UTF-8')
  const text = bytes.toString('utf8', startsWithMark(bytes) ? 3 : 0)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new HttpError(400, `The body is not valid JSON${mistake(text, error as Error)}`)
  }
}

/** A byte order mark is not part of the text (RFC 8259 section 8.1). */
const startsWithMark = (bytes: Buffer): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** Where the mistake is and what it looks like. The engine's own message may quote what was sent. */
function mistake(text: string, { message }: Error): string {
  if (/^[\w.%+-]+=/.test(text)) return ': it looks like form data; send one JSON object'
  if (couldGoOn(text)) return ': it ends too early'
  if (text.length > MOST_SEARCHED) return ''
  const place = placeOfMistake(text)
  const [before, after] = [text.slice(0, place), text.slice(place)]
  const lines = before.split('\n')
  const column = (lines.at(-1)?.length ?? 0) + 1
  return `${cause(before, after, message)} (see line ${lines.length}, column ${column})`
}

function cause(before: string, after: string, message: string): string {
  if (after[0] === '\0' && before.length < 2) return ': it looks like UTF-16; send UTF-8'
  if (/^Bad escaped/.test(message)) return ': inside a string, write a backslash as \\\\'
  if (/^['‘’“”]/.test(after)) return ': strings and names need straight double quotes'
  if (/^[}\]]/.test(after) && /,\s*$/.test(before)) {
    return ': there is a comma before a closing bracket'
  }
  if (/^Expected (?:double-quoted )?property name/.test(message) && /^[\w$]/.test(after)) {
    return ': property names need double quotes'
  }
  if (/^(?:None|True|False)\b/.test(after)) return ': write null, true and false'
  if (/^Bad control/.test(message) && /^[\n\r\t]/.test(after)) {
    return ': inside a string, write a line break as \\n and a tab as \\t'
  }
  return ''
}

/** The end of the longest beginning that could still have become JSON. */
function placeOfMistake(text: string): number {
  let [fine, wrong] = [0, text.length]
  while (wrong - fine > 1) {
    const middle = (fine + wrong) >> 1
    if (couldGoOn(text.slice(0, middle))) fine = middle
    else wrong = middle
  }
  return fine
}

/** Whether a text is JSON, or lacks nothing but its end. */
function couldGoOn(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as Error
    const place = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
    return message === 'Unexpected end of JSON input' || Number(place) === text.length
  }
}
