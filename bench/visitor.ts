/** Visitors, as they come through a proxy: each request takes an idle connection or opens another. */
import { connect, type Socket } from 'node:net'
import { type Operation, RequestTemplate } from './requests.ts'

/** What became of a request, how long it took, and when that was known, in milliseconds. */
export type Visit = { outcome: 'accepted' | 'rejected' | 'lost'; ms: number; at: number }

/** A visitor leaves after this long, in milliseconds. */
const TIMEOUT = 10_000

const HEALTH = Buffer.from('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')

export class Visitors {
  readonly #port: number
  readonly #template: RequestTemplate
  readonly #idle = new Set<Socket>()

  constructor(operation: Operation, port: number) {
    this.#port = port
    this.#template = new RequestTemplate(operation, port)
  }

  /** Submits once. */
  submit(): Promise<Visit> {
    const [idle] = this.#idle
    if (idle === undefined) return this.#exchange(this.#connect())
    this.#idle.delete(idle)
    return this.#exchange(idle)
  }

  /** Lets the idle connections go. */
  leave(): void {
    for (const socket of this.#idle) socket.destroy()
    this.#idle.clear()
  }

  #connect(): Socket {
    const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true })
    socket.on('error', () => {})
    socket.on('close', () => this.#idle.delete(socket))
    return socket
  }

  async #exchange(socket: Socket): Promise<Visit> {
    const { head, ms } = await exchange(socket, Buffer.from(this.#template.next()))
    const status = Number(head.slice(9, 12))
    if (status === 0 || /connection: close/i.test(head)) socket.destroy()
    else this.#idle.add(socket)
    const outcome = status === 200 ? 'accepted' : status === 0 ? 'lost' : 'rejected'
    return { outcome, ms, at: performance.now() }
  }
}

/**
 * How long it takes until the kernel has opened a connection, and from then on until /healthz has answered on it, in
 * milliseconds.
 */
export async function askHealth(port: number): Promise<{ connect: number; answer: number }> {
  const begun = performance.now()
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => {})
  let connected = begun
  socket.once('connect', () => {
    connected = performance.now()
  })
  await exchange(socket, HEALTH)
  socket.destroy()
  return { connect: connected - begun, answer: performance.now() - connected }
}

/** Sends a request, and returns the beginning of the response: nothing if none came in time. */
function exchange(socket: Socket, request: Buffer): Promise<{ head: string; ms: number }> {
  const begun = performance.now()
  return new Promise(resolve => {
    const end = (head: string) => {
      clearTimeout(timer)
      socket.off('data', onData).off('close', onClose)
      resolve({ head, ms: performance.now() - begun })
    }
    const onData = (data: Buffer) => end(data.toString('latin1'))
    const onClose = () => end('')
    const timer = setTimeout(onClose, TIMEOUT)
    socket.on('data', onData).on('close', onClose)
    socket.write(request)
  })
}
