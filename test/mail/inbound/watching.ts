/** A watched mailbox for tests, and what they do to it. */
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createLog } from '../../../src/log.ts'
import {
  type FetchedMessage,
  type MailboxPosition,
  type WatchOptions,
  watchMailbox,
} from '../../../src/mail/inbound/mailbox.ts'
import { startTcp } from '../../support/smtp.ts'

export const aMail = (subject: string) =>
  `From: ana@mail.example\r\nSubject: ${subject}\r\n\r\nHello\r\n`

const subjectOf = ({ source }: FetchedMessage) =>
  /^Subject: (.*)\r$/m.exec(String(Buffer.from(source)))?.[1]

export async function until(condition: () => boolean, patience = 20_000): Promise<void> {
  for (const end = Date.now() + patience; !condition(); await wait(5)) {
    if (Date.now() > end) throw new Error('It has not come about in time.')
  }
}

/** The same address by way of sockets in our hands. */
export async function by(t: TestContext, address: string) {
  const sockets: Socket[] = []
  const url = new URL(address)
  const { port } = url
  const between = await startTcp(t, socket => {
    sockets.push(socket)
    const server = connect(Number(port), '127.0.0.1')
    server.on('error', () => {})
    socket.pipe(server).pipe(socket)
  })
  url.port = new URL(between.url).port
  return { url: url.href, sockets }
}

type Options = Partial<WatchOptions> & {
  /** Which messages cannot be handled. */
  fails?: (subject: string | undefined) => boolean
}

/** A watch with its own memory, in which a message is done with once it is in `handled`. */
export function watch(
  t: TestContext,
  url: string,
  { fails = () => false, ...options }: Options = {},
) {
  const tried: (string | undefined)[] = []
  const handled: FetchedMessage[] = []
  const lines: string[] = []
  const memory: { place: MailboxPosition | undefined; begun: number } = {
    place: undefined,
    begun: 0,
  }
  const mailbox = watchMailbox(url, {
    position: async () => memory.place,
    async handle(message) {
      tried.push(subjectOf(message))
      if (fails(subjectOf(message))) throw new Error('the disk is full')
      handled.push(message)
      memory.place = { uidValidity: message.uidValidity, lastUid: message.uid }
    },
    async begin(place) {
      memory.place = place
      memory.begun++
    },
    log: createLog('info', { write: line => void lines.push(line) }),
    reconnectAfter: 20,
    ...options,
  })
  t.after(() => mailbox.stop())
  const logged = (text: string) => lines.filter(line => line.includes(text)).length
  return {
    start: () => mailbox.start(),
    stop: () => mailbox.stop(),
    tried,
    handled,
    subjects: () => handled.map(subjectOf),
    memory,
    lines,
    logged,
    watched: (times = 1) => until(() => logged('the mailbox is watched') >= times),
  }
}
