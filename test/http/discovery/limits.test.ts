/** The limits that the documents tell are those of the contract, and those that the service keeps. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { startPublicApp } from '../../support/public-app.ts'
import { bodyIn, fetchText, type Row, section, tablesIn } from './reading.ts'

/** Written down once more, so that no change of the schema goes by unnoticed. */
const agreed = {
  'Submit site interest': {
    firstName: '2 to 50 characters',
    lastName: '2 to 50 characters',
    email: '5 to 120 characters',
    phone: '10 to 25 characters, 10 to 15 of them digits',
    company: '2 to 120 characters',
    address: '8 to 180 characters',
    message: 'at most 1500 characters',
    website: 'the empty string',
    startedAt: '100000000000 to 99999999999999',
  },
  'Submit student interest': {
    firstName: '2 to 50 characters',
    lastName: '2 to 50 characters',
    email: '5 to 120 characters',
    phone: '10 to 25 characters, 10 to 15 of them digits',
    city: 'at most 80 characters',
    state: '2 to 60 characters',
    interestLevel: '5 to 120 characters',
    timeline: '5 to 120 characters',
    experience: '5 to 120 characters',
    source: '5 to 120 characters',
    employer: 'at most 120 characters',
    message: 'at most 1500 characters',
    idempotencyKey: 'at most 255 characters',
  },
} as const
type Operation = keyof typeof agreed
const operations = Object.keys(agreed) as Operation[]

const required = {
  'Submit site interest': Object.keys(agreed['Submit site interest']).filter(
    name => name !== 'message',
  ),
  'Submit student interest': ['firstName', 'lastName', 'email', 'phone'],
}

const app = await startPublicApp({ after } as TestContext)
const reference = await fetchText(`${app.base}/docs/api.md`)

function documented(operation: Operation) {
  const text = section(reference, operation)
  const rows = tablesIn(text).find(([row]) => row?.['Field'] !== undefined && row['Limits']) ?? []
  return { body: bodyIn(text, 'complete'), rows }
}

const nameIn = ({ Field = '' }: Row): string => Field.replaceAll('`', '')

describe('the limits of each field', () => {
  for (const operation of operations) {
    const { body, rows } = documented(operation)
    const check = dryRun(operation)

    test(`are in the reference as agreed: ${operation}`, () => {
      const limits = Object.fromEntries(rows.map(row => [nameIn(row), row['Limits']]))
      deepEqual(limits, agreed[operation])
      const needed = rows.filter(row => row['Required'] === 'yes')
      deepEqual(needed.map(nameIn), required[operation])
    })

    test(`hold at their very ends: ${operation}`, async () => {
      for (const row of rows) {
        const name = nameIn(row)
        // A state is one of a list, and a moment has an end that moves with the clock.
        if (['state', 'startedAt', 'website'].includes(name)) continue
        const { least, most } = endsOf(row)
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
      for (const row of rows) {
        const { [nameIn(row)]: _, ...rest } = body
        const answer = await check(rest)
        if (row['Required'] === 'no') equal(answer, '{"valid":true}')
        else match(answer, new RegExp(`"${nameIn(row)} is required`))
      }
    })
  }

  test('are the same in the OpenAPI description', async () => {
    const { rows } = documented('Submit site interest')
    const { components } = JSON.parse(await fetchText(`${app.base}/openapi/site-interest.json`))
    const { properties, required } = components.schemas.SiteInterest
    deepEqual(Object.keys(properties), rows.map(nameIn))
    for (const row of rows) {
      const { type, minLength = 0, maxLength, minimum, maximum } = properties[nameIn(row)]
      equal(type, row['Type'])
      equal(required.includes(nameIn(row)) ? 'yes' : 'no', row['Required'])
      const { least, most } = endsOf(row)
      deepEqual([least, most], type === 'integer' ? [minimum, maximum] : [minLength, maxLength])
    }
  })

  test('are the same in /llms.txt, for all required fields', async () => {
    const text = await fetchText(`${app.base}/llms.txt`)
    for (const operation of operations) {
      const paragraph = text.split('\n').find(line => line.startsWith(operation)) ?? ''
      for (const row of documented(operation).rows) {
        const told = new RegExp(`\`${nameIn(row)}\` \\((?:\\w+, )?${row['Limits']}\\)`)
        if (row['Required'] === 'yes') match(paragraph, told)
        else match(paragraph, new RegExp(`\`${nameIn(row)}\``))
      }
    }
  })
})

test('the limits of the service are the same in every document', async () => {
  const numbers = {
    '/docs/api.md': [/10 in 10 minutes and 60 per day/, /5 per hour/, /32 KiB/],
    '/developers.md': [/10 in 10 minutes and 60 per day/, /5 per hour/, /32 KiB/],
    '/llms.txt': [
      /10 requests in 10 minutes and 60 per day/,
      /5 student inquiries per hour/,
      /32 KiB/,
    ],
    '/openapi/site-interest.json': [/10 requests in 10 minutes, or 60 in a day/, /32 KiB/],
  }
  for (const [path, told] of Object.entries(numbers)) {
    const text = await fetchText(`${app.base}${path}`)
    for (const number of told) match(text, number, path)
  }
})

function dryRun(operation: Operation) {
  const url =
    operation === 'Submit site interest'
      ? `${app.base}/api/site-interest`
      : `${app.learn}/api/admissions/interest`
  return async (body: object): Promise<string> => {
    const headers = { 'Content-Type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${url}?validateOnly=true`, init)).text()
  }
}

function endsOf({ Limits = '' }: Row): { least: number; most: number } {
  const numbers = (Limits.match(/\d+/g) ?? []).map(Number)
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
