/** Sends requests over a fixed set of connections when a schedule says so, and counts the responses. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, type Response } from './connection.ts'
import { Latencies } from './latency.ts'
import type { Operation } from './requests.ts'

export type Schedule = {
  /** When the next request is due, in the client's time. Undefined when there are no more. */
  next: (now: number) => number | undefined
  /** Called when the request that was due next has been sent. */
  sent: () => void
}

/** A response that takes longer than this counts as missing, in milliseconds. */
const RESPONSE_TIMEOUT = 15_000

/** How many wrong responses are saved for the report. */
const EXAMPLES = 5

/** Timers are only accurate to a millisecond. Closer than this to the next request, the client spins. */
const SPIN = 1.3

export class Traffic {
  /** Correct responses so far. */
  accepted = 0
  /** Wrong and missing responses so far, and the first few of them. */
  wrong = 0
  wrongExamples: string[] = []
  /** For the requests that were due in the measured time. */
  latencies = new Latencies()
  #measureFrom = Number.POSITIVE_INFINITY
  #schedule: Schedule | undefined
  #open = new Set<Connection>()
  /** Longest idle first. */
  #idle: Connection[] = []

  /** Opens connections to the ports in turn. */
  async connect(operation: Operation, ports: number[], connections: number): Promise<void> {
    const opening = Array.from({ length: connections }, (_, i) =>
      Connection.open(operation, ports[i % ports.length] as number, this),
    )
    this.#idle = await Promise.all(opening)
    this.#open = new Set(this.#idle)
  }

  start(schedule: Schedule, measureFrom: number): void {
    this.#schedule = schedule
    this.#measureFrom = measureFrom
    this.#tick()
  }

  /** Waits for the responses that are still due, then closes the connections. */
  async finish(): Promise<void> {
    const deadline = performance.now() + RESPONSE_TIMEOUT
    while (this.#inFlight() > 0 && performance.now() < deadline) await sleep(5)
    for (const connection of [...this.#open]) {
      if (connection.due !== undefined) this.onLost(connection, `none within ${RESPONSE_TIMEOUT} ms`)
      connection.close()
    }
  }

  /** Sends whenever the next request is due. A response that frees a connection also sends. */
  #tick(): void {
    const next = this.#sendDue()
    if (next === undefined) return
    const spin = this.#idle.length > 0 && next - performance.now() < SPIN
    if (spin) setImmediate(() => this.#tick())
    else setTimeout(() => this.#tick(), 1)
  }

  /** Returns when the next request is due, which may be in the past if no connection is idle. */
  #sendDue(): number | undefined {
    for (;;) {
      const now = performance.now()
      const due = this.#schedule?.next(now)
      if (due === undefined || due > now) return due
      const connection = this.#idle.shift()
      if (connection === undefined) return due
      this.#schedule?.sent()
      connection.send(due)
    }
  }

  onResponse = (connection: Connection, { success, status, body }: Response): void => {
    const { due } = connection
    if (due === undefined) {
      this.onLost(connection, `a response without a request: ${body}`)
      return
    }
    if (due >= this.#measureFrom) this.latencies.record(performance.now() - due)
    if (success) this.accepted++
    else this.#complain(`${status} ${body}`)
    connection.due = undefined
    this.#idle.push(connection)
    this.#sendDue()
  }

  onLost = (connection: Connection, reason: string): void => {
    if (!this.#open.delete(connection)) return
    this.#idle = this.#idle.filter(idle => idle !== connection)
    this.#complain(`no response: ${reason}`)
    connection.close()
  }

  #complain(what: string): void {
    this.wrong++
    if (this.wrongExamples.length < EXAMPLES) this.wrongExamples.push(what)
  }

  #inFlight(): number {
    return [...this.#open].filter(connection => connection.due !== undefined).length
  }
}
