/**
 * One keep-alive connection with one request in flight: raw bytes out, and only as much parsing as the
 * ledger needs. It must be cheap, since client, replicas and database share the machine.
 */
import { connect, type Socket } from 'node:net'

export type HttpResponse = {
  status: number
  /** Whether the response says that it repeats an earlier one. */
  replayed: boolean
  text: string
}

/** Why no response came. `silent`: the connection is open, but no data arrives. */
export type Loss = 'refused' | 'broken' | 'silent'

/** A request without any data for this long is given up, in milliseconds. The replica may still handle it. */
const TIMEOUT = 3000

export class Connection {
  readonly #socket: Socket
  #received = ''
  #inFlight: ((outcome: HttpResponse | Loss) => void) | undefined
  #loss: Loss = 'refused'

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true })
    this.#socket.setEncoding('latin1')
    this.#socket.setTimeout(TIMEOUT)
    this.#socket.on('connect', () => {
      this.#loss = 'broken'
    })
    this.#socket.on('timeout', () => {
      this.#loss = 'silent'
      this.#socket.destroy()
    })
    this.#socket.on('data', (text: string) => this.#take(text))
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => this.#conclude(this.#loss))
  }

  /** Whether the connection can send another request. */
  get usable(): boolean {
    return !this.#socket.destroyed && this.#socket.writable
  }

  request(bytes: Buffer): Promise<HttpResponse | Loss> {
    return new Promise(resolve => {
      if (this.#socket.destroyed) return resolve(this.#loss)
      this.#inFlight = resolve
      this.#socket.write(bytes)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(text: string) {
    this.#received += text
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#received.slice(0, end)
    const bodyEnd = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
    if (this.#received.length < bodyEnd) return
    const response = {
      status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)),
      replayed: /\r\nidempotent-replayed: true/i.test(head),
      text: this.#received.slice(end + 4, bodyEnd),
    }
    this.#received = ''
    if (/\r\nconnection: close/i.test(head)) this.close()
    this.#conclude(response)
  }

  #conclude(outcome: HttpResponse | Loss) {
    const conclude = this.#inFlight
    this.#inFlight = undefined
    conclude?.(outcome)
  }
}
