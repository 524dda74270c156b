/**
 * A PostgreSQL server for tests: a real one, from npm, with its own data. Works for root, too. It ends
 * with the process that started it, no matter how that process ends.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { fastFolder } from './folder.ts'
import { freePorts } from './ports.ts'
import { advice, installBinaries, serverUser, temporary, type User } from './postgres-binaries.ts'
import { type Process, processes, signal } from './processes.ts'

export type ServerOptions = {
  /** Whether commits survive a crash. By default, for speed, a crash loses the most recent ones. */
  durable?: boolean
  /** For the server's command line. They override ours: ['-c', 'max_connections=10']. */
  flags?: string[]
  /** The parent of its own folder. If root starts the server, other users must have access to it. */
  folder?: string
}

/** Creates a server and returns once it accepts connections. Throws with its log if it does not start. */
export async function startPostgresServer(options: ServerOptions = {}): Promise<PostgresServer> {
  const binaries = installBinaries()
  const user = serverUser()
  // In memory if possible, because each new database is 300 files.
  const usual = options.durable ? temporary : fastFolder(temporary)
  const home = mkdtempSync(join(options.folder ?? usual, 'frontdesk-data-'))
  const guard = startGuard(home)
  const password = randomBytes(12).toString('hex')
  writeFileSync(join(home, 'password'), password, { mode: 0o600 })
  if (user) for (const path of [home, join(home, 'password')]) chownSync(path, user.uid, user.gid)
  const server = new PostgresServer({ binaries, user, home, guard, password, options })
  try {
    await server.initialize()
    await server.start()
  } catch (error) {
    await server.remove()
    throw error
  }
  return server
}

type Parts = {
  binaries: string
  user: User | undefined
  home: string
  guard: ChildProcess
  password: string
  options: ServerOptions
}

class PostgresServer {
  readonly #parts: Parts
  readonly #environment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' }
  #child: ChildProcess | undefined
  #ended: Promise<unknown> = Promise.resolve()
  #port = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The URL of its first database, as its superuser. It stays the same after a restart. */
  get url(): string {
    return `postgres://postgres:${this.#parts.password}@127.0.0.1:${this.#port}/postgres`
  }

  get port(): number {
    return this.#port
  }

  /** The data folder. */
  get folder(): string {
    return join(this.#parts.home, 'data')
  }

  /** The id of the main process, the parent of all others. Throws while the server is stopped. */
  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('PostgreSQL is not running.')
    return this.#child.pid
  }

  get running(): boolean {
    return this.#child !== undefined
  }

  /** The server's log so far. */
  log(): string {
    return readFileSync(join(this.#parts.home, 'log'), 'utf8')
  }

  async initialize(): Promise<void> {
    const { binaries, user, home, options } = this.#parts
    const password = `--pwfile=${join(home, 'password')}`
    // Tests connect thousands of times, and SCRAM is up to half of what a connection costs them. A durable
    // server, such as a school has, uses it.
    const auth = options.durable ? 'scram-sha-256' : 'password'
    const login = ['--username=postgres', password, `--auth=${auth}`]
    // The built-in locale is the same on every system. One iteration of the password's hash is fast.
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const other = ['--encoding=UTF8', '--no-sync', '--no-instructions', '-c', 'scram_iterations=1']
    const args = ['-D', this.folder, ...login, ...locale, ...other]
    const spawned = { cwd: home, env: this.#environment, ...user }
    await promisify(execFile)(join(binaries, 'bin/initdb'), args, spawned).catch(cause => {
      throw new Error(`The PostgreSQL from npm does not run here. ${advice}`, { cause })
    })
    // No other program gets it while the server is down.
    this.#port = (await freePorts(1))[0] ?? 0
  }

  /** Starts the server, each time with the same port and data. */
  async start(): Promise<void> {
    if (this.running) throw new Error('PostgreSQL is already running.')
    const { binaries, user, home, guard, options } = this.#parts
    const log = openSync(join(home, 'log'), 'a')
    const child = spawn(join(binaries, 'bin/postgres'), this.#flags(options), {
      cwd: home,
      env: this.#environment,
      stdio: ['ignore', log, log],
      // Ctrl-C must reach only the tests. The guard ends the server after them.
      detached: true,
      ...user,
    })
    closeSync(log)
    child.unref()
    await once(child, 'spawn')
    this.#child = child
    guard.stdin?.write(`${child.pid}\n`)
    this.#ended = once(child, 'exit').then(() => {
      this.#child = undefined
      guard.stdin?.write('\n')
    })
    while (!this.#ready()) {
      if (!this.running) throw new Error(`PostgreSQL did not start:\n${this.log()}`)
      await wait(5)
    }
  }

