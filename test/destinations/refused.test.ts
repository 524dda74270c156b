/**
 * What an admin reads of each kind of destination when its receiver refuses: what happened and what to do, in the words of its
 * page of the documentation.
 */
import { equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { everyKind, kindNamed } from '../../src/destinations/kinds.ts'
import { TIMEOUT } from '../../src/destinations/send-request.ts'
import { readable } from '../support/forms.ts'
import { formOf, startWithReceiver } from './add-destination.ts'
import { accountAt } from './stand-ins.ts'

/** What someone fills in for a receiver there, and the responses that end a destination at once, beside 410. */
const kinds: Record<string, { fields: (at: string) => Record<string, string>; gone: number[] }> = {
  webhook: { fields: at => ({ url: `${at}/hook` }), gone: [] },
  request: { fields: at => ({ url: `${at}/a`, verb: 'POST', type: 'application/json', body: '{}' }), gone: [] },
  slack: { fields: at => ({ url: `${at}/services/T/B/x` }), gone: [403, 404] },
  teams: { fields: at => ({ url: `${at}/workflows/a?sig=b` }), gone: [404] },
  sheets: {
    fields: at => ({ url: `${at}/spreadsheets/d/an-id/edit`, tab: 'Leads', account: accountAt(`${at}/token`) }),
    gone: [404],
  },
  salesforce: {
    fields: at => ({
      url: at,
      client: 'a',
      clientSecret: 'b',
      externalId: 'Frontdesk_Id__c',
      fields: 'LastName = lastName',
    }),
    gone: [],
  },
  weblead: {
    fields: at => ({ url: `${at}/servlet`, oid: '00D000000000001', fields: 'last_name = lastName' }),
    gone: [],
  },
  hubspot: {
    fields: at => ({
      url: at,
      portal: '12345',
      form: '319478e5-e5fd-4d39-9d13-fc1f90bf46da',
      token: 'secret',
      fields: 'email = email',
    }),
    gone: [404],
  },
}

/** A moment, in milliseconds, in place of the 15 seconds that a receiver has. */
const SOON = 100

/** 0 stands for no response. */
const responses = [302, 400, 401, 403, 404, 410, 429, 500, 503, 0]

const plain = (text: string): string => text.replaceAll(/[*`]/g, '').replaceAll(/\s+/g, ' ')

/** The rows of the tables of a guide that are about a status. */
function rowsAbout(guide: string, status: number): string[] {
  const text = readFileSync(new URL(`../../${guide}`, import.meta.url), 'utf8')
  return text.split('\n').filter(line => {
    const [, cell = ''] = line.split('|')
    if (status === 0) return cell.trim() === 'none'
    const [, from = 0, to = 0] = (/(\d{3}) to (\d{3})/.exec(cell) ?? []).map(Number)
    return cell.includes(String(status)) || (from <= status && status <= to)
  })
}

async function told(t: TestContext) {
  const { timeout } = AbortSignal
  let status = 0
  // Only where no response comes: on a busy machine, one that comes may take longer.
  t.mock.method(AbortSignal, 'timeout', (wait: number) =>
    timeout.call(AbortSignal, wait === TIMEOUT && status === 0 ? SOON : wait),
  )
  let headers = {}
  const service = await startWithReceiver(t, {
    engine: 'sqlite',
    answer: ({ path }) => (/token/.test(path) ? { status: 200, body: '{"access_token":"a"}' } : { status, headers }),
  })
  const { admin, url, settle } = service
  let added = 0
  return async (kind: string, response: number) => {
    status = response
    headers =
      response === 429 ? { 'Retry-After': '30' } : response === 302 ? { Location: 'https://elsewhere.example/' } : {}
    const fields = { name: 'Records', kind: '', events: ['lead.created'], ...kinds[kind]?.fields(new URL(url).origin) }
    equal((await admin.post(`/destinations/new/${kind}`, formOf(fields))).status, 200)
    const path = `/destinations/${++added}`
    await admin.post(`${path}/test`)
    await settle()
    const { text } = await admin.get(path)
    await admin.post(`${path}/off`)
    await admin.post(`${path}/delete`)
    return {
      text,
      said: plain(readable(/<details><summary>[^<]*<\/summary>\s*<p>([\s\S]*?)<\/p>/.exec(text)?.[1] ?? '')),
    }
  }
}

test('each kind is tried', () =>
  equal(
    Object.keys(kinds).toSorted().join(),
    everyKind
      .map(([kind]) => kind)
      .toSorted()
      .join(),
  ))

for (const [kind, { gone }] of Object.entries(kinds))
  test(`a destination of the kind ${kind} says what a refusal means and what to do, as its guide does`, async t => {
    const after = await told(t)
    const guide = kindNamed(kind)?.guide ?? ''
    for (const status of responses) {
      const { text, said } = await after(kind, status)
      const name = `${kind}, ${status}: ${said}`
      const means = status === 0 ? said : said.replace(`it responded ${status}: `, '')
      ok(means.length > 20, name)
      ok(
        rowsAbout(guide, status).some(row => plain(row).includes(means)),
        `${guide} says this of ${status}: ${means}`,
      )
      const banner = readable(/<div class="banner"><p>(<strong>It is[\s\S]*?)<\/div>/.exec(text)?.[1] ?? '').trim()
      const ends = status === 410 || gone.includes(status)
      // What is not sent again ends alone: the destination is fine.
      if (ends || !/given up/.test(text)) ok(plain(banner).includes(means), `${name}: ${banner}`)
      match(banner, ends ? /^It is off/ : /^(It is failing|$)/, name)
    }
  })
