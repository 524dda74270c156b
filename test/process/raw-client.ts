/** HTTP by hand over one socket: for requests that a well-behaved client cannot send, or would hide. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type RawResponse = {
  status: number
  headers: Record<string, string>
  text: string
  /** The parsed text, if the response says that it is JSON. */
  body: unknown
}

export class RawClient {
  readonly socket: Socket
  /** How the connection ended: properly, or with an error. */
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

  /** The next response; `head` for the response to HEAD. Throws when the connection ends before it. */
  async response({ head = false } = {}): Promise<RawResponse> {
    for (;;) {
      const response = this.#take(head)
      if (response !== undefined) return response
      if (!this.#open) throw new Error(`ended after ${this.#received.length} bytes of a response`)
      await this.#more.promise
    }
  }

  #take(head: boolean): RawResponse | undefined {
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

/** Sends this text over a new connection and returns the response. */
export async function exchange(origin: string, text: string, options?: { head: boolean }) {
  const client = await RawClient.connect(origin)
  try {
    return await client.write(text).response(options)
  } finally {
    client.socket.destroy()
  }
}

/** The text of a POST request with a JSON body. */
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
