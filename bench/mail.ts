/** A mail server of our own, as a process beside the load client. */
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Core, spawnNode } from './processes.ts'

export type MailServer = { url: string; stop: () => void }

/** Starts `mail-server.ts`, which accepts every message at once. */
export async function startMailServer(core: Core): Promise<MailServer> {
  const server = spawnNode(core, [join(import.meta.dirname, 'mail-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(server.stdout as Readable, 'data')
  return { url: `smtp://127.0.0.1:${String(port).trim()}`, stop: () => server.kill() }
}
