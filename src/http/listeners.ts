/**
 * The listeners: one for each port. If hosts share a port, the Host header selects one. Listeners limit connections and
 * times, so that slow or numerous clients do not slow down the others.
 */
import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { createServer } from '../platform/node-http.ts'
import { MINUTE, SECOND } from '../platform/time.ts'
import { shutdown } from '../shutdown.ts'
import { Arrivals } from './arrival-limits.ts'
import { type ConnectionLimits, limitConnections } from './connections.ts'
import { errors, rawResponse, socketError } from './errors.ts'
import { type Host, type RequestListener, serve } from './router.ts'

/** The headers of a request, and the whole request, must arrive within these times, in milliseconds. */
export const HEADERS_TIMEOUT = 5 * SECOND
export const REQUEST_TIMEOUT = 10 * SECOND

/** How long someone may take to upload a file, in milliseconds: enough for the largest at half a megabit a second. */
export const UPLOAD_TIMEOUT = 10 * MINUTE

/** How often we look for requests that take too long, in milliseconds. */
const CHECK_EVERY = 1 * SECOND

/** How long a client may take, in milliseconds. We cut off a slow client within 15 seconds. */
const times = {
  headersTimeout: HEADERS_TIMEOUT,
  requestTimeout: REQUEST_TIMEOUT,
  connectionsCheckingInterval: CHECK_EVERY,
  // Longer than the 60 seconds for which most proxies keep an idle connection.
  keepAliveTimeout: 65 * SECOND,
}

/**
 * How long a closing listener waits for further connections, in milliseconds. Linux repeats unacknowledged data after
 * 200, and a request to connect after 1,000. These would otherwise arrive all at once.
 */
const QUIET = 250
const ACCEPTS_FOR = 700
const GIVES_UP = 2 * SECOND

/** A connection is closed if no byte moves either way for so many milliseconds while a response is under way. */
export const IDLE = 15 * SECOND

/** Browsers that have connected once over TLS use TLS for a year (RFC 6797 section 6.1). */
const TRANSPORT_SECURITY = 'max-age=31536000'

export type Listener = { name: 'site' | 'learn' | 'console'; url: string; port: number; host: Host }

export type Listeners = {
  /** The IP address and port of each host, by name. */
  addresses: Record<string, { address: string; port: number }>
  /** Stops accepting connections, finishes the requests under way, and ends within `timeout` milliseconds. */
  close(timeout: number): Promise<void>
}

type Options = {
  /** The client behind an IP address; undefined if it may have any number of connections. */
  clientOf: (address: string) => string | undefined
  /** How long a closing server keeps idle connections, in milliseconds. */
  drainDelay: number | undefined
  connectionLimits?: ConnectionLimits
  /** Whether browsers use https for all subdomains, too (RFC 6797 section 6.1.2). */
  httpsForSubdomains?: boolean
}

/** Listens for all hosts. If a port is not available, throws and listens on none. */
export async function listen(
  listeners: Listener[],
  address: string,
  { drainDelay = shutdown.drainDelay, httpsForSubdomains = false, ...options }: Options,
): Promise<Listeners> {
  const secured = listeners.map(listener => ({ ...listener, host: securedHost(listener, httpsForSubdomains) }))
  const byPort = Object.groupBy(secured, ({ port, name }) => (port === 0 ? name : port))
  const opened: { server: Server; sharing: Listener[] }[] = []
  let closing = false
  try {
    for (const sharing of Object.values(byPort) as Listener[][]) {
      const server = serverFor(sharing, () => closing, options)
      server.listen(sharing[0]?.port, address)
      await once(server, 'listening')
      opened.push({ server, sharing })
    }
  } catch (error) {
    for (const { server } of opened) server.close()
    throw error
  }
  return {
    addresses: Object.fromEntries(
      opened.flatMap(({ server, sharing }) => {
        const { address, port } = server.address() as AddressInfo
        return sharing.map(({ name }) => [name, { address, port }])
      }),
    ),
    close: async timeout => {
      closing = true
      await Promise.all(opened.map(({ server }) => end(server, drainDelay, timeout)))
    },
  }
}

function securedHost({ url, host }: Listener, subdomains: boolean): Host {
  if (!url.startsWith('https:')) return host
  const security = `${TRANSPORT_SECURITY}${subdomains ? '; includeSubDomains' : ''}`
  return { ...host, headers: { ...host.headers, 'Strict-Transport-Security': security } }
}

