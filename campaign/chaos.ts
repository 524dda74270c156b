/** Injects the faults of a campaign. The seed decides on the faults, but not on what they hit. */
import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../src/platform/time.ts'
import { postgresRows } from '../test/support/postgres.ts'
import type { PostgresServer } from '../test/support/postgres-server.ts'
import type { Random } from './random.ts'
import type { Replica } from './replica.ts'

/** Longer than a lease, so that others have taken over the tasks of a replica that wakes up. In milliseconds. */
const PAST_THE_LEASE = 65 * SECOND

export type ChaosOptions = {
  replicas: Replica[]
  random: Random
  /** Absent on SQLite. */
  postgres?: { server: PostgresServer; database: string } | undefined
  /** The average time between two faults, in milliseconds. The durations of faults are in proportion. */
  faultInterval: number
  /** The maximum number of faults. */
  maxFaults: number
  /** Whether to freeze a replica once for longer than a lease. */
  freezePastLease: boolean
}

type Fault = 'kill' | 'terminate' | 'freeze' | 'freezeLong' | 'cut' | 'crash'

const WEIGHTS: Record<Fault, number> = { kill: 10, terminate: 3, freeze: 4, freezeLong: 2, cut: 5, crash: 1 }

export class Chaos {
  readonly counts = { kills: 0, terminations: 0, freezes: 0, longFreezes: 0, cutConnections: 0, databaseCrashes: 0 }
  /** Whether all faults have been injected. */
  over = false
  readonly #options: ChaosOptions
  readonly #ending = new AbortController()
  readonly #recovering = new Set<Promise<unknown>>()
  #loop: Promise<void> | undefined

  constructor(options: ChaosOptions) {
    this.#options = options
  }

  start(): void {
    this.#loop = this.#run()
  }

  /** Stops injecting faults, and returns once all replicas are up again. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#loop
    await Promise.all(this.#recovering)
  }

  async #run() {
    const { replicas, random, faultInterval, maxFaults } = this.#options
    const { signal } = this.#ending
    for (let faults = 0; faults < maxFaults && !signal.aborted; faults++) {
      // The interval starts once a replica is up.
      while (!signal.aborted && !replicas.some(({ state }) => state === 'up')) await wait(20)
      await wait(faultInterval * random.between(0.2, 1.8), undefined, { signal }).catch(() => {})
      // The worst fault comes first, however short the campaign is.
      if (!signal.aborted) await this.#inject(faults === 0 ? 'kill' : this.#choose())
    }
    this.over = true
  }

  #choose(): Fault {
    const { postgres, replicas, freezePastLease, random } = this.#options
    const possible = (Object.keys(WEIGHTS) as Fault[]).filter(fault => {
      if (fault === 'cut' || fault === 'crash') return postgres !== undefined
      // If no other replica can take over, a long freeze proves nothing.
      if (fault === 'freezeLong') return freezePastLease && replicas.length > 2 && this.counts.longFreezes === 0
      return true
    })
    return random.pick(possible.flatMap(fault => Array<Fault>(WEIGHTS[fault]).fill(fault)))
  }

  async #inject(fault: Fault) {
    if (fault === 'cut') return this.#cutConnections()
    if (fault === 'crash') return this.#crashDatabase()
    const replica = this.#victim()
    if (replica === undefined) return
    const { random, faultInterval } = this.#options
    const pause = random.between(0, 2 * faultInterval)
    if (fault === 'kill') {
      this.counts.kills++
      this.#inBackground(replica.kill().then(() => this.#startAgain(replica, pause)))
    } else if (fault === 'terminate') {
      this.counts.terminations++
      this.#inBackground(replica.terminate().then(() => this.#startAgain(replica, pause)))
    } else if (fault === 'freeze') {
      this.counts.freezes++
      this.#inBackground(replica.freeze(random.between(0.3, 2.5) * faultInterval))
    } else {
      this.counts.longFreezes++
      this.#inBackground(replica.freeze(PAST_THE_LEASE + random.between(0, 10 * SECOND)))
    }
  }

  /** A replica that is up. Usually at least half of them stay up, and rarely none. */
  #victim(): Replica | undefined {
    const { replicas, random } = this.#options
    const up = replicas.filter(({ state }) => state === 'up')
    const few = replicas.length > 1 && up.length <= replicas.length / 2
    return up.length === 0 || (few && !random.chance(0.1)) ? undefined : random.pick(up)
  }

  async #startAgain(replica: Replica, pause: number) {
    replica.state = 'busy'
    await wait(pause, undefined, { signal: this.#ending.signal }).catch(() => {})
    const starting = replica.start()
    // Occasionally it is killed while it starts.
    if (this.#options.random.chance(0.1) && !this.#ending.signal.aborted) {
      await wait(this.#options.random.between(0, this.#options.faultInterval))
      this.counts.kills++
      await replica.kill()
      await starting
      return replica.start()
    }
    await starting
  }

  /** Ends some of the database's sessions, whatever they are doing. */
  async #cutConnections() {
    const { postgres, random } = this.#options
    if (postgres === undefined) return
    const { database } = postgres
    const sessions = await postgresRows<{ pid: number }>(
      database,
      `select pid from pg_stat_activity where application_name = 'frontdesk' order by pid`,
    )
    const share = random.pick([0.1, 0.3, 1])
    const cut = sessions.filter(() => random.chance(share)).map(({ pid }) => pid)
    await postgresRows(database, 'select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [cut])
    this.counts.cutConnections += cut.length
  }

  /** Kills the whole database server, which then recovers from its log. */
  async #crashDatabase() {
    const { postgres, random, faultInterval } = this.#options
    if (postgres === undefined) return
    this.counts.databaseCrashes++
    await postgres.server.kill()
    await wait(random.between(0, faultInterval))
    await postgres.server.start()
  }

  #inBackground(recovery: Promise<unknown>) {
    const ended = recovery.finally(() => this.#recovering.delete(ended))
    this.#recovering.add(ended)
  }
}
