/** Mail through an SMTP server, over a few connections that stay open. */
import type { DKIMOptions } from 'nodemailer'
import { lazy } from '../../platform/lazy.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { TimeoutError, within } from '../../platform/within.ts'
import type { MailServer } from './connection-sentences.ts'
import { forNodemailer, type Mailer, type Message } from './message.ts'
import { createPlaces, MOST_CONNECTIONS } from './sends-at-once.ts'
import { classifySendError, isNoReply, MailDeferred } from './smtp-errors.ts'

/**
 * A mailer for `smtp://` or `smtps://`, with the user and password from the URL, if it has
 * them. The query may set options of nodemailer (`?tls.rejectUnauthorized=false`); they override ours.
 * `deadline` is how long a whole send may take, in milliseconds, without its attachments and the wait for its turn.
 * Connects only when needed.
 *
 * A send rejects with MailRefused or MailDeferred.
 */
export function createSmtpMailer(
  smtpUrl: string,
  { dkim, deadline, hangsAfter }: { dkim?: DKIMOptions | undefined; deadline: number; hangsAfter?: number },
): Mailer {
  const url = new URL(smtpUrl)
  const server = serverOf(url)
  const connect = () =>
    lazy(async () => {
      const { createTransport } = await import('nodemailer')
      return createTransport({ ...connection(url, deadline), pool: true, dkim })
    })
  let transport = connect()
  const closing = new AbortController()
  const places = createPlaces(hangsAfter === undefined ? {} : { hangsAfter })

  return {
    destination: `${server.protocol}//${server.host}:${server.port}`,

    async send(message, { urgent = false } = {}) {
      const leave = await places.take(urgent ? 'urgent' : 'usual')
      const allowed = deadline + timeFor(message)
      const timeout = AbortSignal.timeout(allowed)
      const signal = AbortSignal.any([timeout, closing.signal])
      const used = transport
      try {
        // This timeout is the only deadline that a server cannot extend by sending its reply byte by byte. It closes
        // the connection, so that one that is stuck does not occupy the pool.
        await (await used()).sendMail({ ...(await forNodemailer(message)), signal })
      } catch (error) {
        // After garbage, the next bytes of the connection may be the rest of it, so new messages get a new transport.
        // Busy connections end after their current message.
        if (isNoReply(error) && transport === used) {
          transport = connect()
          ;(await used()).close()
        }
        throw timeout.aborted ? timedOut(allowed, server) : classifySendError(error, server)
      } finally {
        leave()
      }
    },

    async verify(from, recipients = []) {
      const { askServer } = await import('./smtp-conversation.ts')
      try {
        const options = connection(url, deadline)
        const refusals = await within(deadline, askServer(options, from, recipients))
        return refusals.map(({ address, error }) => {
          const failure = classifySendError(error, server)
          const temporary = failure instanceof MailDeferred && !failure.rejected
          return { address, reason: failure.message, temporary }
        })
      } catch (error) {
        throw error instanceof TimeoutError ? timedOut(deadline, server) : classifySendError(error, server)
      }
    },

    async close() {
      // Transports that were replaced earlier may still be busy.
      closing.abort()
      if (transport.made) (await transport()).close({ force: true })
    },
  }
}

/** Attachments may take longer, in milliseconds: 100 kB a second, for slow connections. */
const timeFor = ({ attachments = [] }: Message): number =>
  attachments.reduce((bytes, { size }) => bytes + size, 0) / 100

function connection(url: URL, deadline: number) {
  const local = isLoopback(url.hostname)
  const withPassword = url.username !== ''
  return {
    url: url.href,
    maxConnections: MOST_CONNECTIONS,
    // The server may have closed any of the idle connections in the meantime.
    maxRequeues: 3,
    idleTimeout: 30_000,
    connectionTimeout: 30_000,
    socketTimeout: deadline,
    socketCloseTimeout: 1000,
    // A password never crosses a network in the clear, and is never quietly left out.
    requireTLS: withPassword && !local,
    forceAuth: withPassword,
    // Without a password, encryption is opportunistic (RFC 7435): a certificate that no one can verify,
    // as on most local relays, is still better than none.
    tls: { rejectUnauthorized: (withPassword || url.protocol === 'smtps:') && !local },
  }
}

const timedOut = (deadline: number, { host, port }: MailServer) =>
  new MailDeferred(`ETIMEDOUT: not done within ${deadline / 1000} seconds`, {
    summary: `${host}:${port} does not respond.`,
  })

const serverOf = ({ protocol, hostname, port }: URL): MailServer => ({
  protocol,
  host: hostname,
  port: port || (protocol === 'smtps:' ? '465' : '587'),
})