function serverFor(
  sharing: Listener[],
  closing: () => boolean,
  { clientOf, connectionLimits }: Omit<Options, 'drainDelay' | 'httpsForSubdomains'>,
): Server {
  const listener = sharing.length === 1 ? serve((sharing[0] as Listener).host, closing) : serveByName(sharing, closing)
  const uploads = sharing.some(({ name }) => name === 'console')
  const route: RequestListener = (request, response) => {
    if (!connections.admit(request, response)) return
    arrivals?.begin(request)
    if (mayBeMisread(request)) response.shouldKeepAlive = false
    listener(request, response)
  }
  const longest = uploads ? { requestTimeout: UPLOAD_TIMEOUT } : {}
  // The router rejects a missing Host header, in JSON.
  const options = { ...times, ...longest, noDelay: true, requireHostHeader: false }
  const server = createServer(options, route)
  const arrivals = uploads ? arrivalsAt(server) : undefined
  const connections = limitConnections(server, clientOf, connectionLimits)
  // An unknown expectation may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', route)
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(rawResponse(errors.notAProxy()), () => socket.destroy())
  })
  server.setTimeout(IDLE)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // If a request before the broken one still waits for its response, it gets that, and then the connection ends.
    const pending = connections.latest(socket)
    if (pending?.req.complete && !pending.writableFinished) pending.once('close', () => socket.destroySoon())
    else if (socket.writable && error.code !== 'ECONNRESET') socket.end(rawResponse(socketError(error.code)))
    else socket.destroy()
  })
  return server
}

/** A proxy of HTTP/1.0 does not know chunks: it may read our body as further requests (RFC 9112 section 6.1). */
const mayBeMisread = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.0' && headers['transfer-encoding'] !== undefined

/** Cuts off all requests except uploads after the usual time, as Node.js does on the other ports. */
function arrivalsAt(server: Server): Arrivals {
  const arrivals = new Arrivals(REQUEST_TIMEOUT, ({ socket }) => {
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', error, socket)
  })
  const checking = setInterval(() => arrivals.check(), CHECK_EVERY).unref()
  server.once('close', () => clearInterval(checking))
  return arrivals
}

/**
 * Serves several hosts on one port. The Host header selects the host (RFC 9110 section 7.2), or the target if it is a
 * whole URL (RFC 9112 section 3.2.2).
 */
function serveByName(sharing: Listener[], closing: () => boolean): RequestListener {
  const byName = new Map(sharing.map(({ url, host }) => [new URL(url).hostname, serve(host, closing)] as const))
  const otherwise = serve(unknownHost((sharing[0] as Listener).host), closing)
  return (request, response) => {
    const { url = '/', headers } = request
    const host = url.startsWith('/') ? headers.host : (URL.parse(url)?.host ?? headers.host)
    const listener = byName.get(nameIn(host)) ?? otherwise
    listener(request, response)
  }
}

/** The name of a Host header: in lower case, without port and trailing dot. */
const nameIn = (host = ''): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')

/** The host for all other names. It serves only the health, for load balancers that use the IP address. */
function unknownHost(host: Host): Host {
  const { '/healthz': healthz = {}, '/readyz': readyz = {} } = host.routes
  const { rest: _, ...bare } = host
  return {
    ...bare,
    routes: { '/healthz': healthz, '/readyz': readyz },
    otherwise: () => {
      throw errors.unknownHost()
    },
  }
}

/**
 * Ends a server without resetting a connection in use. A request may be on its way over a connection that looks idle.
 * So idle connections are closed only after a delay, in which every response says that its connection ends.
 */
async function end(server: Server, drainDelay: number, timeout: number): Promise<void> {
  const ended = once(server, 'close')
  const begun = performance.now()
  await acceptWaiting(server, Math.min(QUIET, drainDelay))
  // The HTTP server's own close would destroy idle connections immediately.
  NetServer.prototype.close.call(server)
  await wait(drainDelay)
  // If the machine was suspended for a while, requests may have arrived that we have not read yet.
  for (let turn = 0; turn < 2; turn++) await setImmediate()
  server.close()
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  // Requests that were read only now get their responses, too.
  const left = Math.max(drainDelay, begun + timeout - performance.now())
  const deadline = setTimeout(() => server.closeAllConnections(), left)
  await ended
  clearInterval(idle)
  clearTimeout(deadline)
}

/**
 * Accepts the connections that wait to be accepted; otherwise they would be reset together with the listener. On a busy
 * server, new ones keep coming, so first it stops queueing them: their clients try again to connect, and then learn
 * that no one listens. The shorter queue interrupts some handshakes, which are finished when their clients send again.
 * This continues until no one has come for `quiet` milliseconds, or for `ACCEPTS_FOR`.
 */
async function acceptWaiting(server: Server, quiet: number): Promise<void> {
  // Node.js has no public way to change the backlog of a listener.
  const { _handle: handle } = server as { _handle?: { listen(backlog: number): number } }
  handle?.listen(0)
  const begun = performance.now()
  let last = begun
  let turns = 0
  server.on('connection', () => {
    last = performance.now()
    turns = 0
  })
  const isOver = (now: number) => now - last >= quiet || now - begun > ACCEPTS_FOR
  while (!isOver(performance.now())) await wait(5)
  // A turn of the event loop accepts one connection, and the first turn may have no time left for that. The time counts
  // from here: if the machine was suspended, connections are waiting, and any earlier deadline has passed.
  const turning = performance.now()
  while (turns++ < 2 && performance.now() - turning < GIVES_UP) await setImmediate()
}
