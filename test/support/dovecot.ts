/**
 * A real IMAP server for tests: Dovecot 2.3, as in Debian 12, with one account, its own folder and its
 * own port. Works for root, too. It ends with the process that started it, no matter how that process
 * ends.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import certificate from 'smtp-server/lib/tls-options.js'
import { requireProgram } from './packages.ts'
import { freePorts } from './ports.ts'
import { serverUser, temporary } from './postgres-binaries.ts'
import { signal } from './processes.ts'

const BINARY = '/usr/sbin/dovecot'

/** The account that may log in. Both parts have characters that a URL must escape. */
export const account = { user: 'admissions@school.example', pass: 'p/s w?rd%40' }

/**
 * Starts a server with an empty INBOX on a free port of 127.0.0.1 and stops it after the test. With
 * `tls` it offers STARTTLS, and TLS from the start on a second port, both with a certificate that no
 * authority has signed. Without `idle` it reports new mail only when a client asks.
 */
export async function startDovecot(t: TestContext, { tls = false, idle = true } = {}): Promise<Dovecot> {
  installDovecot()
  const [port = 0, tlsPort] = await freePorts(tls ? 2 : 1)
  const server = new Dovecot({ port, tlsPort, idle })
  t.after(() => server.remove())
  await server.start()
  return server
}

type Settings = { port: number; tlsPort: number | undefined; idle: boolean }

class Dovecot {
  readonly #settings: Settings
  readonly #user = serverUser()
  readonly #home = mkdtempSync(join(temporary, 'frontdesk-dovecot-'))
  readonly #guard = startGuard(this.#home)
  #child: ChildProcess | undefined
  #ended: Promise<unknown> = Promise.resolve()
  #delivered = 0

  constructor(settings: Settings) {
    this.#settings = settings
    this.#own(this.#home)
    this.#folder('run')
    this.#maildir('mail')
    this.#write('users', `${account.user}:{PLAIN}${account.pass}\n`)
    const { cert, key } = certificate({})
    this.#write('tls.pem', `${cert}\n${key}\n`)
    const uid = this.#user?.uid ?? process.getuid?.()
    this.#write('dovecot.conf', configuration(this.#home, String(uid), settings))
  }

  /** The server's URL, with user and password. It stays the same after a restart. */
  get url(): string {
    const { user, pass } = account
    return `imap://${encodeURIComponent(user)}:${encodeURIComponent(pass)}@127.0.0.1:${this.#settings.port}`
  }

