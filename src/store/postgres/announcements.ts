/**
 * Tells other replicas that something may be due for their workers, that leads have changed for those who look at them,
 * or that settings were edited (LISTEN and NOTIFY). Nothing depends on it. A process may miss an announcement: behind a
 * pooler, on a server that lacks LISTEN, or while its connection is down. Such a process polls, and its pages show the
 * changes when they are loaded again.
 */
import { EventEmitter } from 'node:events'
import pg from 'pg'
import { connectionTo, isNotSupported, type Pool } from './connections.ts'

type Channel = 'frontdesk_due' | 'frontdesk_leads' | 'frontdesk_settings'

const CHANNELS: readonly Channel[] = ['frontdesk_due', 'frontdesk_leads', 'frontdesk_settings']

/** How long to wait before reconnecting, in milliseconds: doubled after each failure, up to a limit. */
const RECONNECT_AFTER = 1000
const LONGEST_RECONNECT = 60_000

/** How often the connection is checked, and how long the server may take to respond, in milliseconds. */
const CHECK_EVERY = 30_000
const CHECK_TIMEOUT = 5_000

/** Announcements that are closer together than this, in milliseconds, become one. */
const GAP: Record<Channel, number> = { frontdesk_due: 50, frontdesk_leads: 500, frontdesk_settings: 50 }

export class Announcements {
  readonly #url: string
  readonly #pool: Pool
  readonly #listeners = new EventEmitter<Record<Channel, []>>().setMaxListeners(0)
  readonly #announcing = new Map<Channel, NodeJS.Timeout>()
  #connection: pg.Client | undefined
  #connected = false
  #closed = false
  #reconnectAfter = RECONNECT_AFTER

  constructor(url: string, pool: Pool) {
    this.#url = url
    this.#pool = pool
  }

  /** Not part of acceptance: NOTIFY in a transaction makes all commits queue for one lock. */
  announce(channel: Channel): void {
    if (this.#closed || this.#announcing.has(channel)) return
    const send = () => {
      this.#announcing.delete(channel)
      this.#send(channel)
    }
    this.#announcing.set(channel, setTimeout(send, GAP[channel]))
  }

  /** Calls `listener` at each announcement, and whenever some may have been missed. Returns what stops this. */
  listen(channel: Channel, listener: () => void): () => void {
    this.#listeners.on(channel, listener)
    if (!this.#connected) {
      this.#connected = true
      this.#connect()
    }
    return () => void this.#listeners.off(channel, listener)
  }

  #connect(): void {
    if (this.#closed) return
    const client = new pg.Client({ ...connectionTo(this.#url), query_timeout: CHECK_TIMEOUT })
    this.#connection = client
    // An idle connection looks the same as a broken one, so we check.
    const check = () => client.query('select').catch(again)
    const checking = setInterval(check, CHECK_EVERY)
    checking.unref()
    const again = (error?: unknown) => {
      clearInterval(checking)
      if (this.#connection !== client) return
      this.#connection = undefined
      client.end().catch(() => {})
      if (isNotSupported(error)) return
      setTimeout(() => this.#connect(), this.#reconnectAfter).unref()
      this.#reconnectAfter = Math.min(2 * this.#reconnectAfter, LONGEST_RECONNECT)
    }
    const listening = () => {
      this.#reconnectAfter = RECONNECT_AFTER
      for (const channel of CHANNELS) this.#listeners.emit(channel)
    }
    client.on('error', again)
    client.on('end', again)
    client.on('notification', ({ channel }) => void this.#listeners.emit(channel as Channel))
    client
      .connect()
      .then(() => client.query(CHANNELS.map(channel => `listen ${channel}`).join('; ')))
      .then(listening, again)
  }

  /** Sends what is still to be announced, and disconnects. */
  async close(): Promise<void> {
    this.#closed = true
    const connection = this.#connection
    this.#connection = undefined
    for (const [channel, timeout] of this.#announcing) {
      clearTimeout(timeout)
      await this.#send(channel)
    }
    await connection?.end().catch(() => {})
  }

  async #send(channel: Channel): Promise<void> {
    await this.#pool.query(`notify ${channel}`).catch(() => {})
  }
}