  #flags({ durable = false, flags = [] }: ServerOptions): string[] {
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'shared_buffers=64MB',
      'max_wal_size=128MB',
      // In its own folder, so that a killed server leaves nothing behind.
      'dynamic_shared_memory_type=mmap',
      'max_connections=100',
      ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
    ]
    const ours = settings.flatMap(setting => ['-c', setting])
    return ['-D', this.folder, '-p', String(this.#port), ...ours, ...flags]
  }

  /** Checks the status line, as `pg_ctl` does. The first line names the process that wrote the file. */
  #ready(): boolean {
    const file = join(this.folder, 'postmaster.pid')
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    return lines[0] === String(this.#child?.pid) && lines[7]?.trim() === 'ready'
  }

  /** Cuts connections and shuts down. `immediately` is a crash, after which the next start must recover. */
  async stop({ immediately = false } = {}): Promise<void> {
    if (!this.running) return
    this.thaw()
    process.kill(this.pid, immediately ? 'SIGQUIT' : 'SIGINT')
    await this.#end()
  }

  /** Sends SIGKILL to every process of the server. They are frozen first, so that none can react. */
  async kill(): Promise<void> {
    await this.freeze()
    const family = this.#family().map(({ pid }) => pid)
    for (const pid of family) signal(pid, 'SIGKILL')
    await this.#end()
    // The next start fails while one of them still holds the shared memory.
    while (processes().some(({ pid, state }) => family.includes(pid) && state !== 'Z')) await wait(5)
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** Freezes every process: clients can still connect, but nothing responds. */
  async freeze(): Promise<void> {
    for (;;) {
      const moving = this.#family().filter(({ state }) => state !== 'T' && state !== 'Z')
      if (moving.length === 0) return
      for (const { pid } of moving) signal(pid, 'SIGSTOP')
      await wait(2)
    }
  }

  thaw(): void {
    for (const { pid } of this.#family()) signal(pid, 'SIGCONT')
  }

  /** Stops the server and removes everything that it has on disk. */
  async remove(): Promise<void> {
    await this.stop({ immediately: true })
    const { guard } = this.#parts
    if (guard.exitCode !== null || guard.signalCode !== null) return
    guard.ref()
    guard.stdin?.end()
    await once(guard, 'exit')
  }

  async #end(): Promise<void> {
    this.#child?.ref()
    await this.#ended
  }

  #family(): Process[] {
    const { pid: main } = this
    return processes().filter(({ pid, parent }) => pid === main || parent === main)
  }
}

export type { PostgresServer }

/**
 * A shell that outlives this process, even if it is killed. It reads the server's process id from its
 * standard input and, when that closes, ends the server and removes the folder.
 */
function startGuard(home: string): ChildProcess {
  const script = `
    while read -r line; do pid=$line; done
    if [ -n "$pid" ]; then
      kill -CONT "$pid"; kill -QUIT "$pid"
      for try in 1 2 3 4 5 6 7 8 9 10; do [ -e "$0/data/postmaster.pid" ] && sleep 1; done
    fi
    rm -rf "$0"`
  const guard = spawn('sh', ['-c', script, home], { cwd: '/', stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  guard.unref()
  const pipe = guard.stdin as Socket
  pipe.unref()
  // Only a killed guard closes its end.
  pipe.on('error', () => {})
  return guard
}
