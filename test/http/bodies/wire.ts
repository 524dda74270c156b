/** Valid bodies that are not declared as JSON, that are compressed, or too large. */
import { gzipSync } from 'node:zlib'
import { bodyOf, type Row } from './rows.ts'

const sendJson = 'Send the body as JSON, with the header Content-Type: application/json'
const noForms = 'Form data is not accepted. Send one JSON object, with the header Content-Type: application/json'

const onlyHeader =
  'The body is JSON, but its header says otherwise. Send it again with the header Content-Type: application/json'

/** Content types of a body that is not JSON; undefined for none. */
const types: [type: string | undefined, error: string][] = [
  [undefined, sendJson],
  ['', sendJson],
  ['text/plain', sendJson],
  ['text/plain;charset=UTF-8', sendJson],
  ['text/json', sendJson],
  ['text/javascript', sendJson],
  ['text/html', sendJson],
  ['application/jsonp', sendJson],
  ['application/json5', sendJson],
  ['application/json-seq', sendJson],
  ['application/jsonl', sendJson],
  ['application/x-json', sendJson],
  ['application/x-ndjson', sendJson],
  ['application/+json', sendJson],
  ['application/json+xml', sendJson],
  ['application/vnd.x+jsonx', sendJson],
  ['application/xml', sendJson],
  ['application/octet-stream', sendJson],
  ['application/javascript', sendJson],
  ['application', sendJson],
  ['application/', sendJson],
  ['application/ json', sendJson],
  ['application/json, text/plain', sendJson],
  ['application/*', sendJson],
  ['*/*', sendJson],
  ['json', sendJson],
  ['/json', sendJson],
  ['"application/json"', sendJson],
  ['undefined', sendJson],
  [';', sendJson],
  ['; charset=utf-8', sendJson],
  ['charset=utf-8', sendJson],
  ['model/json', sendJson],
  ['image/svg+json', sendJson],
  ['application/x-www-form-urlencoded', noForms],
  ['application/x-www-form-urlencoded; charset=UTF-8', noForms],
  ['APPLICATION/X-WWW-FORM-URLENCODED', noForms],
  ['multipart/form-data; boundary=x', noForms],
  ['multipart/form-data', noForms],
]

const encodings = ['gzip', 'br', 'deflate', 'zstd', 'x-gzip', 'GZIP', 'gzip, identity', 'utf-8']

const valid = { site: bodyOf('site', {}), student: bodyOf('student', {}) }

export const wire: Row[] = (['site', 'student'] as const).flatMap(to => [
  ...types.flatMap(([type, error]) =>
    [
      { to, what: `content type ${type}`, body: Buffer.from('name=Ana'), error },
      { to, what: `content type ${type} for JSON`, body: Buffer.from(valid[to]), error: onlyHeader },
    ].map(row => ({ ...row, headers: { 'Content-Type': type as string }, status: 415 })),
  ),
  ...encodings.map(encoding => ({
    to,
    what: `content encoding ${encoding}`,
    body: gzipSync(valid[to]),
    headers: { 'Content-Encoding': encoding },
    status: 415,
    error: 'Send the body uncompressed, without Content-Encoding',
  })),
  {
    to,
    what: 'one byte over 32 KiB',
    body: valid[to].padEnd(32 * 1024 + 1),
    status: 413,
    error: 'The body must be at most 32 KiB',
  },
  {
    to,
    what: 'a megabyte',
    body: valid[to].padEnd(1024 * 1024),
    status: 413,
    error: 'The body must be at most 32 KiB',
  },
])
