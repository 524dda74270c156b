/**
 * The listeners: one for each port. Hosts that share a port are told apart by the Host header.
 * Limits on connections and times are here, so that slow or many clients cost others nothing.
 */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { SECOND } from '../time.ts'
import { HttpError, rawError } from './errors.ts'
import { type Host, type RequestListener, serve } from './router.ts'

/** The headers of a request, and all of it, must have arrived after so long, in milliseconds. */
export const HEADERS_TIMEOUT = 5 * SECOND
export const REQUEST_TIMEOUT = 10 * SECOND

/** How long a client may take, in milliseconds. A slow client is cut off within 15 seconds. */
const times = {
  headersTimeout: HEADERS_TIMEOUT,
  requestTimeout: REQUEST_TIMEOUT,
  connectionsCheckingInterval: 1 * SECOND,
  // Longer than the 60 seconds for which usual proxies keep an idle connection.
  keepAliveTimeout: 65 * SECOND,
}
/** Without a byte either way for so long while an answer is under way, a connection is closed. */
const IDLE = 15 * SECOND
const MOST_CONNECTIONS = 5000

/** While the service ends, connections in use get this long to hear of it, in milliseconds. */
const FAREWELL = 500

export type Listener = { name: 'site' | 'learn' | 'console'; url: string; port: number; host: Host }

export type Listeners = {
  /** Where each host is reached, by name. */
  addresses: Record<string, { address: string; port: number }>
  /** Takes no new connection, answers what is under way, and ends within `patience` milliseconds. */
  close(patience: number): Promise<void>
}

/**
 * Listens for all hosts. `farewell` is how long a closing server keeps idle connections, in
 * milliseconds. Throws when a port cannot be had; then none is listened on.
 */
export async function listen(
  places: Listener[],
  address: string,
  farewell = FAREWELL,
): Promise<Listeners> {
  const byPort = Object.groupBy(places, place => (place.port === 0 ? place.name : place.port))
  const opened: { server: Server; places: Listener[] }[] = []
  let closing = false
  try {
    for (const sharing of Object.values(byPort) as Listener[][]) {
      const server = serverFor(sharing, () => closing)
      server.listen(sharing[0]?.port, address)
      await once(server, 'listening')
      opened.push({ server, places: sharing })
    }
  } catch (error) {
    for (const { server } of opened) server.close()
    throw error
  }
  return {
    addresses: Object.fromEntries(
      opened.flatMap(({ server, places }) => {
        const { address, port } = server.address() as AddressInfo
        return places.map(place => [place.name, { address, port }])
      }),
    ),
    close: async patience => {
      closing = true
      await Promise.all(opened.map(({ server }) => end(server, farewell, patience)))
    },
  }
}

function serverFor(places: Listener[], closing: () => boolean): Server {
  const served =
    places.length === 1
      ? serve((places[0] as Listener).host, closing)
      : serveByName(places, closing)
  const underWay = new WeakMap<Socket, ServerResponse>()
  const route: RequestListener = (request, response) => {
    underWay.set(request.socket, response)
    served(request, response)
  }
  // A missing Host is refused by the host, in JSON.
  const server = createServer({ ...times, noDelay: true, requireHostHeader: false }, route)
  // An expectation that nobody knows may be passed over (RFC 9110 section 10.1.1).
  server.on('checkExpectation', route)
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(rawError('CONNECT'), () => socket.destroy())
  })
  server.setTimeout(IDLE)
  server.maxConnections = MOST_CONNECTIONS
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // A request before the broken one may still wait for its answer: it gets that, and the end.
    const pending = underWay.get(socket)
    if (pending?.req.complete && !pending.writableFinished)
      pending.once('close', () => socket.destroySoon())
    else if (socket.writable && error.code !== 'ECONNRESET') socket.end(rawError(error.code))
    else socket.destroy()
  })
  return server
}

/**
 * Several hosts on one port, told apart by the Host header (RFC 9110 section 7.2), or by the target
 * where that is a whole URL (RFC 9112 section 3.2.2).
 */
function serveByName(places: Listener[], closing: () => boolean): RequestListener {
  const byName = new Map(
    places.map(({ url, host }) => [new URL(url).hostname, serve(host, closing)] as const),
  )
  const stranger = serve(strangerOf((places[0] as Listener).host), closing)
  return (request, response) => {
    const { url = '/', headers } = request
    const host = url.startsWith('/') ? headers.host : (URL.parse(url)?.host ?? headers.host)
    const served = byName.get(nameIn(host)) ?? stranger
    served(request, response)
  }
}

/** The name of a Host header: in lower case, without port and trailing dot. */
const nameIn = (host = ''): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')

/** Under a name that is none of ours: a load balancer that asks by address is told the health. */
function strangerOf(host: Host): Host {
  const { '/healthz': healthz = {}, '/readyz': readyz = {} } = host.routes
  return {
    ...host,
    routes: { '/healthz': healthz, '/readyz': readyz },
    otherwise: () => {
      throw new HttpError(404, 'The Host header names no host of this service')
    },
  }
}

/**
 * Ends a server without resetting anybody. A request may be on its way over a connection that looks
 * idle, so idle connections are closed only after a moment in which every answer says farewell.
 */
async function end(server: Server, farewell: number, patience: number): Promise<void> {
  const ended = once(server, 'close')
  // The HTTP server's own close would destroy idle connections at once.
  NetServer.prototype.close.call(server)
  await new Promise(resolve => setTimeout(resolve, farewell))
  server.close()
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const last = setTimeout(() => server.closeAllConnections(), patience - farewell)
  await ended
  clearInterval(idle)
  clearTimeout(last)
}
