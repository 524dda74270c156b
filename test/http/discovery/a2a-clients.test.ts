import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { defaultSettings } from '../../../src/config/all-settings.ts'
import { agentCard } from '../../../src/http/discovery/agent-card.ts'
import { startApp } from '../../support/app.ts'
import { countRows, onEachEngine } from '../../support/engines.ts'
import { startPublicApp } from '../../support/public-app.ts'
import { type A2AClient, a2aClients, type Outgoing, recordFetch, serveCard } from './a2a-clients.ts'

const isPost = ({ method }: Outgoing) => method === 'POST'

/** Our card at an origin of its own, with further `claims`. */
const cardWith =
  (claims: (origin: string) => object = () => ({})) =>
  (origin: string) => ({
    ...agentCard({ baseUrl: origin, learnUrl: origin, settings: defaultSettings }),
    ...claims(origin),
  })

describe('a client of A2A that finds our card', async () => {
  const { base, database } = await startPublicApp({ after } as TestContext)
  for (const { name, send, stops } of a2aClients) {
    test(`${name}: reads it, stops with an error, and posts nothing`, async t => {
      const requests = recordFetch(t)
      await rejects(send(base), stops)
      equal(requests.length, 1)
      deepEqual(requests.filter(isPost), [])
      equal(await countRows(database, 'submissions'), 0)
    })
  }
})

/** Lets a client find each card for which it would post, one after the other. It posts to `/x`. */
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

describe('A2A messages sent to the operations anyway', () => {
  onEachEngine(engine => {
    test('are rejected, whichever client made them, and nothing is stored', async t => {
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
