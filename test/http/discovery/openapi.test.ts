import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { siteResponses } from '../../../src/http/discovery/responses.ts'
import { openApiSchema, redocly, spectral } from '../../support/validators.ts'
import { BASE, configWith, documentWith, LEARN, operationOf, schemaOf, TODAY } from './openapi.ts'

const document = documentWith()
const operation = operationOf(document)
const schema = schemaOf(document)
const accepting = { siteInterest: { honeypot: 'accept' } } as const

describe('the OpenAPI description', () => {
  test('passes every validator, with either setting of the honeypot', async () => {
    for (const settings of [{}, accepting]) {
      const one = documentWith({ contacts: { developers: 'dev@school.example' }, ...settings })
      deepEqual(await redocly(one), [])
      deepEqual(await spectral(one), [])
      deepEqual(await openApiSchema(one), [])
    }
  })

  test('lacks only an email address if the school gives none', async () => {
    const one = documentWith({})
    deepEqual(await redocly(one), [])
    deepEqual(await spectral(one), [
      'contact-properties at info.contact: Contact object must have "name", "url" and "email".',
    ])
    deepEqual(await openApiSchema(one), [])
  })

  test('has one operation at one URL, without credentials', () => {
    equal(document.openapi, '3.1.0')
    equal(document.info.version, '1.0.0')
    deepEqual(
      document.servers.map(({ url }) => url),
      [BASE],
    )
    deepEqual(document.security, [])
    deepEqual(operation.security, [])
    deepEqual(Object.keys(document.paths), ['/api/site-interest'])
    deepEqual(Object.keys(document.paths['/api/site-interest'] ?? {}), ['post'])
    equal(operation.operationId, 'submitSiteInterest')
  })

  test('does not mention dry runs, and says of student interest only where to read about it', () => {
    const text = JSON.stringify(document)
    ok(!/validateOnly/i.test(text))
    ok(!text.includes('/api/admissions/interest') && !text.includes(LEARN))
    match(document.info.description, new RegExp(`Prospective students .* ${BASE}/docs/api\\.`))
  })

  test('is the same, byte for byte, whenever it is made from the same settings', () => {
    equal(JSON.stringify(documentWith()), JSON.stringify(document))
  })

  test('allows no other property, in no object', () => {
    for (const { type, additionalProperties } of Object.values(document.components.schemas)) {
      equal(type, 'object')
      equal(additionalProperties, false)
    }
    deepEqual(document.components.schemas['Error']?.required, ['error'])
  })

  test('names only registered formats', () => {
    const formats = Object.values(schema.properties).flatMap(({ format }) => format ?? [])
    deepEqual(formats, ['idn-email', 'int64'])
  })

  test('has each documented response, with its words, headers and examples', () => {
    const answers = siteResponses(configWith(), TODAY)
    deepEqual(
      Object.keys(operation.responses),
      answers.map(({ status }) => String(status)),
    )
    for (const { status, when, advice, headers, examples } of answers) {
      const response = operation.responses[status]
      equal(response?.description, `${when} ${advice}`)
      deepEqual(Object.keys(response.headers ?? {}), headers)
      const content = response.content['application/json']
      equal(content.schema.$ref, `#/components/schemas/${status === 200 ? 'Success' : 'Error'}`)
      deepEqual(
        Object.values(content.examples ?? {}).map(({ value }) => value),
        examples.map(({ body }) => body),
      )
    }
  })

  test('requires no header that private addresses do not get', () => {
    const required = Object.entries(document.components.headers)
      .filter(([, header]) => 'required' in header)
      .map(([name]) => name)
    deepEqual(required, ['Allow', 'Retry-After'])
  })

  test('shows accepted requests as examples, and the others beside them with their responses', () => {
    const { examples = {}, 'x-invalid-requests': invalid } = operation.requestBody.content['application/json']
    deepEqual(Object.keys(examples), ['minimal', 'complete'])
    const refused = operation.responses['400']?.content['application/json'].examples ?? {}
    deepEqual(Object.keys(invalid), Object.keys(refused))
    for (const [name, { status, answer }] of Object.entries(invalid)) {
      equal(status, 400)
      deepEqual(answer, refused[name]?.value)
    }
  })
})

describe('the honeypot', () => {
  test('asks for the empty string, and leaves nothing to a default', () => {
    const { description, ...website } = schema.properties['website'] ?? {}
    deepEqual(website, { type: 'string', minLength: 0, maxLength: 0, const: '' })
    ok(schema.required.includes('website'))
    match(description ?? '', /always send the empty string\. Any other text returns 400;/)
  })

  test('returns 200 with the setting accept, and no example says otherwise', () => {
    const one = documentWith(accepting)
    match(schemaOf(one).properties['website']?.description ?? '', /any other text .* the response is 200,/)
    const { examples = {}, 'x-invalid-requests': invalid } = operationOf(one).requestBody.content['application/json']
    deepEqual(Object.keys(examples), ['minimal', 'complete'])
    equal(invalid['filledHoneypot']?.status, 200)
    deepEqual(invalid['filledHoneypot']?.answer, { success: true })
    const refused = operationOf(one).responses['400']?.content['application/json'].examples
    ok(refused !== undefined && !('filledHoneypot' in refused))
  })
})

describe('the policy for automated agents', () => {
  const rule =
    'only on explicit user intent, with answers the user gave, and only for genuine follow-up requests of students, employers or partners'

  test('stands in words in both descriptions', () => {
    for (const text of [document.info.description, operation.description]) {
      ok(text.includes(rule))
    }
  })

  test('stands in fields for programs, with what is never offered', () => {
    equal(operation['x-openai-isConsequential'], true)
    const { policy, notOffered, ...rest } = operation['x-agent-policy']
    equal(policy, `${BASE}/developers#agents`)
    deepEqual(rest, { requiresExplicitUserIntent: true, answersMustComeFromUser: true, genuineFollowUpOnly: true })
    deepEqual(notOffered, [
      'creating student accounts',
      'tuition payments',
      'enrollment actions',
      'status checks',
      'OAuth',
      'public API keys',
      'a public MCP server',
      'event delivery to API clients',
    ])
    for (const thing of notOffered as string[]) ok(document.info.description.includes(thing))
  })

  test('fits into what agent platforms read', () => {
    ok(operation.description.length <= 300)
    const parameters = [...operation.parameters, ...Object.values(schema.properties)]
    for (const { description } of parameters) ok(description.length <= 700)
  })
})

describe('the contact', () => {
  test('is the school, with its email address for developers if it gives one', () => {
    deepEqual(document.info.contact, {
      name: 'School of Austin',
      url: `${BASE}/developers`,
      email: 'developers@school-of-austin.org',
    })
    equal('email' in documentWith({}).info.contact, false)
  })

  test('has its email address in ASCII, or none if it has no ASCII form', () => {
    const emailOf = (developers: string) => documentWith({ contacts: { developers } }).info.contact
    equal(emailOf('web@schülé.example').email, 'web@xn--schl-epa6i.example')
    equal('email' in emailOf('jörg@school.example'), false)
  })
})
