/**
 * The clients of a campaign: each sends a copy to a random replica, again and again until it has a
 * final answer, as clients are told to.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Connection } from './connection.ts'
import type { Ledger } from './ledger.ts'
import type { Copy } from './plan.ts'
import type { Random } from './random.ts'

/** One replica as clients know it: a port, which may answer or not. */
class Target {
  readonly port: number
  /** It did not answer lately; tried seldom until it does, as a load balancer has it. */
  avoided = false
  readonly #idle: Connection[] = []

  constructor(port: number) {
    this.port = port
  }

  take(): Connection {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (idle.usable) return idle
    return new Connection(this.port)
  }

  give(connection: Connection): void {
    if (connection.usable) this.#idle.push(connection)
  }

  close(): void {
    for (const connection of this.#idle) connection.close()
  }
}

const TRIES_OF_AVOIDED = 0.02

/** Between two tries of one copy, in milliseconds. */
const PAUSE_AFTER_LOSS = 20
const PAUSE_WHEN_BUSY = 200

export type ClientOptions = {
  ports: number[]
  ledger: Ledger
  random: Random
  /** Requests under way at once. */
  connections: number
  /** So many keys are begun in a second; by default as many as are answered. */
  keysPerSecond?: number | undefined
}

/** Sends all copies; returns when each has its final answer, or `stopped` is. */
export async function sendAll(
  copies: Iterable<Copy>,
  { ports, ledger, random, connections, keysPerSecond }: ClientOptions,
  stopped: AbortSignal,
): Promise<void> {
  const targets = ports.map(port => new Target(port))
  // One iterator for all: whoever is free takes the next copy.
  const left = copies[Symbol.iterator]()
  const begun = performance.now()

  const work = async () => {
    for (let next = left.next(); !next.done && !stopped.aborted; next = left.next()) {
      const due = keysPerSecond ? begun + (next.value.planned.n / keysPerSecond) * 1000 : 0
      if (due > performance.now()) await wait(due - performance.now())
      await sendUntilFinal(next.value)
    }
  }

  const sendUntilFinal = async (copy: Copy) => {
    while (!stopped.aborted) {
      const target = choose()
      const connection = target.take()
      const outcome = await connection.ask(copy.bytes)
      target.avoided = typeof outcome === 'string'
      if (typeof outcome === 'string') {
        ledger.lost(outcome)
        const nobody = targets.every(({ avoided }) => avoided)
        await wait(random.between(0.5, 1.5) * (nobody ? PAUSE_WHEN_BUSY : PAUSE_AFTER_LOSS))
        continue
      }
      target.give(connection)
      if (ledger.answered(copy, outcome) === 'final') return
      await wait(random.between(0.5, 1.5) * PAUSE_WHEN_BUSY)
    }
  }

  const choose = (): Target => {
    const target = random.pick(targets)
    if (!target.avoided || random.chance(TRIES_OF_AVOIDED)) return target
    const others = targets.filter(({ avoided }) => !avoided)
    return others.length > 0 ? random.pick(others) : target
  }

  await Promise.all(Array.from({ length: connections }, work))
  for (const target of targets) target.close()
}
