import { deepEqual, doesNotMatch, equal, match, ok, partialDeepStrictEqual } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { AgentCard } from '@a2a-js/sdk'
import { agentCard } from '../../../src/http/discovery/agent-card.ts'
import { paths } from '../../../src/http/urls.ts'
import { startApp } from '../../support/app.ts'
import { publicConfig, urls } from './addresses.ts'

type Card = Record<string, unknown> & {
  description: string
  provider: { organization: string; url: string }
  capabilities: Record<string, unknown> & {
    extensions: { uri: string; required: boolean; params: Record<string, string> }[]
  }
  skills: { id: string; tags: string[]; examples: string[] }[]
}

/** The card, as a client gets it. */
const cardOf = (config = publicConfig): Card => JSON.parse(JSON.stringify(agentCard(config)))

/** A2A 1.0, a2a.proto: the fields marked as required. */
const REQUIRED = {
  card: [
    'name',
    'description',
    'supportedInterfaces',
    'version',
    'capabilities',
    'defaultInputModes',
    'defaultOutputModes',
    'skills',
  ],
  skill: ['id', 'name', 'description', 'tags'],
  provider: ['organization', 'url'],
}

function has(object: object, fields: string[]) {
  for (const field of fields) {
    const value = (object as Record<string, unknown>)[field]
    ok(value !== undefined && value !== '', field)
    if (Array.isArray(value)) ok(value.length > 0, field)
  }
}

describe('the agent card', () => {
  test('has everything that A2A 1.0 requires', () => {
    const card = cardOf()
    has(card, REQUIRED.card)
    has(card.provider, REQUIRED.provider)
    for (const skill of card.skills) has(skill, REQUIRED.skill)
  })

  test('has nothing that the SDK of A2A 1.0 does not know', () => {
    const card = cardOf()
    partialDeepStrictEqual(AgentCard.fromJSON(card), card)
  })

  test('offers no URL to post A2A messages to', () => {
    const card = cardOf()
    for (const field of ['url', 'preferredTransport', 'protocolVersion', 'additionalInterfaces']) {
      ok(!(field in card), field)
    }
    doesNotMatch(JSON.stringify(card), /"(?:JSONRPC|GRPC|HTTP\+JSON)"/i)
    deepEqual(card['supportedInterfaces'], [
      {
        url: urls.siteInterest,
        protocolBinding: 'https://www.example.edu/developers#plain-http-json',
        protocolVersion: '1.0',
      },
    ])
  })

  test('asks for no credentials, and promises neither streams nor events', () => {
    const card = cardOf()
    for (const field of ['securitySchemes', 'security', 'securityRequirements']) {
      ok(!(field in card), field)
    }
    const { streaming, pushNotifications } = card.capabilities
    deepEqual({ streaming, pushNotifications }, { streaming: false, pushNotifications: false })
  })

  test('says in words that there is no A2A, what to do instead, and who may', () => {
    const { description } = cardOf()
    match(description, /no A2A operation is implemented/)
    ok(description.includes(`POST plain JSON to ${urls.siteInterest}`))
    ok(description.includes(urls.openapi))
    match(description, /only on explicit user intent, with answers the user gave/)
    match(description, /genuine follow-up requests of students, employers or partners/)
    ok(description.includes(urls.docs))
  })

  test('points to the OpenAPI description in an extension that no client needs to know', () => {
    const { extensions } = cardOf().capabilities
    deepEqual(
      extensions.map(({ uri, required, params }) => ({ uri, required, params })),
      [
        {
          uri: 'https://www.example.edu/developers#discovery',
          required: false,
          params: {
            openapi: urls.openapi,
            operationId: 'submitSiteInterest',
            apiCatalog: urls.catalog,
            documentation: urls.docs,
          },
        },
      ],
    )
  })

  test('has site interest as its only skill, and does not name the operation for students', () => {
    const card = cardOf()
    deepEqual(
      card.skills.map(({ id }) => id),
      ['submitSiteInterest'],
    )
    ok(!JSON.stringify(card).includes(urls.studentInterest))
  })

  test('names the school and its website, or else this one', () => {
    equal(cardOf().provider.url, urls.base)
    const school = { ...publicConfig.settings.school, name: 'Mesa', website: 'https://mesa.example' }
    const card = cardOf({ ...publicConfig, settings: { ...publicConfig.settings, school } })
    deepEqual(card.provider, { organization: 'Mesa', url: 'https://mesa.example' })
    ok(card.description.includes('Mesa'))
  })
})

describe('the agent card as it is served', async () => {
  const app = await startApp({ after } as TestContext, {
    settings: { school: { name: 'Mesa Career Institute' } },
    env: { BASE_URL: 'https://www.mesa.example' },
  })
  const get = (path: string) => app.request(`${app.origin.site}${path}`)
  const served = await get(paths.agentCard)
  const card = JSON.parse(served.text)

  test('is the same, byte for byte, at both of its paths', async () => {
    const earlier = await get(paths.earlierAgentCard)
    equal(earlier.text, served.text)
    equal(earlier.headers.get('etag'), served.headers.get('etag'))
  })

  test('has the configured school and URLs', () => {
    match(card.name, /^Mesa Career Institute/)
    equal(card.supportedInterfaces[0].url, 'https://www.mesa.example/api/site-interest')
    ok(!served.text.includes('localhost:3000'))
  })

  test('names sections that the page for developers has', async () => {
    const page = (await get(paths.developers)).text
    for (const name of [card.supportedInterfaces[0].protocolBinding, card.capabilities.extensions[0].uri]) {
      const { pathname, hash } = new URL(name)
      equal(pathname, paths.developers)
      ok(page.includes(` id="${hash.slice(1)}"`), name)
    }
  })
})
