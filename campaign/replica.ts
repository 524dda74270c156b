/** One replica of a campaign: `frontdesk serve` on its own port, started many times. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { program } from '../test/support/program.ts'
import { clockOf } from '../test/support/service-clock.ts'

/** How long a start may take, in milliseconds. It may have to wait for a database that is starting. */
const STARTED_WITHIN = 300_000

/** The service's promised shutdown time, plus some time for a slow machine, in milliseconds of its clock. */
const ENDED_WITHIN = 10_000 + 5000

export type ReplicaOptions = {
  name: string
  port: number
  /** The folder for its logs, which is also its DATA_DIR. */
  folder: string
  env: Record<string, string>
}

export class Replica {
  readonly name: string
  readonly port: number
  /** `busy`: it is starting or ending. */
  state: 'down' | 'busy' | 'up' | 'frozen' = 'down'
  /** What it did wrong, such as ending by itself. */
  readonly violations: string[] = []
  readonly #folder: string
  readonly #env: Record<string, string>
  #child: ChildProcess | undefined
  #exit: Promise<unknown> = Promise.resolve()
  #mayEnd = false
  #lives = 0

  constructor({ name, port, folder, env }: ReplicaOptions) {
    this.name = name
    this.port = port
    this.#folder = folder
    this.#env = env
    mkdirSync(folder, { recursive: true })
  }

  /** Starts the process and returns once it is ready or has ended. */
  async start(): Promise<void> {
    this.#lives++
    this.#mayEnd = false
    this.state = 'busy'
    const stdout = openSync(join(this.#folder, `${this.name}-${this.#lives}.log`), 'a')
    const stderr = openSync(join(this.#folder, `${this.name}-${this.#lives}.err`), 'a')
    const child = spawn(process.execPath, [program(), 'serve'], {
      cwd: this.#folder,
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: this.#folder, ...this.#env },
      stdio: ['ignore', stdout, stderr],
    })
    closeSync(stdout)
    closeSync(stderr)
    this.#child = child
    guard.add(child)
    this.#exit = once(child, 'exit').then(([code, signal]) => {
      guard.remove(child)
      this.#child = undefined
      this.state = 'down'
      if (!this.#mayEnd) this.#violated(`ended by itself: ${signal ?? `code ${code}`}${this.#lastWords()}`)
    })
    await this.#ready(child)
  }

  /** The last lines of its log and of its standard error. */
  #lastWords(): string {
    const [log, err] = ['log', 'err'].map(ending => {
      const text = readFileSync(join(this.#folder, `${this.name}-${this.#lives}.${ending}`), 'utf8')
      return text.trimEnd().slice(-500)
    })
    return `\n${log}\n${err}`
  }

  async #ready(child: ChildProcess) {
    for (const end = performance.now() + STARTED_WITHIN; this.#child === child; await wait(50)) {
      if (await this.#isReady()) {
        if (this.#child === child && !this.#mayEnd) this.state = 'up'
        return
      }
      if (performance.now() > end) {
        this.#violated('did not start')
        return this.kill()
      }
    }
  }

  /** Whether it has logged that it is ready, and responds: from then on it handles signals. */
  async #isReady(): Promise<boolean> {
    const log = readFileSync(join(this.#folder, `${this.name}-${this.#lives}.log`), 'utf8')
    if (!log.includes('"ready"')) return false
    const response = await fetch(`http://127.0.0.1:${this.port}/healthz`).catch(() => undefined)
    return response?.ok ?? false
  }

  /** Sends SIGKILL, whatever state it is in. */
  async kill(): Promise<void> {
    if (this.#child === undefined) return
    this.#mayEnd = true
    this.state = 'busy'
    this.#child.kill('SIGKILL')
    await this.#exit
  }

  /** Sends SIGTERM. The replica must end with code 0, in time. */
  async terminate(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#mayEnd = true
    this.state = 'busy'
    child.kill('SIGTERM')
    const now = clockOf(child.pid)
    const end = now() + ENDED_WITHIN
    while (this.#child === child && now() < end) await Promise.race([this.#exit, wait(100)])
    if (this.#child === child) {
      this.#violated(`did not end within ${ENDED_WITHIN / 1000} s of SIGTERM`)
      await this.kill()
    } else if (child.exitCode !== 0) {
      this.#violated(`ended with ${child.signalCode ?? `code ${child.exitCode}`} after SIGTERM`)
    }
  }

  /** Sends SIGSTOP, and SIGCONT after this many milliseconds. */
  async freeze(milliseconds: number): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.state = 'frozen'
    child.kill('SIGSTOP')
    await wait(milliseconds)
    child.kill('SIGCONT')
    if (this.#child === child && !this.#mayEnd) this.state = 'up'
  }

  #violated(what: string) {
    this.violations.push(`${this.name}, life ${this.#lives}: ${what}`)
  }
}

/**
 * A shell that outlives this process, even if it is killed. It reads the ids of the running replicas
 * from its standard input, and kills them when that closes.
 */
class Guard {
  readonly #children = new Set<ChildProcess>()
  #shell: ChildProcess | undefined

  add(child: ChildProcess): void {
    this.#children.add(child)
    this.#update()
  }

  remove(child: ChildProcess): void {
    this.#children.delete(child)
    this.#update()
  }

  #update() {
    this.#shell ??= this.#start()
    const pids = [...this.#children].map(({ pid }) => pid)
    this.#shell.stdin?.write(`${pids.join(' ')}\n`)
  }

  #start(): ChildProcess {
    const script = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -KILL $pids'
    const shell = spawn('sh', ['-c', script], { cwd: '/', stdio: ['pipe', 'ignore', 'ignore'], detached: true })
    shell.unref()
    const pipe = shell.stdin as Socket
    pipe.unref()
    pipe.on('error', () => {})
    return shell
  }
}

const guard = new Guard()
