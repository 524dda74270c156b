/** A real HTTP server in the place of the learning site, which answers, stalls and fails as it is told. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

type Asked = { path: string; headers: IncomingHttpHeaders; body: unknown }

export type LearningSite = {
  url: string
  /** Every question, in order, as soon as it has arrived whole. */
  asked: Asked[]
  /** How questions are answered; may be changed between them. */
  answer: (response: ServerResponse, asked: Asked) => void
}

/** Starts one that knows the addresses `known`. Stopped after the test. */
export async function startLearningSite(
  t: TestContext,
  known: string[] = [],
): Promise<LearningSite> {
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
