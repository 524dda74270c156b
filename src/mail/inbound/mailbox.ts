/**
 * Watching a mailbox: each message that arrives is handed on once, in order, however often the
 * server goes away. The mailbox is only read: opened with EXAMINE, fetched with BODY.PEEK, so that
 * the people who work in it find every message as it came.
 */
import type { ImapFlow, ImapFlowOptions } from 'imapflow'
import type { Logger } from 'pino'
import { shutdown } from '../../shutdown.ts'
import { TimeoutError, within } from '../../within.ts'
import { createClient, describeImapError, fetchSource, isRefusal, uidsAfter } from './imap.ts'
import { describeMailbox, mailboxAt } from './mailbox-address.ts'

export { describeMailbox }

/** After so many tries a message no longer holds up those behind it. */
const MAX_TRIES = 5

/** The longest delay before a connection is made anew, in milliseconds. */
const LONGEST_DELAY = 300_000

/** How far a mailbox was handled. A uid means something together with its UIDVALIDITY only. */
export type MailboxPosition = { uidValidity: string; lastUid: number }

export type FetchedMessage = {
  uidValidity: string
  uid: number
  /** The first megabyte of the message as it came (RFC 5322). */
  source: Uint8Array
}

export type MailboxWatch = {
  start(): void
  /** Resolves within two seconds, also when the server hangs. Nothing more is handed on. */
  stop(): Promise<void>
  /** What keeps it from watching at present, without personal data; undefined where it watches. */
  trouble(): string | undefined
}

export type WatchOptions = {
  /** Up to where the mailbox was handled already; undefined where it never was. */
  place(): Promise<MailboxPosition | undefined>
  /**
   * Handles one message and keeps its place: when it has resolved, the message is done with for
   * good. Called in the order of uids, one at a time.
   *
   * When it rejects, the connection is made anew after a while and the same message tried again.
   * Nothing is tried while place() rejects, so a database that is away costs no tries. From the
   * fifth failure on a message does not hold up those behind it: it gets one try at each look, and
   * is left behind for good once one behind it has been handled.
   */
  handle(message: FetchedMessage): Promise<void>
  /**
   * Told of a mailbox that was never watched, or whose uids are new (UIDVALIDITY, RFC 9051 section
   * 2.3.1.1): what is in it by now counts as old and is not handled. place() must tell it from then
   * on.
   */
  begin(place: MailboxPosition): Promise<void>
  log: Logger
  /** How often to look without being told, in milliseconds. Default: a minute. */
  poll?: number
  /** How long the server may take for an answer, in milliseconds. Default: a minute. */
  patience?: number
  /** Before a connection is made anew, in milliseconds: doubled up to 5 minutes. Default: 1000. */
  reconnectAfter?: number
}

/**
 * Watches the mailbox at an address that mailboxAt() can read. Connects when started. Nothing that
 * the server does is ever thrown: what goes wrong is logged, once until something else does, and
 * tried again.
 */
export function watchMailbox(mailboxUrl: string, options: WatchOptions): MailboxWatch {
  return new Watch(mailboxUrl, options)
}

/** Rejects, with a reason for people, where the mailbox could not be watched at present. */
export async function verifyMailbox(url: string): Promise<void> {
  const { folder, connection } = mailboxAt(url)
  const client = await createClient(connection)
  try {
    await client.connect()
    await client.mailboxOpen(folder, { readOnly: true })
  } catch (error) {
    throw new Error(describeImapError(error))
  } finally {
    client.close()
  }
}

class Watch implements MailboxWatch {
  readonly #url: string
  readonly #options: Required<WatchOptions>
  /** How often the messages in front of the queue have failed, by uid. */
  readonly #failures = new Map<number, number>()
  #client: ImapFlow | undefined
  #loop: Promise<void> | undefined
  #wake = Promise.withResolvers<void>()
  #stopping = false
  #delay: number
  /** What went wrong last; undefined while all is well. At first nothing is known to be well. */
  #trouble: string | undefined = ''

  constructor(mailboxUrl: string, options: WatchOptions) {
    this.#url = mailboxUrl
    this.#options = { poll: 60_000, patience: 60_000, reconnectAfter: 1_000, ...options }
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
    // Not a polite logout, which a server that hangs would not answer.
    this.#client?.close()
    // The loop never rejects; a message that is still being handled is abandoned.
    await within(shutdown.mailbox, Promise.resolve(this.#loop)).catch(() => {})
  }

  async #repeat(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#visit()
      } catch (error) {
        if (!this.#stopping) this.#complain(error)
      }
      this.#client?.close()
      this.#client = undefined
      this.#wake = Promise.withResolvers()
      await this.#awake(this.#delay)
      this.#delay = Math.min(2 * this.#delay, LONGEST_DELAY)
    }
  }

