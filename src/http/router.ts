/**
 * A host: its routes, and the path of every request through them. The response comes from a handler
 * or from an error thrown anywhere below it; every request gets one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { isTransferKnown } from './codings.ts'
import { prefersHtml } from './content-negotiation.ts'
import { dryRunQuery } from './dry-run-parameter.ts'
import { errors, type HttpError, methodsOf, toHttpError } from './errors.ts'

export type Headers = Record<string, string | number>

/** Bytes are sent unchanged, a string as text unless the headers name another type, everything else as JSON. */
export type HttpResponse = { status: number; headers?: Headers; body: object | string | Buffer }

/** `segment` is the last segment of the path. */
export type Handler = (request: IncomingMessage, segment: string) => Promise<HttpResponse>

export type Route = { GET?: Handler; POST?: Handler; common?: CommonPath | undefined }

/**
 * A short path for the most common POST of a route, with callbacks in place of promises. Every other request takes the
 * long path. A request that turns out to be a different one continues there.
 */
export type CommonPath = {
  /** The body of the response for nearly every request, which has status 200; `done` may add headers. */
  body: object
  /** Returns false, before it has done anything, if the request is a different one. Must not throw. */
  handle(
    request: IncomingMessage,
    done: (headers: Headers | undefined) => void,
    otherwise: (response: Promise<HttpResponse>) => void,
  ): boolean
}

export type Host = {
  /** Routes by path. `/act/*` matches every path with one more segment that does not have its own route. */
  routes: Record<string, Route>
  /** Headers of every response, errors included. */
  headers: Headers
  /** Headers of the response to OPTIONS, for the methods that the URL supports. */
  preflight: (methods: string) => Headers
  /** Responds at a path that has no route, or throws 404. URLs in its response keep the `query`. */
  otherwise: (path: string, query: string, request: IncomingMessage) => HttpResponse
  /** The URL of the documentation, for errors about the path or the method. */
  docs: string | undefined
  /** The page with the same text as an error, for a person with a browser. */
  errorPage: ErrorPage
  /**
   * Serves every path that does not have a route, instead of `otherwise`, with headers of its own. Rejects, before it has
   * responded, if it cannot serve any path.
   */
  rest?: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** Called for each response with 500. */
  failed: () => void
  log: Logger
}

/** `docs` is the URL where developers can read on; a host for the staff has none. */
export type ErrorPage = (error: HttpError, docs: string | undefined, request: IncomingMessage) => HttpResponse

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

/** While `closing`, every response says that its connection ends. */
export function serve(host: Host, closing: () => boolean): RequestListener {
  const routes = new Map(Object.entries(host.routes))
  const commons = new Map(Object.values(host.routes).map(route => [route, fixed(host, route.common)]))
  const commonOf = (route: Route | undefined) => (route === undefined ? undefined : commons.get(route))
  return (request, response) => {
    const path = pathOf(request)
    const route = routes.get(path) ?? routes.get(`${parentOf(path)}*`)
    const finish = ({ status, headers, body }: HttpResponse) => {
      const all: Headers = { ...host.headers, ...headers }
      // Checked only here: the request may have begun long before the service began to shut down.
      if (closing()) all['Connection'] = 'close'
      if (status === 500) host.failed()
      send(response, status, all, body)
    }
    const settle = (answer: Promise<HttpResponse>) =>
      void answer.catch(error => errorResponse(host, route, request, error)).then(finish)
    if (route === undefined && host.rest !== undefined && isUnderstood(request)) {
      for (const [name, value] of Object.entries(host.headers)) response.setHeader(name, value)
      if (closing()) response.setHeader('Connection', 'close')
      response.once('close', () => response.statusCode === 500 && host.failed())
      host.rest(request, response).catch(error => settle(Promise.reject(error)))
      return
    }
    const common = commonOf(route)
    if (common !== undefined && request.method === 'POST' && isUnderstood(request)) {
      const done = (headers: Headers | undefined) => {
        if (headers !== undefined || closing())
          return finish({ status: 200, headers: { ...headers }, body: common.body })
        response.writeHead(200, common.headers)
        response.end(common.bytes)
      }
      if (common.handle(request, done, settle)) return
    }
    settle(respond(host, route, request, path))
  }
}

