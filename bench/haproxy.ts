/** HAProxy in front of the service, set up like `deploy/haproxy.cfg`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from './servers.ts'

/** What a replica gets at a time, how many more may wait, and for how long, as HAProxy writes it (`250ms`). */
export type ProxyLimits = { requests: number; waiting: number; queue: string }

const configuration = (port: number, service: number, { requests, waiting, queue }: ProxyLimits) => `
global
  maxconn 8000
defaults
  mode http
  timeout connect 1s
  timeout http-request 10s
  timeout client 20s
  timeout server 20s
  timeout queue ${queue}
  option http-buffer-request
frontend public
  bind 127.0.0.1:${port} backlog 4096
  default_backend service
backend service
  http-reuse always
  http-request deny deny_status 503 if { queue ge ${waiting} }
  server one 127.0.0.1:${service} maxconn ${requests}
`

/** How long it may take to listen, in milliseconds. */
const STARTS_WITHIN = 500

/** Starts it in front of the service at this port. Throws if it is not installed or ends at once. */
export async function startHaproxy(
  service: number,
  limits: ProxyLimits,
): Promise<{ port: number; stop(): Promise<void> }> {
  const [port] = (await freePorts(1)) as [number]
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration(port, service, limits))
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
