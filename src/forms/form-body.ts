/** The body of a form post: reads it within its limit, and splits it into fields, which can be shown again. */
import { isAscii, isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { readBytes } from '../http/body.ts'
import { isEncoded } from '../http/codings.ts'
import { errors } from '../http/errors.ts'
import { countFields } from '../http/form-parts.ts'
import type { Trouble } from './form-words.ts'

/** The largest form that is read, in bytes: far more than the fields can contain, so that a long text is not lost. */
export const FORM_LIMIT = 128 * 1024

/** The maximum number of fields in a form: more than any page of ours sends. Further fields are left out. */
const MOST_FIELDS = 100

/** A form with more parts than this is rejected unparsed. */
const MOST_PARTS = 1000

export type PostedForm = {
  /** What was typed, by the name of the field. If a field came several times, its first value counts. */
  values: Readonly<Record<string, string>>
  /** What is wrong with the post itself. The person must check it before it is sent again. */
  trouble: Extract<Trouble, 'charset' | 'files' | 'twice' | 'incomplete'> | undefined
}

/** Reads a form. Throws 413 beyond the limit, and 415 if the body is not a form. */
export async function readForm(request: IncomingMessage): Promise<PostedForm> {
  const { 'content-type': type = '' } = request.headers
  const isMultipart = /^\s*multipart\/form-data\s*;/i.test(type)
  const isForm = isMultipart || /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)
  if (!isForm || isEncoded(request)) throw errors.notAForm()
  const bytes = await readBytes(request, FORM_LIMIT)
  return isMultipart ? readMultipart(bytes, type) : readUrlencoded(bytes)
}

/** Parses a body of `application/x-www-form-urlencoded` (URL Standard, section 5.1). */
export function readUrlencoded(bytes: Buffer): PostedForm {
  const text = bytes.toString('latin1').replaceAll('+', ' ')
  const parts = text.split('&', MOST_FIELDS).map((part): [string, string] => {
    const end = part.indexOf('=')
    return end < 0 ? [part, ''] : [part.slice(0, end), part.slice(end + 1)]
  })
  try {
    if (isAscii(bytes)) return collected(parts, undefined, fromPercent)
  } catch {
    // Either a percent sign is meant literally, or the charset is different.
  }
  return readBytewise(parts)
}

const fromPercent = (text: string): string => (text.includes('%') ? decodeURIComponent(text) : text)

/** Text that is not UTF-8 is most likely Windows-1252, as browsers assume; the person is asked to check the letters. */
function readBytewise(parts: readonly (readonly [string, string])[]): PostedForm {
  const raw = parts.map(pair => pair.map(unescaped) as [Buffer, Buffer])
  const isRight = raw.flat().every(isUtf8)
  const decoder = new TextDecoder(isRight ? 'utf-8' : 'windows-1252')
  const entries = raw.map(pair => pair.map(text => decoder.decode(text)) as [string, string])
  return collected(entries, isRight ? undefined : 'charset')
}

/** The bytes that percent signs encode. */
const unescaped = (text: string): Buffer =>
  Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )

/** Our own forms send no files, so this is rare. The parser is the one that `fetch` uses. */
export async function readMultipart(bytes: Buffer, type: string): Promise<PostedForm> {
  if ((countFields(bytes, type, MOST_PARTS) ?? Infinity) > MOST_PARTS) return { values: {}, trouble: 'incomplete' }
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
    const entries = [...form].slice(0, MOST_FIELDS)
    const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    const hasFiles = entries.some(([, value]) => typeof value !== 'string' && value.size > 0)
    // The parser replaces bytes that are not UTF-8 with the replacement character.
    const isRight = isUtf8(bytes) || hasFiles
    return collected(texts, hasFiles ? 'files' : isRight ? undefined : 'charset')
  } catch {
    return { values: {}, trouble: 'incomplete' }
  }
}

/** `decode` is applied to each name and each value. */
function collected(
  entries: readonly (readonly [string, string])[],
  trouble: PostedForm['trouble'],
  decode = (text: string) => text,
): PostedForm {
  const values: Record<string, string> = Object.create(null)
  let differ = false
  for (const entry of entries) {
    const [name, value] = [decode(entry[0]), decode(entry[1])]
    const first = values[name]
    if (first === undefined) values[name] = value
    else if (first !== value) differ = true
  }
  return { values, trouble: trouble ?? (differ ? 'twice' : undefined) }
}
