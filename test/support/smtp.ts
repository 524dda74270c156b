/** A real SMTP server for tests, which replies, stalls or hangs up as a test wants it to. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

/** An SMTP reply such as `550 no such user`, no reply at all ('stall'), or a hang-up ('drop'). */
export type Reply = 'ok' | 'stall' | 'drop' | `${number} ${string}`

export type ReceivedMessage = { from: string; to: string[]; raw: string; secure: boolean; user?: string }

export type SmtpOptions = {
  /** The reply to each command. A test may change them between messages. */
  replies?: { mail?: Reply; rcpt?: Reply; data?: Reply }
  /** The account that may send. Without it, no login is needed. */
  account?: { user: string; pass: string }
  /** Whether to offer STARTTLS, with a certificate that no authority has signed. Default: false. */
  starttls?: boolean
}

export type Smtp = {
  host: string
  port: number
  url: string
  replies: NonNullable<SmtpOptions['replies']>
  /** The reply to RCPT TO for one address, where it differs from `replies.rcpt`. */
  rejectRecipient: (address: string) => string | undefined
  /** Every message that arrived completely, including those that got an error or no reply. */
  messages: ReceivedMessage[]
  /** How many commands got no reply. */
  stalled: number
  /** Unencrypted sockets: how many are open, and how many there have been. */
  connections: { open: number; total: number }
}

/** Starts the server on a free port of 127.0.0.1 and stops it after the test. */
export async function startSmtp(t: TestContext, options: SmtpOptions = {}): Promise<Smtp> {
  const { account, starttls = false } = options
  const replies = { ...options.replies }
  const messages: ReceivedMessage[] = []
  const server = new SMTPServer({
    disableReverseLookup: true,
    // It would warn that its certificate is public.
    logger: false,
    authOptional: account === undefined,
    allowInsecureAuth: true,
    disabledCommands: [...(account ? [] : ['AUTH']), ...(starttls ? [] : ['STARTTLS'])],
    onAuth({ username, password }, _session, done) {
      const known = username === account?.user && password === account?.pass
      if (known) done(null, { user: username })
      else done(failure('535 5.7.8 Authentication credentials invalid'))
    },
    onMailFrom: (_address, session, done) => send(replies.mail, session, done),
    onRcptTo: ({ address }, session, done) =>
      send((smtp.rejectRecipient(address) as Reply | undefined) ?? replies.rcpt, session, done),
    async onData(stream, session, done) {
      // A client that gives up in the middle of a message leaves nothing behind.
      const chunks = await stream.toArray().catch(() => undefined)
      if (chunks === undefined) return
      messages.push(receivedMessage(Buffer.concat(chunks).toString('utf8'), session))
      send(replies.data, session, done)
    },
  })
  // Some tests are about clients that send up in the middle.
  server.on('error', () => {})

  const sockets = countSockets(server.server as Server)
  const send = (reply: Reply = 'ok', session: SMTPServerSession, done: (e?: Error) => void) => {
    if (reply === 'ok') done()
    else if (reply === 'drop') sockets.byPort.get(session.remotePort)?.destroy()
    else if (reply === 'stall') smtp.stalled++
    else done(failure(reply))
  }

  const smtp: Smtp = {
    host: '127.0.0.1',
    port: 0,
    url: '',
    replies,
    rejectRecipient: () => undefined,
    messages,
    stalled: 0,
    connections: sockets.connections,
  }
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.after(() => stop(server.server as Server, sockets.byPort))
  const { port } = server.server.address() as AddressInfo
  return Object.assign(smtp, { port, url: `smtp://127.0.0.1:${port}` })
}

/** Starts a server that does not speak SMTP: `talk` may do anything with each socket. */
export async function startTcp(t: TestContext, talk: (socket: Socket) => void) {
  const server = createServer(talk)
  const { byPort, connections } = countSockets(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => stop(server, byPort))
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, connections }
}

function countSockets(server: Server) {
  const byPort = new Map<number, Socket>()
  const connections = { open: 0, total: 0 }
  server.on('connection', socket => {
    const port = socket.remotePort as number
    byPort.set(port, socket)
    connections.open++
    connections.total++
    socket.on('error', () => {})
    socket.on('close', () => {
      byPort.delete(port)
      connections.open--
    })
  })
  return { byPort, connections }
}

async function stop(server: Server, sockets: Map<number, Socket>): Promise<void> {
  const closed = new Promise(resolve => server.close(resolve))
  for (const socket of sockets.values()) socket.destroy()
  await closed
}

function failure(reply: string): Error {
  const [code, ...words] = reply.split(' ')
  return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) })
}

function receivedMessage(raw: string, session: SMTPServerSession): ReceivedMessage {
  const { mailFrom, rcptTo } = session.envelope
  return {
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map(({ address }) => address),
    raw,
    secure: session.secure,
    user: session.user,
  }
}
