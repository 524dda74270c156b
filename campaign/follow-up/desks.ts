/** The replicas of a simulated month as the world sees them: told the time, set to work, killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Order, Report } from './desk.ts'
import type { HostName } from './school.ts'

const program = fileURLToPath(new URL('desk.ts', import.meta.url))

export class Desk {
  readonly name: string
  /** It could not be started: there is no use in going on. */
  failed = false
  /** What it did that it must not. */
  readonly violations: string[] = []
  readonly #folder: string
  readonly #env: Record<string, string>
  #child: ChildProcess | undefined
  #ports: Record<string, number> = {}
  #exit: Promise<unknown> = Promise.resolve()
  #lives = 0
  #orders = 0
  #mayEnd = false
  readonly #waiting = new Map<number, () => void>()

  constructor(name: string, folder: string, env: Record<string, string>) {
    this.name = name
    this.#folder = folder
    this.#env = env
  }

  /** The port of a host; undefined while it is down. */
  port(host: HostName): number | undefined {
    return this.#child && this.#ports[host]
  }

  /** Starts it, with what its clock shows, and returns once it takes orders. Throws when it does not. */
  async start(now: number): Promise<void> {
    this.#lives++
    this.#mayEnd = false
    const file = (kind: string) => join(this.#folder, `${this.name}-${this.#lives}.${kind}`)
    const child = fork(program, {
      env: {
        PATH: process.env['PATH'],
        ...this.#env,
        MONTH_NOW: String(now),
        MONTH_LOG: file('log'),
      },
      stdio: ['ignore', 'ignore', openSync(file('err'), 'a'), 'ipc'],
    })
    this.#exit = once(child, 'exit').then(([code]) => {
      this.#child = undefined
      if (!this.#mayEnd) this.violations.push(`${this.name} ended by itself with code ${code}`)
      for (const resolve of this.#waiting.values()) resolve()
      this.#waiting.clear()
    })
    const ready = Promise.withResolvers<void>()
    child.on('message', (report: Report) => {
      if ('ready' in report) {
        this.#ports = report.ready
        this.#child = child
        return ready.resolve()
      }
      if (report.failure) this.violations.push(`${this.name} could not work: ${report.failure}`)
      this.#waiting.get(report.done)?.()
      this.#waiting.delete(report.done)
    })
    await Promise.race([ready.promise, this.#exit])
    if (this.#child === child || this.#mayEnd) return
    this.failed = true
    throw new Error(`${this.name} did not start:\n${readFileSync(file('err'), 'utf8')}`)
  }

  /** Carries out an order; returns when that is done, or it has died over it. */
  order(order: Omit<Order, 'id'>): Promise<void> {
    const child = this.#child
    if (child === undefined) return Promise.resolve()
    const id = ++this.#orders
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.set(id, resolve)
    child.send({ id, ...order }, () => {})
    return promise
  }

  /** SIGKILL, in the middle of whatever it does. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#mayEnd = true
    this.#child = undefined
    child.kill('SIGKILL')
    await this.#exit
  }

  get up(): boolean {
    return this.#child !== undefined
  }
}
