/**
 * The mail server of a campaign. It accepts everything, and records for each message what it was about
 * and how often it came. A message does not count if its sender died in the middle of it.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { readMark } from './plan.ts'
import type { Cleanup } from './set-up.ts'

/** One message by its Message-ID, and how often it came. Its kind is that of its task, from the Message-ID. */
export type MailboxMessage = { times: number; to: string; kind: string; about: { n: number; body: number } | undefined }

export class Mailbox {
  readonly url: string
  readonly byId = new Map<string, MailboxMessage>()
  /** The number of different notifications. */
  notified = 0
  /** How many deliveries repeated an earlier one. */
  repeated = 0
  /** Messages that came again with a different recipient or subject matter. */
  readonly violations: string[] = []

  /** Starts the server on a free port. It is stopped after the campaign. */
  static async open(t: Cleanup): Promise<Mailbox> {
    const server = new SMTPServer({
      disableReverseLookup: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData(stream, { envelope: { rcptTo } }, done) {
        stream.toArray().then(
          chunks => {
            const to = rcptTo.map(({ address }) => address).join(',')
            mailbox.#take(Buffer.concat(chunks).toString('latin1'), to)
            done()
          },
          () => {},
        )
      },
    })
    server.on('error', () => {})
    server.listen(0, '127.0.0.1')
    await once(server.server, 'listening')
    t.after(() => new Promise<void>(resolve => server.close(resolve)))
    const mailbox = new Mailbox(`smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
    return mailbox
  }

  private constructor(url: string) {
    this.url = url
  }

  #take(raw: string, to: string) {
    const id = /^message-id: *<([^>]+)>/im.exec(raw)?.[1] ?? 'none'
    // Quoted-printable (RFC 2045 section 6.7) may have broken the mark.
    const about = readMark(raw.replaceAll('=\r\n', ''))
    const known = this.byId.get(id)
    if (known === undefined) {
      const [kind = 'none'] = id.split('.')
      this.byId.set(id, { times: 1, to, kind, about })
      if (kind === 'notify') this.notified++
      return
    }
    known.times++
    this.repeated++
    if (known.to !== to || known.about?.n !== about?.n || known.about?.body !== about?.body)
      this.violations.push(`message ${id} went to ${known.to} and, with different content, to ${to}`)
  }
}
