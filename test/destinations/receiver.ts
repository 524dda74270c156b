/** A program of a school that receives webhooks: it keeps what it was sent, and responds as the test says. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export type Sent = {
  method: string
  path: string
  headers: Record<string, string>
  body: string
  event: { type: string; timestamp: string; data: Record<string, unknown> }
}

/** With a status of 0, there is no response. */
type Answer = { status: number; headers?: Record<string, string>; body?: string }

export async function startReceiver(
  t: TestContext,
  answer: (sent: Sent) => Answer | Promise<Answer> = () => ({ status: 204 }),
) {
  const received: Sent[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url: path = '' } = request
    const sent = { method, path, headers: textsOf(request.headers), body, event: jsonIn(body) }
    received.push(sent)
    const { status, headers = {}, body: text = '' } = await answer(sent)
    if (status > 0) response.writeHead(status, headers).end(text)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

/** A request for a token is a form. */
function jsonIn(body: string) {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const textsOf = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
