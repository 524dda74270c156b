/** A watched mailbox for tests. */

import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type FetchedMessage,
  type MailboxPosition,
  type WatchOptions,
  watchMailbox,
} from '../../../src/mail/inbound/mailbox.ts'
import { createLog } from '../../../src/platform/log.ts'
import { HANGS_AFTER } from '../../support/process.ts'
import { startTcp } from '../../support/smtp.ts'

const today = new Date().toUTCString()

export const aMail = (subject: string, date = today) =>
  `From: ana@mail.example\r\nDate: ${date}\r\nSubject: ${subject}\r\n\r\nHello\r\n`

const subjectOf = ({ source }: FetchedMessage) => /^Subject: (.*)\r$/m.exec(String(Buffer.from(source)))?.[1]

export async function until(condition: () => boolean, timeout = HANGS_AFTER): Promise<void> {
  for (const end = Date.now() + timeout; !condition(); await wait(5)) {
    if (Date.now() > end) throw new Error('The condition did not hold in time.')
  }
}

/** The same URL, through sockets that the test controls. */
export async function throughSockets(t: TestContext, target: string) {
  const sockets: Socket[] = []
  const url = new URL(target)
  const { port } = url
  const proxy = await startTcp(t, socket => {
    sockets.push(socket)
    const server = connect(Number(port), '127.0.0.1')
    server.on('error', () => {})
    socket.pipe(server).pipe(socket)
  })
  url.port = new URL(proxy.url).port
  return { url: url.href, sockets }
}

type Options = Partial<WatchOptions> & {
  /** Whether the message with this subject cannot be handled. */
  fails?: (subject: string | undefined) => boolean
}

/** A watch with its own memory. A message in `handled` has been dealt with. */
export function watch(t: TestContext, url: string, { fails = () => false, ...options }: Options = {}) {
  const tried: (string | undefined)[] = []
  const handled: FetchedMessage[] = []
  const lines: string[] = []
  const memory: { position: MailboxPosition | undefined; begun: number } = { position: undefined, begun: 0 }
  const mailbox = watchMailbox(url, {
    position: async () => memory.position,
    async handle(message) {
      tried.push(subjectOf(message))
      if (fails(subjectOf(message))) throw new Error('the disk is full')
      handled.push(message)
      const { uidValidity, uid: lastUid, arrivedAt: lastArrival = 0 } = message
      memory.position = { uidValidity, lastUid, lastArrival }
    },
    async begin(position) {
      memory.position = { lastArrival: 0, ...position }
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
