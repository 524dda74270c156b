/** What goes wrong during a campaign: seeded in its choices, though not in what they hit. */
import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../src/time.ts'
import { postgresRows } from '../test/support/postgres.ts'
import type { PostgresServer } from '../test/support/postgres-server.ts'
import type { Random } from './random.ts'
import type { Replica } from './replica.ts'

/** Longer than a lease: whoever comes back from it has been given up. In milliseconds. */
const PAST_THE_LEASE = 65 * SECOND

export type ChaosOptions = {
  replicas: Replica[]
  random: Random
  /** Absent on SQLite. */
  postgres?: { server: PostgresServer; database: string } | undefined
  /** How long it is quiet between two blows on average, in milliseconds; what a blow takes follows. */
  every: number
  /** How many blows there are at most. */
  most: number
  /** Whether a replica is once frozen for longer than a lease. */
  patient: boolean
}

type Blow = 'kill' | 'terminate' | 'freeze' | 'freezeLong' | 'cut' | 'crash'

const WEIGHTS: Record<Blow, number> = {
  kill: 10,
  terminate: 3,
  freeze: 4,
  freezeLong: 2,
  cut: 5,
  crash: 1,
}

export class Chaos {
  readonly counts = {
    kills: 0,
    terminations: 0,
    freezes: 0,
    longFreezes: 0,
    cutConnections: 0,
    databaseCrashes: 0,
  }
  /** Whether there are no more blows to come. */
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

  /** Ends the blows and returns once everybody is up again. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#loop
    await Promise.all(this.#recovering)
  }

  async #run() {
    const { replicas, random, every, most } = this.#options
    const { signal } = this.#ending
    for (let blows = 0; blows < most && !signal.aborted; blows++) {
      // A quiet in which nobody is up is none.
      while (!signal.aborted && !replicas.some(({ state }) => state === 'up')) await wait(20)
      await wait(every * random.between(0.2, 1.8), undefined, { signal }).catch(() => {})
      // The worst comes first, however short the campaign.
      if (!signal.aborted) await this.#strike(blows === 0 ? 'kill' : this.#choose())
    }
    this.over = true
  }

  #choose(): Blow {
    const { postgres, replicas, patient, random } = this.#options
    const possible = (Object.keys(WEIGHTS) as Blow[]).filter(blow => {
      if (blow === 'cut' || blow === 'crash') return postgres !== undefined
      // With nobody else to take over, a long freeze shows nothing.
      if (blow === 'freezeLong')
        return patient && replicas.length > 2 && this.counts.longFreezes === 0
      return true
    })
    return random.pick(possible.flatMap(blow => Array<Blow>(WEIGHTS[blow]).fill(blow)))
  }

  async #strike(blow: Blow) {
    if (blow === 'cut') return this.#cutConnections()
    if (blow === 'crash') return this.#crashDatabase()
    const replica = this.#victim()
    if (replica === undefined) return
    const { random, every } = this.#options
    const pause = random.between(0, 2 * every)
    if (blow === 'kill') {
      this.counts.kills++
      this.#inBackground(replica.kill().then(() => this.#startAgain(replica, pause)))
    } else if (blow === 'terminate') {
      this.counts.terminations++
      this.#inBackground(replica.terminate().then(() => this.#startAgain(replica, pause)))
    } else if (blow === 'freeze') {
      this.counts.freezes++
      this.#inBackground(replica.freeze(random.between(0.3, 2.5) * every))
    } else {
      this.counts.longFreezes++
      this.#inBackground(replica.freeze(PAST_THE_LEASE + random.between(0, 10 * SECOND)))
    }
  }

  /** Somebody who is up; mostly at least half of them stay so, and seldom nobody. */
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
    // Now and then it dies while it starts.
    if (this.#options.random.chance(0.1) && !this.#ending.signal.aborted) {
      await wait(this.#options.random.between(0, this.#options.every))
      this.counts.kills++
      await replica.kill()
      await starting
      return replica.start()
    }
    await starting
  }

  /** Some of the database's sessions end, in whatever they are doing. */
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
    await postgresRows(database, 'select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [
      cut,
    ])
    this.counts.cutConnections += cut.length
  }

  /** The whole database server is killed, and recovers from its log. */
  async #crashDatabase() {
    const { postgres, random, every } = this.#options
    if (postgres === undefined) return
    this.counts.databaseCrashes++
    await postgres.server.kill()
    await wait(random.between(0, every))
    await postgres.server.start()
  }

  #inBackground(recovery: Promise<unknown>) {
    const ended = recovery.finally(() => this.#recovering.delete(ended))
    this.#recovering.add(ended)
  }
}
