/**
 * Telling the workers of other replicas that something may be due (LISTEN and NOTIFY). Only a
 * courtesy: whoever misses it, behind a pooler or while the connection is made anew, polls.
 */
import pg from 'pg'
import { connectionTo, type Pool } from './connections.ts'

const CHANNEL = 'frontdesk_due'

/** Before a connection that broke is made anew, in milliseconds: doubled as long as it fails. */
const RECONNECT_AFTER = 1000
const RECONNECT_AT_LAST = 60_000

/** How often the connection is tried, and how long it may take to answer, in milliseconds. */
const CHECK_EVERY = 30_000
const ANSWER_WITHIN = 5_000

/** Announcements closer together than this become one, in milliseconds. */
const GAP = 50

export class Announcements {
  readonly #url: string
  readonly #pool: Pool
  #listener: pg.Client | undefined
  #announcing: NodeJS.Timeout | undefined
  #closed = false
  #patience = RECONNECT_AFTER

  constructor(url: string, pool: Pool) {
    this.#url = url
    this.#pool = pool
  }

  /** Not a part of acceptance: NOTIFY in a transaction makes all commits queue for one lock. */
  announce(): void {
    this.#announcing ??= setTimeout(() => {
      this.#announcing = undefined
      this.#send()
    }, GAP)
  }

  /** Calls `listener` at each announcement, and whenever some may have been missed. */
  listen(listener: () => void): void {
    if (this.#closed) return
    const client = new pg.Client({ ...connectionTo(this.#url), query_timeout: ANSWER_WITHIN })
    this.#listener = client
    // A connection on which nothing ever comes looks like one on which nothing comes any more.
    const check = () => client.query('select').catch(again)
    const checking = setInterval(check, CHECK_EVERY)
    checking.unref()
    const again = () => {
      clearInterval(checking)
      if (this.#listener !== client) return
      this.#listener = undefined
      client.end().catch(() => {})
      setTimeout(() => this.listen(listener), this.#patience).unref()
      this.#patience = Math.min(2 * this.#patience, RECONNECT_AT_LAST)
    }
    const listening = () => {
      this.#patience = RECONNECT_AFTER
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

  /** Sends what is still to be announced. */
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
