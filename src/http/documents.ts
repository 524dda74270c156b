/**
 * Documents: what anybody may read and any cache may keep. They are compressed for whoever wants
 * that, and a client that has one already is told so.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type Coding, preferredCoding, preferredText } from './content-negotiation.ts'
import type { Headers, HttpResponse, Route } from './router.ts'

/** One form of a document. */
export type Representation = {
  type: string
  body: Buffer
  headers: Headers
  /** Of each coding that was asked for so far. */
  encoded: Map<Coding, Promise<Encoded>>
}

type Encoded = { bytes: Buffer; headers: { ETag: string; 'Content-Encoding'?: Coding } }

export const representation = (
  type: string,
  text: string | Buffer,
  headers: Headers = {},
): Representation => ({ type, body: Buffer.from(text), headers, encoded: new Map() })

/** A document that has one form. */
export const documentRoute = (document: Representation): Route => ({
  GET: request => answerWith(document, request, 'Accept-Encoding'),
})

/** A page that is there in HTML and in Markdown, at one address. */
export const pageRoute = (html: Representation, markdown: Representation): Route => ({
  GET: request => {
    const chosen = preferredText(request.headers.accept) === 'markdown' ? markdown : html
    return answerWith(chosen, request, 'Accept, Accept-Encoding')
  },
})

/** A document whose text the time decides. */
export function changingRoute(type: string, write: () => string): Route {
  let last: { text: string; document: Representation } | undefined
  return {
    GET: request => {
      const text = write()
      if (last?.text !== text) last = { text, document: representation(type, text) }
      return answerWith(last.document, request, 'Accept-Encoding')
    },
  }
}

/** A cache may keep it for so long before it asks again, in seconds. */
const MAX_AGE = 300

async function answerWith(
  document: Representation,
  request: IncomingMessage,
  vary: string,
): Promise<HttpResponse> {
  const { bytes, headers } = await encodedAs(
    document,
    preferredCoding(request.headers['accept-encoding']),
  )
  const kept = {
    ...document.headers,
    ETag: headers['ETag'],
    'Cache-Control': `public, max-age=${MAX_AGE}`,
    Vary: vary,
  }
  if (isKnown(request.headers['if-none-match'], headers['ETag'])) {
    return { status: 304, headers: kept, body: '' }
  }
  return {
    status: 200,
    headers: { ...kept, ...headers, 'Content-Type': document.type },
    body: bytes,
  }
}

/** A client's copy counts whether it says that it is exact or only as good (RFC 9110 section 13.1.2). */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some(one => ['*', etag, `W/${etag}`].includes(one.trim())) ?? false

function encodedAs(document: Representation, coding: Coding): Promise<Encoded> {
  const known = document.encoded.get(coding)
  if (known !== undefined) return known
  const made = encode(document.body, coding)
  document.encoded.set(coding, made)
  // A request to come may have more luck.
  made.catch(() => document.encoded.delete(coding))
  return made
}

/** Not coded where that would not make it smaller. */
async function encode(body: Buffer, coding: Coding): Promise<Encoded> {
  const bytes = coding === 'identity' ? body : await compressed[coding](body)
  if (coding !== 'identity' && bytes.length < body.length) {
    return { bytes, headers: { ETag: etagOf(bytes), 'Content-Encoding': coding } }
  }
  return { bytes: body, headers: { ETag: etagOf(body) } }
}

const compressed = {
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
}

/** Strong: another one for each coding, whose bytes are others (RFC 9110 section 8.8.3.3). */
const etagOf = (bytes: Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
