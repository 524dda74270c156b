/**
 * Telling the workers of other replicas that something may be due (LISTEN and NOTIFY). Nothing depends
 * on it: a worker that misses it, behind a pooler or while its connection is down, polls.
 */
import pg from 'pg'
import { connectionTo, type Pool } from './connections.ts'

const CHANNEL = 'frontdesk_due'

/** How long to wait before reconnecting, in milliseconds: doubled as long as it fails, up to a limit. */
const RECONNECT_AFTER = 1000
const LONGEST_RECONNECT = 60_000

/** How often the connection is checked, and how long the server may take to respond, in milliseconds. */
const CHECK_EVERY = 30_000
const CHECK_TIMEOUT = 5_000

/** Announcements closer together than this become one, in milliseconds. */
const GAP = 50

export class Announcements {
  readonly #url: string
  readonly #pool: Pool
  #listener: pg.Client | undefined
  #announcing: NodeJS.Timeout | undefined
  #closed = false
  #reconnectAfter = RECONNECT_AFTER

  constructor(url: string, pool: Pool) {
    this.#url = url
    this.#pool = pool
  }

  /** Not part of acceptance: NOTIFY in a transaction makes all commits queue for one lock. */
  announce(): void {
    this.#announcing ??= setTimeout(() => {
      this.#announcing = undefined
      this.#send()
    }, GAP)
  }

  /** Calls `listener` at each announcement, and whenever some may have been missed. */
  listen(listener: () => void): void {
    if (this.#closed) return
    const client = new pg.Client({ ...connectionTo(this.#url), query_timeout: CHECK_TIMEOUT })
    this.#listener = client
    // An idle connection looks the same as a broken one.
    const check = () => client.query('select').catch(again)
    const checking = setInterval(check, CHECK_EVERY)
    checking.unref()
    const again = () => {
      clearInterval(checking)
      if (this.#listener !== client) return
      this.#listener = undefined
      client.end().catch(() => {})
      setTimeout(() => this.listen(listener), this.#reconnectAfter).unref()
      this.#reconnectAfter = Math.min(2 * this.#reconnectAfter, LONGEST_RECONNECT)
    }
    const listening = () => {
      this.#reconnectAfter = RECONNECT_AFTER
      listener()
    }
    client.on('error', again)
    client.on('end', again)
    client.on('notification', listener)
    client
      .connect()
      .then(() => client.query(`listen ${CHANNEL}`))
      .then(listening, again)
  }

  /** Sends what is still to be announced, and disconnects. */
  async close(): Promise<void> {
    this.#closed = true
    const client = this.#listener
    this.#listener = undefined
    if (this.#announcing !== undefined) {
      clearTimeout(this.#announcing)
      await this.#send()
    }
    await client?.end().catch(() => {})
  }

  async #send(): Promise<void> {
    await this.#pool.query(`notify ${CHANNEL}`).catch(() => {})
  }
}
