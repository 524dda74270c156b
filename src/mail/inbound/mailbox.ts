/**
 * Watches a mailbox: handles each new message once, in order, however often the connection breaks. It only reads the
 * mailbox, with EXAMINE and BODY.PEEK, so that people who work in it find every message unchanged and unread.
 */
import type { ImapFlow, ImapFlowOptions } from 'imapflow'
import type { Logger } from 'pino'
import { TimeoutError, within } from '../../platform/within.ts'
import { shutdown } from '../../shutdown.ts'
import type { AttachedPart } from './attached-parts.ts'
import { createClient, fetchMessage, fetchPart, isRefusal, uidsAfter, uidsArrivedAfter } from './imap.ts'
import { describeMailbox, explain, mailboxAt } from './mailbox-address.ts'

export { describeMailbox }

/** After this many attempts, a message no longer blocks the messages behind it. */
const MAX_ATTEMPTS = 5

/** The longest delay before reconnecting, in milliseconds. */
const LONGEST_DELAY = 300_000

/** How far a mailbox has been handled. A uid is meaningful only together with its UIDVALIDITY. */
export type MailboxPosition = {
  uidValidity: string
  lastUid: number
  /** When the last message that was handled arrived, by the server's clock. */
  lastArrival: number
}

type Place = Omit<MailboxPosition, 'lastArrival'>

export type FetchedMessage = {
  uidValidity: string
  uid: number
  /** When it arrived, by the server's clock; undefined if the server does not say. */
  arrivedAt: number | undefined
  /** The first megabyte of the message as it came (RFC 5322). */
  source: Uint8Array
  /** The files that came with it. */
  attachments: AttachedPart[]
  /** The content of one of them, piece by piece, up to the byte `most`. Throws if it cannot be fetched. */
  read(attachment: AttachedPart, most: number): AsyncIterable<Uint8Array>
  /** How often handling it has failed. */
  failures: number
}

export type MailboxWatch = {
  start(): void
  /** Stops handling messages. Resolves within two seconds, even if the server hangs. */
  stop(): Promise<void>
  /** Why the mailbox cannot be watched at the moment, without personal data; undefined if it is watched. */
  trouble(): string | undefined
}

export type WatchOptions = {
  /** How far the mailbox has been handled; undefined if it never was. */
  position(): Promise<MailboxPosition | undefined>
  /**
   * Handles one message and saves the position. Once it resolves, the message is finished for good. It is called in the
   * order of uids, one message at a time.
   *
   * If it rejects, we reconnect after a while and try the same message again. No message is tried while position()
   * rejects, so that attempts are not used up while the database is unavailable. From the fifth failure on, a message
   * no longer blocks the messages behind it: it gets one attempt each time we look, and is skipped for good once a
   * later message has been handled.
   */
  handle(message: FetchedMessage): Promise<void>
  /**
   * Called without `lastArrival` for a mailbox that was never watched: what is in it counts as old and is not handled.
   * Called with it for a mailbox whose uids have changed (UIDVALIDITY, RFC 9051 section 2.3.1.1): messages that arrived
   * after `lastArrival` are handled, some of them perhaps for the second time. From then on, position() must return
   * this position.
   */
  begin(position: Place & { lastArrival?: number }): Promise<void>
  log: Logger
  /** How often to look without a notification, in milliseconds. Default: a minute. */
  poll?: number
  /** How long the server may take to respond, in milliseconds. Default: a minute. */
  timeout?: number
  /** The delay before reconnecting, in milliseconds: doubles up to 5 minutes. Default: 1000. */
  reconnectAfter?: number
}

/**
 * Watches the mailbox at a URL that mailboxAt() can read. Connects when started. Never throws because
 * of the server: it logs each problem once until another one occurs, and tries again.
 */
export function watchMailbox(mailboxUrl: string, options: WatchOptions): MailboxWatch {
  return new Watch(mailboxUrl, options)
}

class Watch implements MailboxWatch {
  readonly #url: string
  readonly #options: Required<WatchOptions>
  /** How often the messages at the front of the queue have failed, by uid. */
  readonly #failures = new Map<number, number>()
  #client: ImapFlow | undefined
  #loop: Promise<void> | undefined
  #wake = Promise.withResolvers<void>()
  #stopping = false
  #delay: number
  /** The last problem; undefined if there is none. Empty at first, when we do not know yet. */
  #trouble: string | undefined = ''

  constructor(mailboxUrl: string, options: WatchOptions) {
    this.#url = mailboxUrl
    this.#options = { poll: 60_000, timeout: 60_000, reconnectAfter: 1_000, ...options }
    this.#delay = this.#options.reconnectAfter
  }

  start(): void {
    this.#loop ??= this.#repeat()
  }

  trouble(): string | undefined {
    return this.#trouble || undefined
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#wake.resolve()
    // Not LOGOUT, to which a server that hangs would not respond.
    this.#client?.close()
    // The loop never rejects; a message that is still being handled is abandoned.
    await within(shutdown.mailbox, Promise.resolve(this.#loop)).catch(() => {})
  }

  async #repeat(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#watchUntilFailure()
      } catch (error) {
        if (!this.#stopping) this.#reportProblem(error)
      }
      this.#client?.close()
      this.#client = undefined
      this.#wake = Promise.withResolvers()
      await this.#sleep(this.#delay)
      this.#delay = Math.min(2 * this.#delay, LONGEST_DELAY)
    }
  }

