/**
 * One keep-alive connection with one request in flight: raw bytes out, just enough parsing in.
 * Node's own HTTP client costs more than the server that is measured.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Operation, RequestTemplate } from './requests.ts'

export type Response = { success: boolean; status: number; body: string }

/** Gets the results of a connection's requests. */
export type Listener = {
  onResponse: (connection: Connection, response: Response) => void
  /** The connection is lost, and a response that was due will not come. */
  onLost: (connection: Connection, reason: string) => void
}

export class Connection {
  /** When the request in flight was due to be sent, in the client's time. Undefined when idle. */
  due: number | undefined
  #socket: Socket
  #template: RequestTemplate

  /** Resolves once the connection is open. Rejects if it cannot be opened. */
  static async open(operation: Operation, port: number, listener: Listener): Promise<Connection> {
    const connection = new Connection(operation, port, listener)
    await once(connection.#socket, 'connect')
    return connection
  }

  private constructor(operation: Operation, port: number, listener: Listener) {
    const lost = (reason: string) => listener.onLost(this, reason)
    const parse = responseParser(response => listener.onResponse(this, response), lost)
    const callback = (length: number, buffer: Uint8Array) => {
      parse(Buffer.from(buffer.buffer, buffer.byteOffset, length))
      return true
    }
    const onread = { buffer: Buffer.allocUnsafeSlow(16 * 1024), callback }
    this.#template = new RequestTemplate(operation, port)
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread })
    this.#socket.on('error', error => lost(error.message))
    this.#socket.on('end', () => lost('the server closed the connection'))
  }

  /** Each connection has its own template, whose bytes are in use until the response arrives. */
  send(due: number): void {
    this.due = due
    this.#socket.write(this.#template.next())
  }

  close(): void {
    this.#socket.destroy()
  }
}

const HEAD_END = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)

/** Cuts bytes, however they arrive, into responses. Every response must name its content length. */
function responseParser(onResponse: (response: Response) => void, onMalformed: (reason: string) => void) {
  let unparsed = NOTHING
  return (chunk: Buffer) => {
    let bytes = unparsed.length === 0 ? chunk : Buffer.concat([unparsed, chunk])
    for (;;) {
      const headEnd = bytes.indexOf(HEAD_END)
      if (headEnd === -1) break
      const head = bytes.toString('latin1', 0, headEnd)
      const length = contentLength(head)
      if (length === undefined) return onMalformed(`no content length in: ${JSON.stringify(head)}`)
      const end = headEnd + HEAD_END.length + length
      if (end > bytes.length) break
      onResponse(readResponse(head, bytes.toString('latin1', headEnd + HEAD_END.length, end)))
      bytes = bytes.subarray(end)
    }
    // A copy: the next read overwrites the socket's buffer.
    unparsed = bytes.length === 0 ? NOTHING : Buffer.from(bytes)
  }
}

function contentLength(head: string): number | undefined {
  const value = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  return value === undefined ? undefined : Number(value)
}

function readResponse(head: string, body: string): Response {
  const status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
  return { success: status === 200 && /^\{\s*"success":\s*true\s*\}$/.test(body), status, body }
}
