/** A real HTTP server in place of the learning site, which responds, stalls and fails as a test demands. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

type Asked = { path: string; headers: IncomingHttpHeaders; body: unknown }

export type LearningSite = {
  url: string
  /** Every request, in order, once it has arrived in full. */
  asked: Asked[]
  /** How it responds; may be changed between requests. */
  answer: (response: ServerResponse, asked: Asked) => void
}

/** Starts one that has accounts for the addresses `known`. Stopped after the test. */
export async function startLearningSite(t: TestContext, known: string[] = []): Promise<LearningSite> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request
    const one = { path, headers, body: await json(request).catch(() => undefined) }
    asked.push(one)
    site.answer(response, one)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const site: LearningSite = {
    url: `http://127.0.0.1:${port}/accounts/look-up`,
    asked,
    answer: (response, { body }) => {
      const { email } = body as { email: string }
      response.end(JSON.stringify({ exists: known.includes(email) }))
    },
  }
  return site
}
