/**
 * The listeners: one for each port. Hosts that share a port are told apart by the Host header.
 * Limits on connections and times are here, so that slow or many clients cost others nothing.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { rawError } from './errors.ts'

const SECOND = 1000

/** How long a client may take, in milliseconds. A slow client is cut off within 15 seconds. */
const times = {
  headersTimeout: 5 * SECOND,
  requestTimeout: 10 * SECOND,
  connectionsCheckingInterval: 1 * SECOND,
  // Longer than the 60 seconds for which usual proxies keep an idle connection.
  keepAliveTimeout: 65 * SECOND,
}
/** Without a byte either way for so long while an answer is under way, a connection is closed. */
const IDLE = 15 * SECOND
const MOST_CONNECTIONS = 5000

/** While the service ends, connections in use get this long to hear of it, in milliseconds. */
const FAREWELL = 500

export type Host = { name: string; url: string; port: number; app: FastifyInstance }

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
  hosts: Host[],
  address: string,
  farewell = FAREWELL,
): Promise<Listeners> {
  await Promise.all(hosts.map(host => host.app.ready()))
  const byPort = Object.values(
    Object.groupBy(hosts, host => (host.port === 0 ? host.name : host.port)),
  )
  const opened: { server: Server; hosts: Host[] }[] = []
  let closing = false
  try {
    for (const sharing of byPort as Host[][]) {
      const server = serverFor(sharing, () => closing)
      server.listen(sharing[0]?.port, address)
      await once(server, 'listening')
      opened.push({ server, hosts: sharing })
    }
  } catch (error) {
    for (const { server } of opened) server.close()
    throw error
  }
  return {
    addresses: Object.fromEntries(
      opened.flatMap(({ server, hosts }) => {
        const { address, port } = server.address() as AddressInfo
        return hosts.map(host => [host.name, { address, port }])
      }),
    ),
    close: async patience => {
      closing = true
      await Promise.all(opened.map(({ server }) => end(server, farewell, patience)))
      await Promise.all(hosts.map(host => host.app.close()))
    },
  }
}

function serverFor(hosts: Host[], closing: () => boolean): Server {
  const route = (request: IncomingMessage, response: ServerResponse) => {
    if (closing()) response.setHeader('Connection', 'close')
    const host = hosts.length === 1 ? hosts[0] : hostOf(request, hosts)
    if (host !== undefined) host.app.routing(request, response)
    else refuse(request, response, hosts)
  }
  const server = createServer({ ...times, noDelay: true, keepAlive: true }, route)
  server.setTimeout(IDLE)
  server.maxConnections = MOST_CONNECTIONS
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.writable && error.code !== 'ECONNRESET') socket.end(rawError(error.code))
    else socket.destroy()
  })
  return server
}

/** The host that the request names, as RFC 9110 section 7.2 has it. */
function hostOf(request: IncomingMessage, hosts: Host[]): Host | undefined {
  const named = request.headers.host?.toLowerCase()
  return hosts.find(host => {
    const { host: withPort, hostname } = new URL(host.url)
    return named === withPort || named === hostname
  })
}

/** A name that is none of ours: a load balancer asking by address gets its answer, nobody else does. */
function refuse(request: IncomingMessage, response: ServerResponse, hosts: Host[]) {
  const path = request.url?.split('?')[0]
  if (path === '/healthz' || path === '/readyz') {
    const anyPublic = hosts.find(host => host.name !== 'console') ?? hosts[0]
    anyPublic?.app.routing(request, response)
    return
  }
  const body = JSON.stringify({ error: 'The Host header names no host of this service' })
  response.writeHead(404, {
    'Content-Type': 'application/json; charset=utf-8',
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'no-store',
  })
  response.end(body)
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