  /** The URL for TLS from the start. */
  get tlsUrl(): string {
    return this.url.replace('imap:', 'imaps:').replace(/\d+$/, String(this.#settings.tlsPort))
  }

  /** Puts a message into INBOX or another folder as a mail server does, in one atomic step. */
  deliver(raw: string | Uint8Array, folder?: string): void {
    const maildir = folder === undefined ? 'mail' : `mail/.${folder}`
    if (folder !== undefined) this.#maildir(maildir)
    // Messages that Dovecot finds together get their uids in the order of these names.
    const name = `${1_700_000_000 + this.#delivered++}.M0P1.test`
    this.#write(join(maildir, 'tmp', name), raw)
    renameSync(join(this.#home, maildir, 'tmp', name), join(this.#home, maildir, 'new', name))
  }

  /** The folder of each message in INBOX, oldest first: `new` until a client has opened the mailbox. */
  states(): string[] {
    const names = (folder: string) => readdirSync(join(this.#home, 'mail', folder))
    const all = ['new', 'cur'].flatMap(folder => names(folder).map(name => ({ folder, name })))
    return all.sort((one, other) => (one.name < other.name ? -1 : 1)).map(({ folder }) => folder)
  }

  /** Makes a stopped server forget all uids: it assigns new ones, under a different UIDVALIDITY. */
  forgetUids(): void {
    const mail = join(this.#home, 'mail')
    for (const name of readdirSync(mail)) {
      if (name.startsWith('dovecot')) rmSync(join(mail, name))
    }
    this.#write('mail/dovecot-uidlist', `3 V2000000000 N1 G${'1'.repeat(32)}\n`)
  }

  /** The server's log so far. */
  log(): string {
    return readFileSync(join(this.#home, 'log'), 'utf8')
  }

  /** Starts the server, each time with the same port and mail, and returns once it greets clients. */
  async start(): Promise<void> {
    const log = openSync(join(this.#home, 'log'), 'a')
    const child = spawn(BINARY, ['-F', '-c', join(this.#home, 'dovecot.conf')], {
      cwd: this.#home,
      stdio: ['ignore', log, log],
      // Its own process group, so that we can freeze and kill all of it at once.
      detached: true,
      ...this.#user,
    })
    closeSync(log)
    child.unref()
    await once(child, 'spawn')
    this.#child = child
    this.#guard.stdin?.write(`${child.pid}\n`)
    this.#ended = once(child, 'exit').then(() => {
      this.#child = undefined
    })
    while (!(await greets(this.#settings.port))) {
      if (this.#child === undefined) throw new Error(`Dovecot did not start:\n${this.log()}`)
      await wait(10)
    }
  }

  /** Ends the server and all connections. */
  async stop(): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined) return
    child.ref()
    signal(-child.pid, 'SIGKILL')
    await this.#ended
  }

  /** Freezes every process: connections stay open, but nothing responds. */
  freeze(): void {
    if (this.#child?.pid !== undefined) signal(-this.#child.pid, 'SIGSTOP')
  }

  thaw(): void {
    if (this.#child?.pid !== undefined) signal(-this.#child.pid, 'SIGCONT')
  }

  /** Stops the server and removes everything that it has on disk. */
  async remove(): Promise<void> {
    await this.stop()
    this.#guard.ref()
    const gone = once(this.#guard, 'exit')
    this.#guard.stdin?.end()
    await gone
  }

  #maildir(path: string): void {
    for (const name of ['', 'new', 'cur', 'tmp']) this.#folder(join(path, name))
  }

  #folder(path: string): void {
    mkdirSync(join(this.#home, path), { recursive: true })
    this.#own(join(this.#home, path))
  }

  #write(path: string, content: string | Uint8Array): void {
    writeFileSync(join(this.#home, path), content)
    this.#own(join(this.#home, path))
  }

  #own(path: string): void {
    if (this.#user) chownSync(path, this.#user.uid, this.#user.gid)
  }
}

export type { Dovecot }

/** Root installs the package if it is missing. Test files that run side by side take turns. */
function installDovecot(): void {
  requireProgram(BINARY, 'dovecot-imapd')
  const version = execFileSync(BINARY, ['--version'], { encoding: 'utf8' }).trim()
  if (!version.startsWith('2.3.')) {
    throw new Error(`These tests need Dovecot 2.3. This is ${version}, which is configured differently.`)
  }
}

/** Everything runs as one user, without the isolation for which Dovecot would have to be root. */
function configuration(home: string, uid: string, { port, tlsPort, idle }: Settings): string {
  const name = (what: string) => execFileSync('id', [what, uid], { encoding: 'utf8' }).trim()
  const [user, group] = [name('-un'), name('-gn')]
  return `
    base_dir = ${home}/run
    state_dir = ${home}/run
    log_path = /dev/stderr
    listen = 127.0.0.1
    protocols = imap
    ${idle ? '' : 'imap_capability = IMAP4rev1'}
    ssl = ${tlsPort === undefined ? 'no' : 'yes'}
    ssl_cert = <${home}/tls.pem
    ssl_key = <${home}/tls.pem
    disable_plaintext_auth = no
    auth_failure_delay = 0
    default_internal_user = ${user}
    default_internal_group = ${group}
    default_login_user = ${user}
    first_valid_uid = 1
    mail_location = maildir:${home}/mail
    passdb {
      driver = passwd-file
      args = ${home}/users
    }
    userdb {
      driver = static
      args = uid=${user} gid=${group} home=${home}
    }
    service anvil {
      chroot =
    }
    service imap-login {
      chroot =
      inet_listener imap {
        port = ${port}
      }
      inet_listener imaps {
        port = ${tlsPort ?? 0}
      }
    }
  `
}

/** Whether an IMAP server responds on this port and can already check passwords. */
async function greets(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1').setTimeout(1000, () => socket.destroy())
  let received = ''
  try {
    for await (const data of socket) {
      received += data
      if (received.includes('[CAPABILITY')) return true
    }
  } catch {
    // No server is listening yet.
  }
  return false
}

/**
 * A shell that outlives this process, even if it is killed. It reads the server's process id from its
 * standard input and, when that closes, ends the server and removes the folder.
 */
function startGuard(home: string): ChildProcess {
  const script = `
    while read -r line; do pid=$line; done
    [ -n "$pid" ] && kill -KILL "-$pid"
    rm -rf "$0"`
  const guard = spawn('sh', ['-c', script, home], { cwd: '/', stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  guard.unref()
  const pipe = guard.stdin as Socket
  pipe.unref()
  // Only a killed guard closes its end.
  pipe.on('error', () => {})
  return guard
}
