/** `npm run demo`, as a newcomer starts it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePortsInARow } from './ports.ts'

const program = fileURLToPath(new URL('../../demo/demo.ts', import.meta.url))

export type Demo = {
  /** Signs in the person who opens it. */
  link: string
  stop(): Promise<void>
}

/** Starts the demo at ports of its own, and returns once it has printed its link. */
export async function startDemo(): Promise<Demo> {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, DEMO_PORT: String(await freePortsInARow(4)) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  for await (const line of createInterface(child.stdout)) {
    const link = /^ +(http:\S+)/.exec(line)?.[1]
    if (link === undefined) continue
    return {
      link,
      stop: async () => {
        child.kill('SIGTERM')
        await exit
      },
    }
  }
  throw new Error('The demo has ended without a link')
}
