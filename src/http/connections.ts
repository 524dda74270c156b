/**
 * Keeps room on a server for every client: limits how many connections one client may have and how
 * many responses a connection may owe, and closes idle connections before the server is full.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type ConnectionLimits = {
  /** The most connections on one port, of all clients together. Beyond that, the server accepts no new ones. */
  total: number
  /** The most connections of one client: enough for a school behind one address, and a small part of the total. */
  perClient: number
  /**
   * Requests of one connection that wait for a response. Node.js parses all requests that a client has sent in one go,
   * and each costs memory even if the client never reads.
   */
  unanswered: number
}

export const connectionLimits: ConnectionLimits = { total: 5000, perClient: 250, unanswered: 16 }

/** Once this share of the total is reached, connections that have been idle the longest are closed. */
const CROWDED = 0.9

export type Connections = {
  /**
   * Counts a request until its response is sent. Returns false if it must not be carried out, because its connection
   * owed too many responses and was closed.
   */
  admit(request: IncomingMessage, response: ServerResponse): boolean
  /** The response to the latest request of a connection; undefined if it has not sent one. */
  latest(socket: Socket): ServerResponse | undefined
}

type Connection = { client: string | undefined; unanswered: number; latest?: ServerResponse }

/**
 * Applies the limits to a server. `clientOf` names the client behind an IP address; a client without a name, such as a
 * proxy that carries many clients, may have any number of connections.
 */
export function limitConnections(
  server: Server,
  clientOf: (address: string) => string | undefined,
  limits = connectionLimits,
): Connections {
  const connections = new Map<Socket, Connection>()
  const perClient = new Map<string, number>()
  /** The connections without a request under way; those that have been idle the longest come first. */
  const idle = new Set<Socket>()

  server.maxConnections = limits.total
  server.on('connection', (socket: Socket) => {
    const client = clientOf(socket.remoteAddress ?? '')
    const count = client === undefined ? 0 : (perClient.get(client) ?? 0) + 1
    if (count > limits.perClient) {
      socket.destroy()
      return
    }
    if (client !== undefined) perClient.set(client, count)
    connections.set(socket, { client, unanswered: 0 })
    socket.once('close', () => forget(socket))
    if (connections.size > limits.total * CROWDED) makeRoom()
    idle.add(socket)
  })

  function forget(socket: Socket): void {
    const client = connections.get(socket)?.client
    connections.delete(socket)
    idle.delete(socket)
    if (client === undefined) return
    const left = (perClient.get(client) ?? 1) - 1
    if (left > 0) perClient.set(client, left)
    else perClient.delete(client)
  }

  function makeRoom(): void {
    const [longest] = idle
    if (longest === undefined) return
    idle.delete(longest)
    longest.destroySoon()
  }

  return {
    admit({ socket }, response) {
      const connection = connections.get(socket)
      if (connection === undefined || socket.destroyed) return false
      if (connection.unanswered === limits.unanswered) {
        socket.destroy()
        return false
      }
      connection.unanswered++
      connection.latest = response
      idle.delete(socket)
      response.once('finish', () => {
        connection.unanswered--
        if (connection.unanswered === 0 && !socket.destroyed) idle.add(socket)
      })
      return true
    },
    latest: socket => connections.get(socket)?.latest,
  }
}
