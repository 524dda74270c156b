/**
 * One keep-alive connection with one request in flight: raw bytes out, just enough parsing in.
 * Node's own HTTP client costs more than the server that is measured.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Operation, RequestTemplate } from './requests.ts'

export type Answer = { success: boolean; status: number; body: string }

/** Who is told what becomes of a connection's requests. */
export type Owner = {
  onAnswer: (connection: Connection, answer: Answer) => void
  /** The connection is of no more use; an answer that was due will not come. */
  onLost: (connection: Connection, reason: string) => void
}

export class Connection {
  /** When the request in flight was due to be sent, in the client's time; undefined when idle. */
  due: number | undefined
  #socket: Socket
  #template: RequestTemplate

  /** Resolves once the connection stands; rejects where it cannot be made. */
  static async open(operation: Operation, port: number, owner: Owner): Promise<Connection> {
    const connection = new Connection(operation, port, owner)
    await once(connection.#socket, 'connect')
    return connection
  }

  private constructor(operation: Operation, port: number, owner: Owner) {
    const lost = (reason: string) => owner.onLost(this, reason)
    const parse = answerParser(answer => owner.onAnswer(this, answer), lost)
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

  /** The template's bytes are free again once the answer is here, so each connection has its own. */
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

/** Cuts bytes, however they arrive, into answers. Every answer must name its content length. */
function answerParser(onAnswer: (answer: Answer) => void, onMalformed: (reason: string) => void) {
  let rest = NOTHING
  return (chunk: Buffer) => {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const headEnd = bytes.indexOf(HEAD_END)
      if (headEnd === -1) break
      const head = bytes.toString('latin1', 0, headEnd)
      const length = contentLength(head)
      if (length === undefined) return onMalformed(`no content length in: ${JSON.stringify(head)}`)
      const end = headEnd + HEAD_END.length + length
      if (end > bytes.length) break
      onAnswer(readAnswer(head, bytes.toString('latin1', headEnd + HEAD_END.length, end)))
      bytes = bytes.subarray(end)
    }
    // A copy: the next read overwrites the socket's buffer.
    rest = bytes.length === 0 ? NOTHING : Buffer.from(bytes)
  }
}

function contentLength(head: string): number | undefined {
  const value = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  return value === undefined ? undefined : Number(value)
}

function readAnswer(head: string, body: string): Answer {
  const status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
  return { success: status === 200 && /^\{\s*"success":\s*true\s*\}$/.test(body), status, body }
}
