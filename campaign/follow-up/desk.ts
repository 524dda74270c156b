/** A replica of a simulated month as the world sees it: it gets the time and orders, and is killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Order, Report } from './desk-process.ts'
import type { HostName } from './school.ts'

const program = fileURLToPath(new URL('desk-process.ts', import.meta.url))

export class Desk {
  readonly name: string
  /** It could not be started, or has ended by itself, so it is useless to continue. */
  failed = false
  /** What it did wrong. */
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

  /** The port of a host. Undefined while the replica is down. */
  port(host: HostName): number | undefined {
    return this.#child && this.#ports[host]
  }

  /** Starts it with its clock at `now`, and returns once it accepts orders. Throws if it does not start. */
  async start(now: number): Promise<void> {
    this.#lives++
    this.#mayEnd = false
    const file = (kind: string) => join(this.#folder, `${this.name}-${this.#lives}.${kind}`)
    const child = fork(program, {
      env: {
        PATH: process.env['PATH'],
        // Undefined outside the tests: then each start compiles the program.
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...this.#env,
        MONTH_NOW: String(now),
        MONTH_LOG: file('log'),
      },
      stdio: ['ignore', 'ignore', openSync(file('err'), 'a'), 'ipc'],
    })
    this.#exit = once(child, 'exit').then(([code]) => {
      this.#child = undefined
      if (!this.#mayEnd) {
        this.failed = true
        this.violations.push(`${this.name} ended by itself with code ${code}`)
      }
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

  /** Gives an order. Returns when it has been carried out, or when the replica has died. */
  order(order: Omit<Order, 'id'>): Promise<void> {
    const child = this.#child
    if (child === undefined) return Promise.resolve()
    const id = ++this.#orders
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.set(id, resolve)
    child.send({ id, ...order }, () => {})
    return promise
  }

  /** Sends SIGKILL, whatever it is doing. */
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
