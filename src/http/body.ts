/** The body of a request: reads it within its limit, and parses its bytes as JSON. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { parsedJson } from '../platform/json.ts'
import { isEncoded } from './codings.ts'
import { errors, type HttpError } from './errors.ts'

/** The largest body that is read, in bytes. */
export const BODY_LIMIT = 32 * 1024

/**
 * In a body longer than this, in characters, we do not look for the mistake. A body that fills every field of an
 * operation to its limit is shorter; a test checks this against the schemas.
 */
const MOST_SEARCHED = 8192

/** `application/json` and related types (RFC 6839 section 3.1), in upper or lower case, with any parameters. */
const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

/** Reads a JSON body. Throws 415 for another content type or encoding, 413 beyond the limit, 400 if it is not JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const { 'content-type': type } = request.headers
  const hasBody = request.headers['content-length'] !== '0' && hasContent(request)
  const plain = !isEncoded(request)
  if (hasBody && !JSON_TYPE.test(type ?? '')) {
    throw plain && isJsonObject(await readBytes(request)) ? errors.onlyHeaderNotJson() : errors.notJson(type)
  }
  if (!plain) throw errors.compressed()
  return parseJson(await readBytes(request))
}

/** Whether only the header is wrong: by default, curl sends the type of a form. */
const isJsonObject = (bytes: Buffer): boolean => parsedJson(bytes.toString('utf8')) instanceof Object

/** Whether there is a body at all (RFC 9112 section 6.3). */
const hasContent = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Reads a body. Throws 413 beyond `limit`, in bytes: we then stop reading, and the server discards the rest. */
export async function readBytes(request: IncomingMessage, limit = BODY_LIMIT): Promise<Buffer> {
  if (Number(request.headers['content-length']) > limit) throw errors.bodyTooLarge(limit)
  return new Promise((resolve, reject) => readBytesWith(request, limit, resolve, reject))
}

/** Does the same with callbacks: calls only one of them, and only once. Does not check the announced length. */
export function readBytesWith(
  request: IncomingMessage,
  limit: number,
  done: (bytes: Buffer) => void,
  failed: (error: HttpError) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  let over = false
  const fail = (error: HttpError) => {
    if (!over) failed(error)
    over = true
  }
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > limit) fail(errors.bodyTooLarge(limit))
    else chunks.push(chunk)
  })
  request.on('end', () => {
    if (!over) done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    over = true
  })
  // The client left or was cut off: no one reads this response, but the error is not ours.
  request.on('error', () => fail(errors.incomplete()))
}

/**
 * Parses the bytes of a JSON text (RFC 8259); a byte order mark is skipped. Throws 400 with the place of the mistake
 * and, if we can tell, its likely cause.
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw errors.emptyBody()
  if (!isUtf8(bytes)) throw errors.notUtf8()
  const text = bytes.toString('utf8', startsWithMark(bytes) ? 3 : 0)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw errors.invalidJson(mistake(text, error as Error))
  }
}

/** A byte order mark is not part of the text (RFC 8259 section 8.1). */
const startsWithMark = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** Where the mistake is and what it looks like. The message of the engine may quote the body, so we do not use it. */
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

/** The end of the longest beginning that could still have become JSON, found by bisection. */
function placeOfMistake(text: string): number {
  let [fine, wrong] = [0, text.length]
  while (wrong - fine > 1) {
    const middle = (fine + wrong) >> 1
    if (couldGoOn(text.slice(0, middle))) fine = middle
    else wrong = middle
  }
  return fine
}

/** Whether a text is JSON, or only lacks its end. */
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