  /** Connects, then handles what is there and what arrives, until something fails. */
  async #visit(): Promise<void> {
    const { folder, connection } = mailboxAt(this.#url)
    const client = await this.#connect(connection)
    const opened = await this.#answer(client.mailboxOpen(folder, { readOnly: true }))
    const end = { uidValidity: String(opened.uidValidity), lastUid: opened.uidNext - 1 }
    while (!this.#stopping) {
      // Made anew before looking, so that nothing that arrives meanwhile goes unnoticed.
      this.#wake = Promise.withResolvers()
      await this.#look(client, await this.#place(end))
      this.#settle()
      // The next command ends it.
      client.idle().catch(() => {})
      await this.#awake(this.#options.poll)
      await this.#answer(client.noop())
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
    await this.#answer(client.connect())
    return client
  }

  /** Where to go on in the mailbox that ends at `end`. */
  async #place(end: MailboxPosition): Promise<MailboxPosition> {
    const { place, begin, log } = this.#options
    const known = await place()
    if (known?.uidValidity === end.uidValidity) return known
    if (known) {
      log.warn(
        { mailbox: describeMailbox(this.#url) },
        'the mail server has numbered the mailbox anew: what arrived since the last look is not handled',
      )
    }
    this.#failures.clear()
    await begin(end)
    return end
  }

  /** Hands on all messages behind the place. */
  async #look(client: ImapFlow, { uidValidity, lastUid }: MailboxPosition): Promise<void> {
    for (const uid of await this.#answer(uidsAfter(lastUid, client))) {
      const source = await this.#answer(fetchSource(uid, client))
      if (this.#stopping) return
      // Undefined where somebody has removed it meanwhile.
      if (source) await this.#handOn({ uidValidity, uid, source })
    }
  }

  async #handOn(message: FetchedMessage): Promise<void> {
    const { handle, log } = this.#options
    const { uid } = message
    try {
      await handle(message)
      // Whatever failed before it is behind the place now.
      this.#failures.clear()
    } catch (error) {
      const failures = (this.#failures.get(uid) ?? 0) + 1
      this.#failures.set(uid, failures)
      if (failures === 1) {
        log.warn({ err: error, uid }, 'a received message could not be handled and is tried again')
      }
      if (failures === MAX_TRIES) {
        log.error({ err: error, uid }, 'a received message cannot be handled: others go first now')
      }
      if (failures < MAX_TRIES) throw new HandlingFailed()
    }
  }

  /** Waits until there may be news, but not longer than this many milliseconds. */
  async #awake(most: number): Promise<void> {
    if (this.#stopping) return
    const { promise, resolve } = this.#wake
    const timer = setTimeout(resolve, most)
    await promise
    clearTimeout(timer)
  }

  /** What the server answers. Rejects when it takes too long, which closes the connection. */
  async #answer<T>(answer: Promise<T>): Promise<T> {
    const { patience } = this.#options
    try {
      return await within(patience, answer)
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error
      throw new Error(`ETIMEDOUT: no answer within ${patience / 1000} seconds`)
    }
  }

  #settle(): void {
    this.#delay = this.#options.reconnectAfter
    if (this.#trouble === undefined) return
    this.#trouble = undefined
    this.#options.log.info({ mailbox: describeMailbox(this.#url) }, 'the mailbox is watched')
  }

  #complain(error: unknown): void {
    // Somebody has to mend the password, and too many tries may lock the account.
    const refused = isRefusal(error)
    if (refused) this.#delay = LONGEST_DELAY
    const problem = error instanceof HandlingFailed ? this.#trouble : describeImapError(error)
    if (problem === this.#trouble) return
    this.#trouble = problem
    const about = { mailbox: describeMailbox(this.#url), problem }
    if (refused) this.#options.log.error(about, 'the mail server refuses the user or password')
    else this.#options.log.warn(about, 'the mailbox cannot be watched for now')
  }
}

/** handle() has rejected, which was logged; nothing is wrong with the mailbox. */
class HandlingFailed extends Error {}
