/** HTTP by hand over one socket: for what a well-behaved client cannot send, or would hide. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type RawAnswer = {
  status: number
  headers: Record<string, string>
  text: string
  /** The text as JSON where the answer says that it is. */
  body: unknown
}

export class RawClient {
  readonly socket: Socket
  /** How the connection ended: in order, or with an error. */
  readonly ended: Promise<'closed' | 'reset'>
  #received = Buffer.alloc(0)
  #more = Promise.withResolvers<void>()
  #open = true

  private constructor(socket: Socket) {
    this.socket = socket
    const ended = Promise.withResolvers<'closed' | 'reset'>()
    this.ended = ended.promise
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake()
    })
    socket.on('error', () => ended.resolve('reset'))
    socket.on('close', () => {
      this.#open = false
      ended.resolve('closed')
      this.#wake()
    })
  }

  static async connect(origin: string): Promise<RawClient> {
    const { hostname, port } = new URL(origin)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    return new RawClient(socket)
  }

  write(text: string): this {
    this.socket.write(text)
    return this
  }

  /** The next answer; `head` where it answers HEAD. Throws when the connection ends before it. */
  async answer({ head = false } = {}): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#take(head)
      if (answer !== undefined) return answer
      if (!this.#open) throw new Error(`ended after ${this.#received.length} bytes of an answer`)
      await this.#more.promise
    }
  }

  #take(head: boolean): RawAnswer | undefined {
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const [first = '', ...lines] = this.#received.toString('latin1', 0, end).split('\r\n')
    const headers = Object.fromEntries(lines.map(headerOf))
    const bodyEnd = end + 4 + (head ? 0 : Number(headers['content-length'] ?? 0))
    if (this.#received.length < bodyEnd) return undefined
    const text = this.#received.toString('utf8', end + 4, bodyEnd)
    this.#received = this.#received.subarray(bodyEnd)
    const json = headers['content-type']?.startsWith('application/json') && text !== ''
    const status = Number(first.split(' ')[1])
    return { status, headers, text, body: json ? JSON.parse(text) : undefined }
  }

  #wake() {
    this.#more.resolve()
    this.#more = Promise.withResolvers()
  }
}

function headerOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

/** Sends these bytes over a connection of their own and returns the answer. */
export async function exchange(origin: string, text: string, options?: { head: boolean }) {
  const client = await RawClient.connect(origin)
  try {
    return await client.write(text).answer(options)
  } finally {
    client.socket.destroy()
  }
}

/** A POST of JSON as its bytes. */
export function post(path: string, body: unknown, headers: Record<string, string> = {}): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const all = {
    Host: 'localhost',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${path} HTTP/1.1`, ...lines, '', text].join('\r\n')
}
