/** Ports of this machine for tests, which run side by side. */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Free ports, all different, which no other test of this machine gets until this process ends. They are below the
 * ports that systems assign to outgoing connections (from 32768 on Linux), so that none of those can occupy them.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = randomInt(11_000, 32_000)
    if ((await reserve(port)) && (await isFree(port))) ports.push(port)
  }
  return ports
}

/** The first of this many ports in a row, as above. */
export async function freePortsInARow(count: number): Promise<number> {
  for (;;) {
    const first = randomInt(11_000, 32_000 - count)
    let free = 0
    while (free < count && (await reserve(first + free)) && (await isFree(first + free))) free++
    if (free === count) return first
  }
}

/** The UDP port of the same number, which nothing else needs, stands for it: the system gives it to one process only. */
function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref()
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  return succeeds(once(socket, 'listening'))
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  const free = await succeeds(once(server, 'listening'))
  if (free) await once(server.close(), 'close')
  return free
}

const succeeds = (attempt: Promise<unknown>) =>
  attempt.then(
    () => true,
    () => false,
  )
