/** The two servers that are compared: each started fresh, on the server's core, and stopped. */
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnNode } from './processes.ts'
import type { Operation } from './requests.ts'

export type Server = {
  pid: number
  /** Where each operation is answered. */
  ports: Record<Operation, number>
  /** From the start of the process to its first 200, in milliseconds. */
  startMs: number
  /** Ends it with SIGTERM, after long patience with SIGKILL. */
  stop: () => Promise<Stopped>
}

/** `dataDir` lies in `folder`, which is new, and so is everything else that the service writes. */
export type Service = Server & { folder: string; dataDir: string }

/** `exitCode` is null where a signal ended the process. */
export type Stopped = { ms: number; exitCode: number | null }

const root = resolve(import.meta.dirname, '..')

/** A server that takes longer than this to start or to stop has failed, in milliseconds. */
const PATIENCE = 30_000

export async function startBare(): Promise<Server> {
  const [port] = (await freePorts(1)) as [number]
  const program = join(import.meta.dirname, 'bare-server.ts')
  return { ...(await launch([program, String(port)], {}, port)), ports: { A: port, B: port } }
}

/** The service as an operator without a mail server runs it, in a folder of its own. */
export async function startService(): Promise<Service> {
  const [site, learn, desk] = (await freePorts(3)) as [number, number, number]
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-bench-'))
  const dataDir = join(folder, 'data')
  const env = {
    BASE_URL: `http://127.0.0.1:${site}`,
    LEARN_URL: `http://127.0.0.1:${learn}`,
    CONSOLE_URL: `http://127.0.0.1:${desk}`,
    HOST: '127.0.0.1',
    SITE_PORT: String(site),
    LEARN_PORT: String(learn),
    CONSOLE_PORT: String(desk),
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
  }
  const log = join(folder, 'service.log')
  const server = await launch([join(root, 'bin/frontdesk.js'), 'serve'], env, desk, log)
  return { ...server, ports: { A: site, B: learn }, folder, dataDir }
}

/** Runs a program until it answers on `port`; what it prints goes to `log`. Throws if it ends. */
async function launch(
  args: string[],
  env: NodeJS.ProcessEnv,
  port: number,
  log = '/dev/null',
): Promise<Omit<Server, 'ports'>> {
  const output = openSync(log, 'a')
  const began = performance.now()
  const child = spawnNode('server', args, {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const exited = once(child, 'exit')
  const ended = () => child.exitCode !== null || child.signalCode !== null
  while ((await statusOf(port)) !== 200) {
    if (ended() || performance.now() - began > PATIENCE) {
      throw new Error(`${args.join(' ')} did not start:\n${readFileSync(log, 'utf8')}`)
    }
    await sleep(5)
  }
  const startMs = performance.now() - began
  return { pid: child.pid as number, startMs, stop }

  async function stop(): Promise<Stopped> {
    const asked = performance.now()
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
    const [exitCode] = await exited
    clearTimeout(timer)
    return { ms: performance.now() - asked, exitCode }
  }
}

/** Asks on a connection of its own, so that none is left open; undefined where nobody listens. */
function statusOf(port: number): Promise<number | undefined> {
  return new Promise(done => {
    const request = get({ host: '127.0.0.1', port, path: '/healthz', agent: false }, response => {
      response.resume()
      done(response.statusCode)
    })
    request.on('error', () => done(undefined))
  })
}

/** All held at once before any is released, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map(server => once(server, 'listening')))
  const ports = servers.map(server => (server.address() as AddressInfo).port)
  await Promise.all(servers.map(server => once(server.close(), 'close')))
  return ports
}