  /** Connects, then handles existing and new messages until something fails. */
  async #watchUntilFailure(): Promise<void> {
    const { folder, connection } = mailboxAt(this.#url)
    const client = await this.#connect(connection)
    const opened = await this.#response(client.mailboxOpen(folder, { readOnly: true }))
    const end = { uidValidity: String(opened.uidValidity), lastUid: opened.uidNext - 1 }
    while (!this.#stopping) {
      // Renewed before we look, so that we notice a message that arrives meanwhile.
      this.#wake = Promise.withResolvers()
      await this.#handleNew(client, await this.#startingPosition(client, end))
      this.#recovered()
      // The next command ends the idling.
      client.idle().catch(() => {})
      await this.#sleep(this.#options.poll)
      await this.#response(client.noop())
    }
  }

  async #connect(connection: ImapFlowOptions): Promise<ImapFlow> {
    const client = await createClient(connection)
    if (this.#stopping) return client
    this.#client = client
    const wake = () => {
      if (this.#client === client) this.#wake.resolve()
    }
    client.on('exists', wake)
    client.on('close', wake)
    await this.#response(client.connect())
    return client
  }

  /** Where to continue in a mailbox that now ends at `end`. */
  async #startingPosition(client: ImapFlow, end: Place): Promise<Place> {
    const { position, begin } = this.#options
    const known = await position()
    if (known?.uidValidity === end.uidValidity) return known
    const start = known ? await this.#placeAfterRenumbering(client, known.lastArrival, end) : end
    this.#failures.clear()
    await begin(start)
    return start
  }

  async #placeAfterRenumbering(client: ImapFlow, lastArrival: number, end: Place): Promise<MailboxPosition> {
    const about = { mailbox: describeMailbox(this.#url) }
    const missed = await this.#response(uidsArrivedAfter(lastArrival, client))
    this.#options.log.warn(
      { ...about, messages: missed.length },
      'the mail server renumbered the mailbox: we continue with what arrived since we last looked',
    )
    const [first] = missed
    return { ...end, lastArrival, lastUid: first === undefined ? end.lastUid : first - 1 }
  }

  /** Handles all messages after the position. */
  async #handleNew(client: ImapFlow, { uidValidity, lastUid }: Place): Promise<void> {
    for (const uid of await this.#response(uidsAfter(lastUid, client))) {
      const message = await this.#response(fetchMessage(uid, client))
      if (this.#stopping) return
      const { timeout } = this.#options
      const read: FetchedMessage['read'] = ({ part }, most) => fetchPart(client, { uid, part }, { most, timeout })
      const failures = this.#failures.get(uid) ?? 0
      // Undefined if someone has deleted it in the meantime.
      if (message) await this.#handle({ uidValidity, uid, ...message, read, failures })
    }
  }

  async #handle(message: FetchedMessage): Promise<void> {
    const { handle, log } = this.#options
    const { uid } = message
    try {
      await handle(message)
      // Earlier messages that failed are now before the position.
      this.#failures.clear()
    } catch (error) {
      const failures = (this.#failures.get(uid) ?? 0) + 1
      this.#failures.set(uid, failures)
      if (failures === 1) {
        log.warn({ err: error, uid }, 'a received message could not be handled; we will try again')
      }
      if (failures === MAX_ATTEMPTS) {
        log.error({ err: error, uid }, 'a received message cannot be handled; later ones now go first')
      }
      if (failures < MAX_ATTEMPTS) throw new HandlingFailed()
    }
  }

  /** Waits until something may have arrived, for at most this many milliseconds. */
  async #sleep(most: number): Promise<void> {
    if (this.#stopping) return
    const { promise, resolve } = this.#wake
    const timer = setTimeout(resolve, most)
    await promise
    clearTimeout(timer)
  }

  /** The server's response. Rejects if it takes too long, which closes the connection. */
  async #response<T>(response: Promise<T>): Promise<T> {
    const { timeout } = this.#options
    try {
      return await within(timeout, response)
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error
      throw new Error(`ETIMEDOUT: no response within ${timeout / 1000} seconds`)
    }
  }

  #recovered(): void {
    this.#delay = this.#options.reconnectAfter
    if (this.#trouble === undefined) return
    this.#trouble = undefined
    this.#options.log.info({ mailbox: describeMailbox(this.#url) }, 'the mailbox is watched')
  }

  #reportProblem(error: unknown): void {
    // Someone has to correct the password; too many attempts may lock the account.
    const refused = isRefusal(error)
    if (refused) this.#delay = LONGEST_DELAY
    const problem = error instanceof HandlingFailed ? this.#trouble : explain(error, this.#url)
    if (problem === this.#trouble) return
    this.#trouble = problem
    const about = { mailbox: describeMailbox(this.#url), problem }
    if (refused) this.#options.log.error(about, 'the mail server rejects the user or password')
    else this.#options.log.warn(about, 'the mailbox cannot be watched')
  }
}

/** Thrown after handle() has rejected, which was logged; nothing is wrong with the mailbox. */
class HandlingFailed extends Error {}
