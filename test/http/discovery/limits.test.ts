/** The limits that the documents tell are those of the contract, and those that the service keeps. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, type TestContext, test } from 'node:test'
import { emailLimits } from '../../../src/http/discovery/responses.ts'
import { startPublicApp } from '../../support/public-app.ts'
import { bodyIn, type Field, fetchText, fieldsIn, section } from './reading.ts'

/** Written down once more, so that no change of the schema goes by unnoticed. */
const agreed = {
  'Submit site interest': {
    firstName: '2–50 characters',
    lastName: '2–50 characters',
    email: '5–120 characters',
    phone: '10–25 characters, 10–15 digits',
    company: '2–120 characters',
    address: '8–180 characters',
    message: 'at most 1500 characters',
    website: 'the empty string',
    startedAt: 'Unix milliseconds, at most 24 hours ahead',
  },
  'Submit student interest': {
    firstName: 'at most 50 characters',
    lastName: 'at most 50 characters',
    email: '5–120 characters',
    phone: '10–25 characters, 10–15 digits',
    city: 'at most 80 characters',
    state: '2–60 characters',
    interestLevel: '5–120 characters',
    timeline: '5–120 characters',
    experience: '5–120 characters',
    source: '5–120 characters',
    employer: 'at most 120 characters',
    message: 'at most 1500 characters',
    idempotencyKey: 'at most 255 characters',
  },
} as const
type Operation = keyof typeof agreed
const operations = Object.keys(agreed) as Operation[]

const required = {
  'Submit site interest': Object.keys(agreed['Submit site interest']).filter(name => name !== 'message'),
  'Submit student interest': ['firstName', 'lastName', 'email', 'phone'],
}

const app = await startPublicApp({ after } as TestContext)
const reference = await fetchText(`${app.base}/docs/api.md`)

function documented(operation: Operation) {
  const text = section(reference, operation)
  return { body: bodyIn(text, 'complete'), fields: fieldsIn(text) }
}

describe('the limits of each field', () => {
  for (const operation of operations) {
    const { body, fields } = documented(operation)
    const check = dryRun(operation)

    test(`are in the reference as agreed: ${operation}`, () => {
      const limits = Object.fromEntries(fields.map(({ name, limits }) => [name, limits]))
      deepEqual(limits, agreed[operation])
      const needed = fields.filter(({ need }) => need === 'required')
      deepEqual(
        needed.map(({ name }) => name),
        required[operation],
      )
    })

    test(`hold at their very ends: ${operation}`, async () => {
      for (const field of fields) {
        const { name } = field
        // A state is one of a list, and a moment has an end that moves with the clock.
        if (['state', 'startedAt', 'website'].includes(name)) continue
        const { least, most } = endsOf(field)
        const long = async (length: number) => check({ ...body, [name]: textOf(name, length) })
        for (const fine of [least, most]) {
          if (fine > 0) equal(await long(fine), '{"valid":true}', `${name} of ${fine}`)
        }
        for (const wrong of [most + 1, ...(least > 1 ? [least - 1] : [])]) {
          match(await long(wrong), new RegExp(`"${name} must`), `${name} of ${wrong}`)
        }
      }
    })

    test(`apply to required fields only if these are there: ${operation}`, async () => {
      for (const { name, need } of fields) {
        const { [name]: _, ...rest } = body
        const answer = await check(rest)
        if (need === 'optional') equal(answer, '{"valid":true}')
        else match(answer, new RegExp(`"${name} is required`))
      }
    })
  }

  test('are the same in the OpenAPI description', async () => {
    const { fields } = documented('Submit site interest')
    const { components } = JSON.parse(await fetchText(`${app.base}/openapi/site-interest.json`))
    const { properties, required } = components.schemas.SiteInterest
    deepEqual(
      Object.keys(properties),
      fields.map(({ name }) => name),
    )
    for (const field of fields) {
      const { type, minLength = 0, maxLength, minimum, maximum } = properties[field.name]
      equal(type, field.type)
      equal(required.includes(field.name) ? 'required' : 'optional', field.need)
      const { least, most } = endsOf(field)
      // The description has what lies beyond milliseconds as numbers, the page the rule.
      if (type === 'integer') deepEqual([minimum, maximum], [100_000_000_000, 99_999_999_999_999])
      else deepEqual([least, most], [minLength, maxLength])
    }
  })

  test('are the same in /llms.txt, for all required fields', async () => {
    const text = await fetchText(`${app.base}/llms.txt`)
    for (const operation of operations) {
      const part = text.split('\n\n').find(one => one.startsWith(operation)) ?? ''
      for (const { name, need, limits } of documented(operation).fields) {
        const told = new RegExp(`\`${name}\` \\((?:\\w+, )?${limits}\\)`)
        if (need === 'required') match(part, told)
        else match(part, new RegExp(`\`${name}\``))
      }
    }
  })
})

test('the limits of the service are the same in every document', async () => {
  const numbers = {
    '/docs/api.md': [/10 in 10 minutes and 60 per day/, /5 per hour/, /32 KiB/],
    '/developers.md': [/10 in 10 minutes and 60 per day/, /5 per hour/, /32 KiB/],
    '/llms.txt': [/10 requests in 10 minutes and 60 per day/, /5 per hour/, /32 KiB/],
    '/openapi/site-interest.json': [/10 requests in 10 minutes, or 60 in a day/, /32 KiB/],
  }
  for (const [path, told] of Object.entries(numbers)) {
    const text = await fetchText(`${app.base}${path}`)
    for (const number of told) match(text, number, path)
  }
})

test('every document says the same of many inquiries for one email address', async () => {
  const texts = await Promise.all(
    ['/developers.md', '/docs/api.md', '/llms.txt'].map(path => fetchText(`${app.base}${path}`)),
  )
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  for (const text of [...texts, readme]) {
    for (const limit of Object.values(emailLimits)) ok(text.includes(limit))
    doesNotMatch(text, /\block(?:ed|out)/i)
  }
})

function dryRun(operation: Operation) {
  const url =
    operation === 'Submit site interest' ? `${app.base}/api/site-interest` : `${app.learn}/api/admissions/interest`
  return async (body: object): Promise<string> => {
    const headers = { 'Content-Type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${url}?validateOnly=true`, init)).text()
  }
}

function endsOf({ limits }: Field): { least: number; most: number } {
  const numbers = (limits.match(/\d+/g) ?? []).map(Number)
  const [least = 0, most = 0] = numbers.length >= 2 ? numbers : [0, ...numbers]
  return { least, most }
}

/** A text of a length that is right in every other way. */
function textOf(field: string, length: number): string {
  if (field === 'phone') return '5125550142'.slice(0, length).padEnd(length, '-')
  if (field === 'email') {
    const [local, rest] = [Math.min(60, length - 4), length - Math.min(60, length - 4)]
    return `${'a'.repeat(local)}@${'b'.repeat(Math.max(1, rest - 3)).replace(/(.{50})./g, '$1.')}.c`
  }
  if (/^(?:interestLevel|timeline|experience|source)$/.test(field)) {
    return '1 - '.padEnd(length, 'x')
  }
  return 'x'.repeat(length)
}
