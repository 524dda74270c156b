/** A server that takes the place of the push service of a browser's maker. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export type PushService = {
  /** The requests that it got. */
  woken: IncomingMessage[]
  /** What it answers with. */
  status: number
  /** The URL of one browser. */
  url: string
}

/** Starts it. `deliver` runs after each response, as the maker then wakes the browser. */
export async function startPushService(t: TestContext, deliver: () => unknown = () => {}): Promise<PushService> {
  const service: PushService = { woken: [], status: 201, url: '' }
  const server = createServer((request, response) => {
    service.woken.push(request)
    response.writeHead(service.status).end(() => deliver())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/send/abc`
  return service
}
