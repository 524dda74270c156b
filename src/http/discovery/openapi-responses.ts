/** The responses of an operation as OpenAPI Response Objects, and the headers that they may have. */
import { SECOND } from '../../platform/time.ts'
import { addressLimits } from '../rate-limits.ts'
import type { DocumentedResponse, ResponseHeader } from './responses.ts'

/** One Response Object for each status, in the order of the statuses. */
export const responseObjects = (responses: DocumentedResponse[]): Record<string, object> =>
  Object.fromEntries(responses.map(response => [response.status, responseObject(response)]))

function responseObject({ status, when, advice, headers, examples }: DocumentedResponse): object {
  const schema = { $ref: `#/components/schemas/${status === 200 ? 'Success' : 'Error'}` }
  return {
    description: `${when} ${advice}`,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(headerReference)) }),
    content: {
      'application/json': {
        schema,
        ...(examples.length > 0 && {
          examples: Object.fromEntries(examples.map(({ name, summary, body }) => [name, { summary, value: body }])),
        }),
      },
    },
  }
}

const headerReference = (header: ResponseHeader) => [header, { $ref: `#/components/headers/${header}` }]

/** One item for each limit, in the syntax of draft-ietf-httpapi-ratelimit-headers-10. */
const perLimit = (item: (points: number, seconds: number) => string): string =>
  Object.entries(addressLimits)
    .map(([name, { points, duration }]) => `"${name}";${item(points, duration / SECOND)}`)
    .join(', ')

const text = { type: 'string' } as const

/** Headers that are `required` always come with the statuses that name them. */
export const headers: Record<ResponseHeader, object> = {
  Accept: { description: 'The content type to send.', schema: text, example: 'application/json' },
  'Accept-Encoding': {
    description: 'Present when the body was compressed: send it uncompressed.',
    schema: text,
    example: 'identity',
  },
  Allow: { description: 'The methods that this URL supports.', required: true, schema: text, example: 'POST, OPTIONS' },
  'Idempotent-Replayed': {
    description: 'Present when the submission had already been accepted, and this is the same response again.',
    schema: { type: 'string', const: 'true' },
  },
  RateLimit: {
    description:
      'For each limit of this IP address, how many requests are left (`r`) and in how many seconds the limit resets (`t`). Absent for private addresses, which are not limited.',
    schema: text,
    example: perLimit((points, seconds) => `r=${points - 1};t=${seconds}`),
  },
  'RateLimit-Policy': {
    description:
      'For each limit, how many requests (`q`) one IP address may send in how many seconds (`w`). Absent for private addresses, which are not limited.',
    schema: text,
    example: perLimit((points, seconds) => `q=${points};w=${seconds}`),
  },
  'Retry-After': {
    description: 'How many seconds to wait before you send the same request again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 5,
  },
}
