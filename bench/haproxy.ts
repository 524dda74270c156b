/** HAProxy in front of the service, with tighter limits than those of `deploy/haproxy.cfg`, which also bridge a disk that stalls. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from './servers.ts'

const configuration = (port: number, service: number) => `
global
  maxconn 8000
defaults
  mode http
  timeout connect 1s
  timeout http-request 10s
  timeout client 20s
  timeout server 20s
  timeout queue 250ms
  option http-buffer-request
frontend public
  bind 127.0.0.1:${port} backlog 4096
  default_backend service
backend service
  http-reuse always
  server one 127.0.0.1:${service} maxconn 16
`

/** How long it may take to listen, in milliseconds. */
const STARTS_WITHIN = 500

/** Starts it in front of the service at this port. Throws if it is not installed or ends at once. */
export async function startHaproxy(service: number): Promise<{ port: number; stop(): Promise<void> }> {
  const [port] = (await freePorts(1)) as [number]
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration(port, service))
  const proxy = spawn('haproxy', ['-q', '-db', '-f', file], { stdio: ['ignore', 'inherit', 'inherit'] })
  await once(proxy, 'spawn')
  await sleep(STARTS_WITHIN)
  if (proxy.exitCode !== null) throw new Error('HAProxy did not start')
  return {
    port,
    stop: async () => {
      const ended = once(proxy, 'exit')
      proxy.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}
