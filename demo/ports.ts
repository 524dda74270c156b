/** Finds the ports of the demo. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** How many it needs, in a row; where it looks first, and how often. */
const COUNT = 4
const FIRST = 3400
const TRIES = 20

/** The first of the ports: the wanted one, or one from which on all are free. Throws in words if there is none. */
export async function findPorts(wanted: string | undefined): Promise<number> {
  if (wanted !== undefined) {
    const first = Number(wanted)
    if (!Number.isInteger(first) || first < 1 || first + COUNT > 65_536)
      throw new Error(`DEMO_PORT is "${wanted}". Give the first of ${COUNT} ports, such as ${FIRST}.`)
    const taken = await takenOf(first)
    if (taken === undefined) return first
    throw new Error(
      `Port ${taken} is in use. The demo needs the ports ${first} to ${first + COUNT - 1}: choose others with DEMO_PORT, or leave it out.`,
    )
  }
  for (let i = 0; i < TRIES; i++) {
    const first = FIRST + 10 * i
    if ((await takenOf(first)) === undefined) return first
  }
  throw new Error(`No ${COUNT} ports in a row are free from ${FIRST} on. Choose the first with DEMO_PORT.`)
}

async function takenOf(first: number): Promise<number | undefined> {
  for (let port = first; port < first + COUNT; port++) if (!(await isFree(port))) return port
  return undefined
}

/** On every address of this machine. */
async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const free = await once(probe.listen(port), 'listening').then(
    () => true,
    () => false,
  )
  if (free) await once(probe.close(), 'close')
  return free
}
