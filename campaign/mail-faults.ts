/**
 * A mail server that fails in one of twelve ways, until it is well again. Connections that hang by then go on hanging:
 * the server knows nothing of them any more.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Cleanup } from './set-up.ts'

/** What each fault says or does instead of the usual reply. */
const faults = {
  'hangs after the message': { at: 'dot' },
  'dribbles after the message': { at: 'dot', dribble: '250-a line without an end' },
  'hangs at the start of TLS': { at: 'STARTTLS', reply: '220 2.0.0 ready' },
  'says garbage at MAIL': { at: 'MAIL', reply: 'what is this' },
  'says garbage after the message': { at: 'dot', reply: '\u0001\u0002 what is this' },
  'drops the connection after the message': { at: 'dot', ends: true },
  'refuses to relay': { at: 'RCPT', reply: '554 5.7.1 relay access denied' },
  'refuses the message': { at: 'dot', reply: '554 5.7.1 message refused' },
  'does not know the recipient': { at: 'RCPT', reply: '550 5.1.1 no such user' },
  'does not know the password': { at: 'AUTH', reply: '535 5.7.8 authentication failed' },
  'defers the recipient': { at: 'RCPT', reply: '451 4.7.1 try again later' },
  'is busy': { at: 'connection', reply: '421 4.3.2 too busy', ends: true },
} satisfies Record<string, Fault>

type Fault = { at: string; reply?: string; dribble?: string; ends?: boolean }

export type FaultName = keyof typeof faults

export const faultNames = Object.keys(faults) as FaultName[]

const USUAL: Record<string, string> = {
  connection: '220 mail.campaign.example ESMTP',
  AUTH: '235 2.7.0 accepted',
  MAIL: '250 2.1.0 ok',
  RCPT: '250 2.1.5 ok',
  DATA: '354 go on',
  dot: '250 2.0.0 taken',
  RSET: '250 2.0.0 ok',
  NOOP: '250 2.0.0 ok',
  QUIT: '221 2.0.0 bye',
}

export class FaultyMailServer {
  url = ''
  /** The messages that it has taken. */
  readonly taken: string[] = []
  /** How often it has failed. */
  failed = 0
  /** How many commands for a further message came on a connection after garbage. */
  afterGarbage = 0
  readonly #fault: Fault
  #well = false

  constructor(name: FaultName) {
    this.#fault = faults[name]
  }

  /** Starts it on a free port. It ends after the campaign. */
  async open(t: Cleanup): Promise<void> {
    const sockets = new Set<Socket>()
    const server = createServer(socket => {
      sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}))
      this.#serve(socket)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    const who = this.#fault.at === 'AUTH' ? 'someone:secret@' : ''
    this.url = `smtp://${who}127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  recover(): void {
    this.#well = true
  }

  #serve(socket: Socket) {
    let data: string | undefined
    let buffered = ''
    let silent = false
    let garbled = false
    const say = (at: string, usual = USUAL[at] ?? '250 2.0.0 ok') => {
      if (this.#well || at !== this.#fault.at) return void socket.write(`${usual}\r\n`)
      this.failed++
      const { reply, dribble, ends } = this.#fault
      if (reply !== undefined) socket.write(`${reply}\r\n`)
      garbled ||= reply !== undefined && !/^\d/.test(reply)
      if (ends) return void socket.end()
      silent = reply === undefined || at === 'STARTTLS'
      if (dribble !== undefined) drip(socket, dribble)
    }
    say('connection')
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      if (silent) return
      buffered += chunk
      for (let end = buffered.indexOf('\r\n'); end >= 0 && !silent; end = buffered.indexOf('\r\n')) {
        const line = buffered.slice(0, end)
        buffered = buffered.slice(end + 2)
        if (garbled && line !== 'RSET' && line !== 'QUIT') this.afterGarbage++
        if (data !== undefined && line !== '.') data += `${line}\n`
        else if (data !== undefined) {
          if (this.#well || this.#fault.at !== 'dot') this.taken.push(data)
          data = undefined
          say('dot')
        } else {
          const command = line.split(/[ :]/, 1)[0]?.toUpperCase() ?? ''
          if (command === 'DATA') data = ''
          say(command, command === 'EHLO' ? this.#greeting() : undefined)
        }
      }
    })
  }

  #greeting(): string {
    const { at } = this.#fault
    const extension = at === 'AUTH' ? 'AUTH PLAIN LOGIN' : at === 'STARTTLS' && !this.#well ? 'STARTTLS' : '8BITMIME'
    return `250-mail.campaign.example\r\n250 ${extension}`
  }
}

/** One letter a second, over and over. */
function drip(socket: Socket, text: string) {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), 1000)
  socket.on('close', () => clearInterval(timer))
}
