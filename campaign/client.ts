/**
 * The clients of a campaign: each sends a copy to a random replica, again and again until it gets a
 * final response, as our documents ask clients to do.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Connection } from './connection.ts'
import type { Ledger } from './ledger.ts'
import type { Copy } from './plan.ts'
import type { Random } from './random.ts'

/** One replica as clients know it: a port, which may respond or not. */
class Target {
  readonly port: number
  /** It did not respond recently. As with a load balancer, it rarely gets a request until it does. */
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

const SHARE_TO_AVOIDED = 0.02

/** The pause before a copy is sent again, in milliseconds. */
const PAUSE_AFTER_LOSS = 20
const PAUSE_WHEN_BUSY = 200

export type ClientOptions = {
  ports: number[]
  ledger: Ledger
  random: Random
  /** Concurrent requests. */
  connections: number
  /** How many keys clients start with per second. By default, as many as the replicas can handle. */
  keysPerSecond?: number | undefined
}

/** Sends all copies. Returns when each has its final response, or when `stopped` is aborted. */
export async function sendAll(
  copies: Iterable<Copy>,
  { ports, ledger, random, connections, keysPerSecond }: ClientOptions,
  stopped: AbortSignal,
): Promise<void> {
  const targets = ports.map(port => new Target(port))
  // One iterator for all: each connection that is free takes the next copy.
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
      const outcome = await connection.request(copy.bytes)
      target.avoided = typeof outcome === 'string'
      if (typeof outcome === 'string') {
        ledger.recordLoss(outcome)
        const allAvoided = targets.every(({ avoided }) => avoided)
        await wait(random.between(0.5, 1.5) * (allAvoided ? PAUSE_WHEN_BUSY : PAUSE_AFTER_LOSS))
        continue
      }
      target.give(connection)
      if (ledger.recordResponse(copy, outcome) === 'final') return
      await wait(random.between(0.5, 1.5) * PAUSE_WHEN_BUSY)
    }
  }

  const choose = (): Target => {
    const target = random.pick(targets)
    if (!target.avoided || random.chance(SHARE_TO_AVOIDED)) return target
    const others = targets.filter(({ avoided }) => !avoided)
    return others.length > 0 ? random.pick(others) : target
  }

  await Promise.all(Array.from({ length: connections }, work))
  for (const target of targets) target.close()
}
