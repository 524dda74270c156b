/**
 * A host: its routes, and the way of every request through them. A request is answered by its
 * handler or, thrown from anywhere below, by an error; nothing is left unanswered.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { HttpError, toHttpError } from './errors.ts'

export type Headers = Record<string, string | number>

/** Bytes go out as they are, a string as text unless the headers name another type, all else as JSON. */
export type HttpResponse = { status: number; headers?: Headers; body: object | string | Buffer }

/** `segment` is the last of the path. */
export type Handler = (request: IncomingMessage, segment: string) => Promise<HttpResponse>

export type Route = { GET?: Handler; POST?: Handler }

export type Host = {
  /** By path. `/act/*` is for every path of one more segment that has no route of its own. */
  routes: Record<string, Route>
  /** Of every answer, errors included. */
  headers: Headers
  /** Of the answer to OPTIONS. */
  preflight: Headers
  /** Answers at a path that has no route, if only by throwing 404. */
  otherwise: (path: string) => HttpResponse
  /** The end of an error about the address or the method: where to read on. */
  help: string
  log: Logger
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

/** While `closing`, every answer says that the connection ends with it. */
export function serve(host: Host, closing: () => boolean): RequestListener {
  const routes = new Map(Object.entries(host.routes))
  return (request, response) => {
    const path = pathOf(request)
    const route = routes.get(path) ?? routes.get(`${parentOf(path)}*`)
    answer(host, route, request, path)
      .catch(error => errorAnswer(host, error))
      .then(({ status, headers, body }) => {
        const all: Headers = { ...host.headers, ...headers }
        // Asked for only now: a request may have begun long before the service began to end.
        if (closing()) all['Connection'] = 'close'
        send(response, status, all, body)
      })
  }
}

async function answer(
  host: Host,
  route: Route | undefined,
  request: IncomingMessage,
  path: string,
): Promise<HttpResponse> {
  const { method = '' } = request
  requireOneHost(request)
  if (method === 'OPTIONS') return { status: 204, headers: host.preflight, body: '' }
  if (route === undefined) return host.otherwise(path)
  const handler = method === 'HEAD' ? route.GET : route[method as keyof Route]
  if (handler === undefined) throw notAllowed(method, route, host.help)
  return handler(request, path.slice(parentOf(path).length))
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Of two Hosts, a proxy before us may have read the other one (RFC 9112 section 3.2). */
function requireOneHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    throw new HttpError(400, 'Send exactly one Host header')
  }
}

function errorAnswer(host: Host, error: unknown): HttpResponse {
  const { status, headers, message } = toHttpError(error, host.log)
  return { status, headers, body: { error: message } }
}

/** The answer to a method that a route does not have. `help` is how its sentence ends. */
export function notAllowed(
  method: string,
  route: { [Method in keyof Route]: unknown },
  help: string,
): HttpError {
  const allowed = [
    ...(route.GET ? ['GET', 'HEAD'] : []),
    ...(route.POST ? ['POST'] : []),
    'OPTIONS',
  ]
  const hint = route.GET ? 'Send GET.' : 'Send POST with a JSON body.'
  const sentence = `${method} is not possible here. ${hint} ${help}`
  return new HttpError(405, sentence.trimEnd(), { Allow: allowed.join(', ') })
}

function send(
  response: ServerResponse,
  status: number,
  headers: Headers,
  body: HttpResponse['body'],
) {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  // These two have no body, and the length of none is not the length of what they stand for
  // (RFC 9110 section 8.6).
  if (status !== 204 && status !== 304) headers['Content-Length'] = Buffer.byteLength(bytes)
  if (bytes.length > 0) headers['Content-Type'] ??= typeof body === 'string' ? TEXT : JSON_TYPE
  response.writeHead(status, headers)
  response.end(bytes)
}

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'

/** The path as it stands in the request, without query; of an absolute URL (RFC 9112 section 3.2.2) its path. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const target = url.startsWith('/') ? url : (URL.parse(url)?.pathname ?? url)
  const query = target.indexOf('?')
  return query < 0 ? target : target.slice(0, query)
}
