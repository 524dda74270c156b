/**
 * The whole service in this process, with a clock and orders from outside. It can die: from one question to the
 * database on, it asks and learns nothing more, as if it had been killed there. Each such question is one transaction.
 */
import { type App, wireApp } from '../../src/app.ts'
import type { Config } from '../../src/config/config.ts'
import { loadContent } from '../../src/load-content.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Clock } from '../../src/platform/time.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'

let content: ReturnType<typeof loadContent> | undefined

/** What a service must never say, however it is treated. */
const FAULTS = /failed unexpectedly|could not claim tasks/

export class MortalService {
  readonly #config: Config
  readonly #clock: Clock
  readonly #log: (line: string) => void
  /** What it said that it must not say. */
  readonly faults: string[] = []
  #app: App | undefined
  #store: Store | undefined
  /**
   * How many more questions it asks; undefined if it is not about to die. `reaches`: the last one reaches the database.
   */
  #left: { count: number; reaches: boolean } | undefined
  readonly #asking = new Set<Promise<unknown>>()
  #died = Promise.withResolvers<void>()
  /** Called when it dies. */
  onDeath: () => void = () => {}

  constructor(config: Config, clock: Clock, log: (line: string) => void) {
    this.#config = config
    this.#clock = clock
    this.#log = log
  }

  get isDead(): boolean {
    return this.#left !== undefined && this.#left.count <= 0
  }

  async start(): Promise<void> {
    this.#left = undefined
    this.#died = Promise.withResolvers()
    this.#store = await openStore(this.#config.database, { clock: this.#clock })
    const sink = {
      write: (line: string) => {
        this.#log(line)
        if (FAULTS.test(line)) this.faults.push(line)
      },
    }
    const log = createLog('info', sink)
    const mailer = { destination: 'nowhere', send: async () => {}, verify: async () => [], close: async () => {} }
    this.#app = await wireApp(this.#config, this.#mortal(this.#store), mailer, {
      log,
      content: (...about) => (content ??= loadContent(...about)),
    })
  }

  /** Does everything that is due. Returns when it is done, or dead. */
  async work(): Promise<void> {
    if (this.isDead) return
    await Promise.race([this.#app?.worker.drain(), this.#died.promise])
  }

  /** Dies with one of the next questions, without the answer. `reaches`: that question still reaches the database. */
  dieAfter(count: number, { reaches }: { reaches: boolean }): void {
    if (!this.isDead) this.#left = { count, reaches }
  }

  /** If it is dead, starts again. */
  async revive(): Promise<void> {
    if (!this.isDead) {
      this.#left = undefined
      return
    }
    await Promise.allSettled(this.#asking)
    await this.#store?.close()
    await this.start()
  }

  async close(): Promise<void> {
    await this.#app?.close()
  }

  #mortal(store: Store): Store {
    const never = new Promise<never>(() => {})
    const left = () => this.#left
    const ask = (question: () => unknown): unknown => {
      if (this.#store !== store || this.isDead) return never
      const last = left()
      if (last !== undefined && --last.count <= 0) {
        this.#died.resolve()
        this.onDeath()
        if (!last.reaches) return never
      }
      const answer = question()
      if (!(answer instanceof Promise)) return answer
      this.#asking.add(answer)
      const isOver = () => this.#asking.delete(answer)
      answer.then(isOver, isOver)
      return answer.then(
        value => (this.#store !== store || this.isDead ? never : value),
        error => (this.#store !== store || this.isDead ? never : Promise.reject(error)),
      )
    }
    return new Proxy(store, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target)
        return typeof value === 'function' && name !== 'close'
          ? (...args: unknown[]) => ask(() => Reflect.apply(value, target, args))
          : value
      },
    })
  }
}