/** The response of a short path, made once. */
function fixed(host: Host, common: CommonPath | undefined) {
  if (common === undefined) return undefined
  const bytes = JSON.stringify(common.body)
  const headers = { ...host.headers, 'Content-Length': Buffer.byteLength(bytes), 'Content-Type': JSON_TYPE }
  return { ...common, bytes, headers }
}

/** Whether the rest of the code can read a request. If not, `respond` says what is wrong. */
const isUnderstood = (request: IncomingMessage): boolean =>
  hasOneHost(request) && isVersionKnown(request) && isTransferKnown(request)

/** The parser also accepts request lines with versions that do not exist, or that are written in another way. */
const isVersionKnown = ({ httpVersion }: IncomingMessage): boolean => httpVersion === '1.1' || httpVersion === '1.0'

async function respond(
  host: Host,
  route: Route | undefined,
  request: IncomingMessage,
  path: string,
): Promise<HttpResponse> {
  const { method = '' } = request
  if (!hasOneHost(request)) throw errors.notOneHost()
  if (!isVersionKnown(request)) throw errors.version()
  if (!isTransferKnown(request)) throw errors.transferCoding()
  if (method === 'OPTIONS') return options(host, route)
  if (route === undefined) return host.otherwise(path, dryRunQuery(request.url), request)
  const handler = method === 'HEAD' ? route.GET : route[method as 'GET' | 'POST']
  if (handler === undefined) throw errors.methodNotAllowed(method, route, host.docs)
  return handler(request, path.slice(parentOf(path).length))
}

/** Where there is no route, a browser may still send the request; otherwise, it would hide the 404 from programs. */
function options({ preflight }: Host, route: Route | undefined): HttpResponse {
  if (route === undefined) return { status: 204, headers: preflight('GET, HEAD, POST, OPTIONS'), body: '' }
  const methods = methodsOf(route)
  return { status: 204, headers: { Allow: methods, ...preflight(methods) }, body: '' }
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** If there are two Host headers, a proxy before us may have read the other one (RFC 9112 section 3.2). */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1')
}

function errorResponse(host: Host, route: Route | undefined, request: IncomingMessage, failure: unknown): HttpResponse {
  const error = toHttpError(failure, host.log)
  const { status, headers, message } = error
  const response = { status, headers, body: { error: message } }
  if (!isFromPerson(request, route)) return response
  try {
    const page = host.errorPage(error, host.docs, request)
    return { ...page, headers: { ...page.headers, ...headers } }
  } catch (broken) {
    host.log.error({ err: broken }, 'the error page could not be made')
    return response
  }
}

/**
 * Whether a browser opened a URL, or sent a page's form. An operation does not have a page, so a post to it comes from
 * a program, whatever its Accept header says, and errors are JSON.
 */
function isFromPerson({ method, headers }: IncomingMessage, route: Route | undefined): boolean {
  const opened = method === 'GET' || method === 'HEAD'
  return (opened || route?.GET !== undefined) && prefersHtml(headers.accept)
}

function send(response: ServerResponse, status: number, headers: Headers, body: HttpResponse['body']) {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  // Responses with 204 and 304 have no body. A Content-Length would state the length of the content that they
  // represent, which is not 0 (RFC 9110 section 8.6).
  if (status !== 204 && status !== 304) headers['Content-Length'] = Buffer.byteLength(bytes)
  if (bytes.length > 0) headers['Content-Type'] ??= typeof body === 'string' ? TEXT : JSON_TYPE
  response.writeHead(status, headers)
  response.end(bytes)
}

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'

/** The path as it is in the request, without its query. The target may be a whole URL (RFC 9112 section 3.2.2). */
function pathOf({ url = '/' }: IncomingMessage): string {
  const target = url.startsWith('/') ? url : (URL.parse(url)?.pathname ?? url)
  const query = target.indexOf('?')
  return query < 0 ? target : target.slice(0, query)
}
