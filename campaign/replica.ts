/** One replica of a campaign: `frontdesk serve` on a port of its own, over many lives. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(new URL('../bin/frontdesk.js', import.meta.url))

/** A start may wait for a database that starts itself, in milliseconds. */
const STARTED_WITHIN = 90_000

/** What the service promises, and some time for a busy machine, in milliseconds. */
const ENDED_WITHIN = 10_000 + 5000

export type ReplicaOptions = {
  name: string
  port: number
  /** Where its logs are kept; also its DATA_DIR. */
  folder: string
  env: Record<string, string>
}

export class Replica {
  readonly name: string
  readonly port: number
  /** `busy`: it starts or ends. */
  state: 'down' | 'busy' | 'up' | 'frozen' = 'down'
  /** What it did that it must not, such as to end by itself. */
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

  /** Starts it and returns once it is ready, or has ended. */
  async start(): Promise<void> {
    this.#lives++
    this.#mayEnd = false
    this.state = 'busy'
    const stdout = openSync(join(this.#folder, `${this.name}-${this.#lives}.log`), 'a')
    const stderr = openSync(join(this.#folder, `${this.name}-${this.#lives}.err`), 'a')
    const child = spawn(process.execPath, [entry, 'serve'], {
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
      if (!this.#mayEnd)
        this.#violated(`ended by itself: ${signal ?? `code ${code}`}${this.#lastWords()}`)
    })
    await this.#ready(child)
  }

  /** The end of what it has logged and of what it has complained of. */
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

  /** It has said so, and answers: from then on it hears signals. */
  async #isReady(): Promise<boolean> {
    const log = readFileSync(join(this.#folder, `${this.name}-${this.#lives}.log`), 'utf8')
    if (!log.includes('"ready"')) return false
    const answer = await fetch(`http://127.0.0.1:${this.port}/healthz`).catch(() => undefined)
    return answer?.ok ?? false
  }

  /** SIGKILL, in whatever state it is. */
  async kill(): Promise<void> {
    if (this.#child === undefined) return
    this.#mayEnd = true
    this.state = 'busy'
    this.#child.kill('SIGKILL')
    await this.#exit
  }

  /** SIGTERM: it has to end in order, in time. */
  async terminate(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#mayEnd = true
    this.state = 'busy'
    child.kill('SIGTERM')
    const late = new AbortController()
    await Promise.race([this.#exit, wait(ENDED_WITHIN, undefined, { signal: late.signal })])
    late.abort()
    if (this.#child === child) {
      this.#violated(`did not end within ${ENDED_WITHIN / 1000} s of SIGTERM`)
      await this.kill()
    } else if (child.exitCode !== 0) {
      this.#violated(`ended with ${child.signalCode ?? `code ${child.exitCode}`} after SIGTERM`)
    }
  }

  /** SIGSTOP for so many milliseconds, then SIGCONT. */
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
 * A shell that outlives this process, even a killed one: it always knows which replicas run, and
 * kills them when it hears no more.
 */
class Guard {
  readonly #children = new Set<ChildProcess>()
  #shell: ChildProcess | undefined

  add(child: ChildProcess): void {
    this.#children.add(child)
    this.#tell()
  }

  remove(child: ChildProcess): void {
    this.#children.delete(child)
    this.#tell()
  }

  #tell() {
    this.#shell ??= this.#start()
    const pids = [...this.#children].map(({ pid }) => pid)
    this.#shell.stdin?.write(`${pids.join(' ')}\n`)
  }

  #start(): ChildProcess {
    const script = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -KILL $pids'
    const shell = spawn('sh', ['-c', script], {
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    shell.unref()
    const pipe = shell.stdin as Socket
    pipe.unref()
    pipe.on('error', () => {})
    return shell
  }
}

const guard = new Guard()
