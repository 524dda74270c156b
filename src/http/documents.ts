/**
 * Documents, which anyone may read and any cache may keep. They are compressed if the client accepts it. A client that
 * already has the current version gets 304.
 */
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type Coding, preferredCoding, preferredText } from './content-negotiation.ts'
import type { Headers, HttpResponse, Route } from './router.ts'

/** One version of a document, such as its HTML or its Markdown. */
export type Representation = {
  type: string
  body: Buffer
  headers: Headers
  /** The encoded body for each coding that was requested so far. */
  encoded: Map<Coding, Promise<CompressedBody>>
}

type CompressedBody = { bytes: Buffer; headers: { ETag: string; 'Content-Encoding'?: Coding } }

export const representation = (type: string, text: string | Buffer, headers: Headers = {}): Representation => ({
  type,
  body: Buffer.from(text),
  headers,
  encoded: new Map(),
})

export const documentRoute = (document: Representation): Route => ({
  GET: request => respondWith(document, request, 'Accept-Encoding'),
})

export const pageRoute = (html: Representation, markdown: Representation): Route => ({
  GET: request => {
    const chosen = preferredText(request.headers.accept) === 'markdown' ? markdown : html
    return respondWith(chosen, request, 'Accept, Accept-Encoding')
  },
})

/** A document whose text depends on the time. */
export function changingRoute(type: string, write: () => string): Route {
  let last: { text: string; document: Representation } | undefined
  return {
    GET: request => {
      const text = write()
      if (last?.text !== text) last = { text, document: representation(type, text) }
      return respondWith(last.document, request, 'Accept-Encoding')
    },
  }
}

/** How long a cache may keep a document before it asks again, in seconds. */
const MAX_AGE = 300

async function respondWith(document: Representation, request: IncomingMessage, vary: string): Promise<HttpResponse> {
  const { bytes, headers } = await encodedAs(document, preferredCoding(request.headers['accept-encoding']))
  const common = {
    ...document.headers,
    ETag: headers['ETag'],
    'Cache-Control': `public, max-age=${MAX_AGE}`,
    Vary: vary,
  }
  if (isKnown(request.headers['if-none-match'], headers['ETag'])) {
    return { status: 304, headers: common, body: '' }
  }
  return { status: 200, headers: { ...common, ...headers, 'Content-Type': document.type }, body: bytes }
}

/** Whether the client has this version. Strong and weak tags count alike (RFC 9110 section 13.1.2). */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some(one => ['*', etag, `W/${etag}`].includes(one.trim())) ?? false

function encodedAs(document: Representation, coding: Coding): Promise<CompressedBody> {
  const known = document.encoded.get(coding)
  if (known !== undefined) return known
  const made = encode(document.body, coding)
  document.encoded.set(coding, made)
  // The next request tries again.
  made.catch(() => document.encoded.delete(coding))
  return made
}

/** If the coding would not make the body smaller, leaves it as it is. */
async function encode(body: Buffer, coding: Coding): Promise<CompressedBody> {
  const bytes = coding === 'identity' ? body : await compressed[coding](body)
  if (coding !== 'identity' && bytes.length < body.length) {
    return { bytes, headers: { ETag: etagOf(bytes), 'Content-Encoding': coding } }
  }
  return { bytes: body, headers: { ETag: etagOf(body) } }
}

const compressed = {
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
}

/** A strong tag. Each coding has a tag of its own, because its bytes differ (RFC 9110 section 8.8.3.3). */
const etagOf = (bytes: Buffer): string => `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
