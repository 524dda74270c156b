/** A real SMTP server for tests, which answers, stalls and drops as it is told. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

/** An SMTP reply such as `550 no such user`, silence for ever, or a hang-up without a word. */
export type Answer = 'ok' | 'stall' | 'drop' | `${number} ${string}`

export type Received = { from: string; to: string[]; raw: string; secure: boolean; user?: string }

export type SmtpOptions = {
  /** How the commands are answered; may be changed between messages. */
  answers?: { mail?: Answer; rcpt?: Answer; data?: Answer }
  /** Who may send; without it nobody needs to log in. */
  account?: { user: string; pass: string }
  /** Offer STARTTLS, with a certificate that nobody vouches for. Default: no. */
  starttls?: boolean
}

export type Smtp = {
  host: string
  port: number
  url: string
  answers: NonNullable<SmtpOptions['answers']>
  /** Every message that came in whole, also those that were then refused or left unanswered. */
  messages: Received[]
  /** Sockets that are open at present (unencrypted ones), and how many there have been. */
  connections: { open: number; total: number }
}

/** Starts the server on a free port of 127.0.0.1 and stops it after the test. */
export async function startSmtp(t: TestContext, options: SmtpOptions = {}): Promise<Smtp> {
  const { account, starttls = false } = options
  const answers = { ...options.answers }
  const messages: Received[] = []
  const server = new SMTPServer({
    disableReverseLookup: true,
    authOptional: account === undefined,
    allowInsecureAuth: true,
    disabledCommands: [...(account ? [] : ['AUTH']), ...(starttls ? [] : ['STARTTLS'])],
    onAuth({ username, password }, _session, done) {
      const known = username === account?.user && password === account?.pass
      if (known) done(null, { user: username })
      else done(failure('535 5.7.8 Authentication credentials invalid'))
    },
    onMailFrom: (_address, session, done) => give(answers.mail, session, done),
    onRcptTo: (_address, session, done) => give(answers.rcpt, session, done),
    async onData(stream, session, done) {
      // A client that gives up in the middle leaves nothing behind.
      const chunks = await stream.toArray().catch(() => undefined)
      if (chunks === undefined) return
      messages.push(asReceived(Buffer.concat(chunks).toString('utf8'), session))
      give(answers.data, session, done)
    },
  })
  // Clients that give up in the middle are what some tests are about.
  server.on('error', () => {})

  const sockets = countSockets(server.server as Server)
  const give = (answer: Answer = 'ok', session: SMTPServerSession, done: (e?: Error) => void) => {
    if (answer === 'ok') done()
    else if (answer === 'drop') sockets.byPort.get(session.remotePort)?.destroy()
    else if (answer !== 'stall') done(failure(answer))
  }

  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.after(() => stop(server.server as Server, sockets.byPort))
  const { port } = server.server.address() as AddressInfo
  const { connections } = sockets
  return {
    host: '127.0.0.1',
    port,
    url: `smtp://127.0.0.1:${port}`,
    answers,
    messages,
    connections,
  }
}

/** Starts a server that is no SMTP server: `talk` does what it likes with each socket. */
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

function failure(answer: string): Error {
  const [code, ...words] = answer.split(' ')
  return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) })
}

function asReceived(raw: string, session: SMTPServerSession): Received {
  const { mailFrom, rcptTo } = session.envelope
  return {
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map(({ address }) => address),
    raw,
    secure: session.secure,
    user: session.user,
  }
}
