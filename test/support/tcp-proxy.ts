/**
 * A network that a test can break: a TCP port that forwards to another. As with TCP, data that cannot be
 * delivered waits until the network is back, unless the connection is abandoned.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'

export type Direction = 'to server' | 'to client'

const BOTH: Direction[] = ['to server', 'to client']

type Connection = { sockets: Socket[]; abandoned: boolean }

export class TcpProxy {
  /** How long each piece of data travels, in milliseconds. */
  delay = 0
  /** When a client sends this text, nothing passes over its connection from then on. */
  swallow: string | undefined
  /** Whether that has happened. */
  swallowed = false
  /** Once the server sends this text, nothing passes to clients anymore, as after `hold`. */
  holdAt: string | undefined
  readonly #target: { host: string; port: number }
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  readonly #held = new Set<Direction>()
  #change = Promise.withResolvers<void>()
  #port = 0

  private constructor(target: { host: string; port: number }) {
    this.#target = target
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
      void this.#accept(socket)
    })
  }

  /** Forwards to the host and port of a URL. It is closed after the test. */
  static async start(t: TestContext, to: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(to)
    const proxy = new TcpProxy({ host: hostname, port: Number(port) })
    await proxy.#listen()
    proxy.#port = (proxy.#server.address() as AddressInfo).port
    t.after(() => {
      proxy.#server.close()
      proxy.#cut()
    })
    return proxy
  }

  /** The same URL, but with the host and port of this proxy. */
  through(target: string): string {
    const url = new URL(target)
    url.hostname = '127.0.0.1'
    url.port = String(this.#port)
    return url.href
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#connections.size
  }

  /** Lets nothing pass in this direction, or in both, over old and new connections, without any error. */
  hold(...directions: Direction[]): void {
    for (const direction of directions.length > 0 ? directions : BOTH) this.#held.add(direction)
  }

  /** Lets everything pass again, the waiting data first. */
  pass(): void {
    this.#held.clear()
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  /** Makes the present connections silent forever, as a router does that has forgotten them. */
  abandon(): void {
    for (const connection of this.#connections) connection.abandoned = true
  }

  /** Resets the present connections on both sides. */
  #cut(): void {
    for (const { sockets } of this.#connections) {
      for (const socket of sockets) socket.resetAndDestroy()
    }
  }

  async #listen(): Promise<void> {
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening')
  }

  async #accept(client: Socket): Promise<void> {
    const connection: Connection = { sockets: [client], abandoned: false }
    this.#connections.add(connection)
    client.on('error', () => {})
    client.on('close', () => this.#connections.delete(connection))
    await this.#open(connection, 'to server')
    if (client.destroyed) return
    const server = connect({ ...this.#target, noDelay: true, allowHalfOpen: true })
    connection.sockets.push(server)
    this.#pump(connection, 'to server', client, server)
    this.#pump(connection, 'to client', server, client)
  }

  #pump(connection: Connection, direction: Direction, from: Socket, to: Socket): void {
    from.on('data', async (chunk: Buffer) => {
      from.pause()
      if (this.#isSwallowed(direction, chunk)) {
        connection.abandoned = true
        this.swallowed = true
      }
      if (direction === 'to client' && this.holdAt !== undefined && chunk.includes(this.holdAt)) {
        this.holdAt = undefined
        this.hold('to client')
      }
      await this.#open(connection, direction)
      if (this.delay > 0) await wait(this.delay)
      to.write(chunk)
      from.resume()
    })
    from.on('end', async () => {
      await this.#open(connection, direction)
      to.end()
    })
    from.on('error', async () => {
      await this.#open(connection, direction)
      to.resetAndDestroy()
    })
  }

  #isSwallowed(direction: Direction, chunk: Buffer): boolean {
    return direction === 'to server' && this.swallow !== undefined && chunk.includes(this.swallow)
  }

  /** Resolves once data may pass; never for an abandoned connection. */
  async #open(connection: Connection, direction: Direction): Promise<void> {
    while (connection.abandoned || this.#held.has(direction)) await this.#change.promise
  }
}
