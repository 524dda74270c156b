/**
 * The clients of every generation of A2A that was released in JavaScript, each as its documentation has
 * it used: given an origin, it looks for the card and sends a message.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { Role } from '@a2a-js/sdk'
import {
  ClientFactory as Factory1,
  ClientFactoryOptions as FactoryOptions1,
  JsonRpcTransportFactory as JsonRpc1,
  DefaultAgentCardResolver as Resolver1,
  RestTransportFactory as Rest1,
} from '@a2a-js/sdk/client'
import { A2AClient as Client02 } from 'a2a-sdk-0.2/client'
import { A2AClient as Client03, ClientFactory as Factory03 } from 'a2a-sdk-0.3/client'
import { paths } from '../../../src/http/urls.ts'
import { aSite } from '../../support/bodies.ts'

export type A2AClient = {
  name: string
  send(origin: string): Promise<unknown>
  /** What it says of a card that gives it nothing to call. */
  stops: RegExp
  /** What a card would have to claim beside what ours says, so that this client posts to `url`. */
  bait(url: string): object[]
}

/** The most tempting message: all that the operation wants, in a part of data. */
const message = () => ({
  kind: 'message' as const,
  messageId: randomUUID(),
  role: 'user' as const,
  parts: [
    { kind: 'text' as const, text: 'Please have the school call us back.' },
    { kind: 'data' as const, data: aSite() },
  ],
})

const part = (content: { $case: 'text'; value: string } | { $case: 'data'; value: object }) => ({
  content,
  metadata: undefined,
  filename: '',
  mediaType: '',
})

const message1 = () => ({
  tenant: '',
  configuration: undefined,
  metadata: undefined,
  message: {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [
      part({ $case: 'text', value: 'Please have the school call us back.' }),
      part({ $case: 'data', value: aSite() }),
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
})

const legacyCompat = { enabled: true }

const binding = (url: string, protocolBinding: string) => ({
  supportedInterfaces: [{ url, protocolBinding, protocolVersion: '1.0' }],
})

const NO_TRANSPORT = /^Error: No compatible transport found/
const NO_URL = /^Error: (?:Fetched|Provided) Agent Card does not contain a valid 'url'/

export const a2aClients: A2AClient[] = [
  {
    name: '0.2.5',
    send: origin => new Client02(origin).sendMessage({ message: message() }),
    stops: NO_URL,
    bait: url => [{ url }],
  },
  {
    name: '0.2.5, told of the newer path',
    send: origin => new Client02(origin, paths.agentCard).sendMessage({ message: message() }),
    stops: NO_URL,
    bait: url => [{ url }],
  },
  {
    name: '0.3.14',
    send: async origin => {
      const client = await new Factory03().createFromUrl(origin)
      return client.sendMessage({ message: message() })
    },
    stops: NO_TRANSPORT,
    bait: url => [{ url }, { url, preferredTransport: 'HTTP+JSON' }],
  },
  {
    name: '0.3.14, by its older class',
    send: async origin => {
      const client = await Client03.fromCardUrl(`${origin}${paths.agentCard}`)
      return client.sendMessage({ message: message() })
    },
    stops: NO_URL,
    bait: url => [{ url }],
  },
  {
    name: '1.3.0',
    send: async origin => {
      const client = await new Factory1().createFromUrl(origin)
      return client.sendMessage(message1())
    },
    stops: NO_TRANSPORT,
    bait: url => [binding(url, 'HTTP+JSON'), binding(url, 'JSONRPC')],
  },
  {
    name: '1.3.0, at peace with older cards',
    send: async origin => {
      const options = FactoryOptions1.createFrom(FactoryOptions1.default, {
        transports: [new JsonRpc1({ legacyCompat }), new Rest1({ legacyCompat })],
        cardResolver: new Resolver1({ legacyCompat }),
      })
      const client = await new Factory1(options).createFromUrl(origin)
      return client.sendMessage(message1())
    },
    stops: NO_TRANSPORT,
    bait: url => [
      { url, supportedInterfaces: undefined },
      { url, supportedInterfaces: undefined, preferredTransport: 'HTTP+JSON' },
    ],
  },
]

export type Outgoing = { method: string; url: string; type: string | null; body: string }

/** From here on, every request that anything in this test makes with `fetch`, wherever it goes. */
export function recordFetch(t: TestContext): Outgoing[] {
  const requests: Outgoing[] = []
  const { fetch } = globalThis
  // While the first tests run, other files of the process are still being loaded, and some fetch, too.
  const ofThisTest = new AsyncLocalStorage<boolean>()
  ofThisTest.enterWith(true)
  t.mock.method(globalThis, 'fetch', async (input: string | URL | Request, init?: RequestInit) => {
    if (!ofThisTest.getStore()) return fetch(input, init)
    const request = new Request(input, init)
    const { method, url, headers } = request
    const body = await request.clone().text()
    requests.push({ method, url, type: headers.get('content-type'), body })
    return fetch(request)
  })
  // The client of 0.2.5 prints its errors.
  t.mock.method(console, 'error', () => {})
  return requests
}

/** Serves the card at both of its paths, and 404 everywhere else. */
export async function serveCard(t: TestContext, cardAt: (origin: string) => object) {
  const server = createServer(({ url, method }, response) => {
    const found = method === 'GET' && (url === paths.agentCard || url === paths.earlierAgentCard)
    response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(found ? cardAt(origin) : { error: 'There is nothing here' }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return origin
}
