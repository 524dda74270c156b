/** How a body is encoded (RFC 9110 section 8.4, RFC 9112 section 6.1). We accept it only unencoded. */
import type { IncomingMessage } from 'node:http'

/** Whether its content is compressed or otherwise encoded. */
export const isEncoded = ({ headers }: IncomingMessage): boolean =>
  !/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')

/** Whether we know how it was transferred; if not, we respond with 501 (RFC 9112 section 6.1). */
export const isTransferKnown = ({ headers }: IncomingMessage): boolean =>
  /^chunked$/i.test(headers['transfer-encoding'] ?? 'chunked')
