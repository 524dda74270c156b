/**
 * One keep-alive connection with one request under way: bytes out, and no more parsing in than the
 * ledger needs. Cheap, since client, replicas and database share the machine.
 */
import { connect, type Socket } from 'node:net'

export type Answer = {
  status: number
  /** Whether it says that it was answered before. */
  replayed: boolean
  text: string
}

/** Why no answer came. `silent`: the connection stands, but nobody talks. */
export type Loss = 'refused' | 'broken' | 'silent'

/** Without a byte for so long a request is given up, in milliseconds. It may be carried out yet. */
const PATIENCE = 3000

export class Connection {
  readonly #socket: Socket
  #received = ''
  #underWay: ((outcome: Answer | Loss) => void) | undefined
  #loss: Loss = 'refused'

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true })
    this.#socket.setEncoding('latin1')
    this.#socket.setTimeout(PATIENCE)
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

  /** Whether another request may be sent over it. */
  get usable(): boolean {
    return !this.#socket.destroyed && this.#socket.writable
  }

  ask(bytes: Buffer): Promise<Answer | Loss> {
    return new Promise(resolve => {
      if (this.#socket.destroyed) return resolve(this.#loss)
      this.#underWay = resolve
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
    const answer = {
      status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)),
      replayed: /\r\nidempotent-replayed: true/i.test(head),
      text: this.#received.slice(end + 4, bodyEnd),
    }
    this.#received = ''
    if (/\r\nconnection: close/i.test(head)) this.close()
    this.#conclude(answer)
  }

  #conclude(outcome: Answer | Loss) {
    const conclude = this.#underWay
    this.#underWay = undefined
    conclude?.(outcome)
  }
}
