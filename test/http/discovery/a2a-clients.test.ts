import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { defaultSettings } from '../../../src/config/defaults.ts'
import { agentCard } from '../../../src/http/discovery/agent-card.ts'
import { startApp } from '../../support/app.ts'
import { countRows, onEachEngine } from '../../support/engines.ts'
import { freePorts } from '../../support/process.ts'
import { type A2AClient, a2aClients, type Outgoing, recordFetch, serveCard } from './a2a-clients.ts'

const isPost = ({ method }: Outgoing) => method === 'POST'

/** Our card at an origin of its own, with what `claims` it has beside. */
const cardWith =
  (claims: (origin: string) => object = () => ({})) =>
  (origin: string) => ({
    ...agentCard({ baseUrl: origin, learnUrl: origin, settings: defaultSettings }),
    ...claims(origin),
  })

/** The service at addresses that it knows, so that its card leads to itself. */
async function startPublicly(t: TestContext) {
  const [site, learn] = await freePorts(2)
  return startApp(t, {
    env: {
      BASE_URL: `http://127.0.0.1:${site}`,
      SITE_PORT: `${site}`,
      LEARN_URL: `http://127.0.0.1:${learn}`,
      LEARN_PORT: `${learn}`,
    },
  })
}

describe('a client of A2A that finds our card', () => {
  for (const { name, send, stops } of a2aClients) {
    test(`${name}: reads it, stops with an error, and posts nothing`, async t => {
      const { origin, database } = await startPublicly(t)
      const requests = recordFetch(t)
      await rejects(send(origin.site), stops)
      equal(requests.length, 1)
      deepEqual(requests.filter(isPost), [])
      equal(await countRows(database, 'submissions'), 0)
    })
  }
})

/** Has a client find, one after the other, each card that it would post for. It posts to `/x`. */
async function mislead({ send, bait }: A2AClient, t: TestContext): Promise<void> {
  for (const i of bait('').keys()) {
    const card = cardWith(origin => bait(`${origin}/x`)[i] as object)
    await rejects(send(await serveCard(t, card)))
  }
}

describe('a client of A2A that finds a card with claims', () => {
  for (const client of a2aClients) {
    test(`${client.name}: posts, so the test above can fail`, async t => {
      const requests = recordFetch(t)
      await mislead(client, t)
      const posted = requests.filter(isPost)
      equal(posted.length, client.bait('').length)
      for (const { url, body } of posted) {
        ok(new URL(url).pathname.startsWith('/x'), url)
        ok(body.includes('Mercy Hospital'))
      }
    })
  }
})

describe('A2A sent to the operations all the same', () => {
  onEachEngine(engine => {
    test('is refused, whichever client made it, and nothing is kept', async t => {
      const requests = recordFetch(t)
      for (const client of a2aClients) await mislead(client, t)
      const posted = requests.filter(isPost)
      ok(posted.length >= a2aClients.length)

      const { request, origin, database } = await startApp(t, { engine })
      const operations = [
        { url: `${origin.site}/api/site-interest`, expected: 400 },
        { url: `${origin.site}/api/site-interest/message:send`, expected: 404 },
        { url: `${origin.learn}/api/admissions/interest`, expected: 400 },
      ]
      for (const { body } of posted) {
        for (const { url, expected } of operations) {
          for (const type of ['application/json', 'application/a2a+json']) {
            const headers = { 'Content-Type': type, 'Idempotency-Key': '"a2a"' }
            const answer = await request(url, { method: 'POST', headers, body })
            equal(answer.status, expected)
            deepEqual(Object.keys(answer.body as object), ['error'])
          }
        }
      }
      equal(await countRows(database, 'submissions'), 0)
      equal(await countRows(database, 'quarantine'), 0)
    })
  })
})
