/**
 * A stranger who is given the base URL and nothing else. What is not in a document that was found on
 * the way is not used.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, describe, type TestContext, test } from 'node:test'
import { currentTestClock } from '../../support/clock.ts'
import { countRows } from '../../support/engines.ts'
import { startPublicApp } from '../../support/public-app.ts'
import { bodyIn, bodyWithNewKey, fetchText, section } from './reading.ts'

type Body = Record<string, unknown>

/** Tries it without submitting, then submits it; both must work at the first try. */
async function submit(url: string, body: Body, headers: Record<string, string> = {}) {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
  const tried = await fetch(`${url}?validateOnly=true`, init)
  deepEqual([tried.status, await tried.json()], [200, { valid: true }])
  const sent = await fetch(url, init)
  deepEqual([sent.status, await sent.json()], [200, { success: true }])
}

/** The address in "POST http://…", after a word that tells the operations apart. */
const addressIn = (text: string): string => /POST\s+(http\S+?)`?\s/.exec(text)?.[1] ?? ''

const app = await startPublicApp({ after } as TestContext, {
  settings: { contacts: { security: 'mailto:security@school.example' } },
  clock: currentTestClock(),
})

let before = 0
const submissions = () => countRows(app.database, 'submissions')

/** The examples are of the same two people, so each walk adds one submission to each of two leads. */
async function assertOneMoreOfEachKind() {
  equal(await submissions(), before + 2)
  await app.settle()
  const leads = await app.app.store.listLeads({ limit: 10 })
  deepEqual(leads.map(({ kind }) => kind).sort(), ['site', 'student'])
}

describe('from the host name to both submissions', () => {
  beforeEach(async () => {
    before = await submissions()
  })

  test('by way of /llms.txt and the Markdown that it links to', async () => {
    const summary = await fetchText(`${app.base}/llms.txt`)
    const reference = /\[API reference\]\((\S+?)\)/.exec(summary)?.[1] ?? ''
    const markdown = await fetchText(reference)

    const site = section(markdown, 'Submit site interest')
    await submit(addressIn(site), { ...bodyIn(site, 'minimal'), startedAt: Date.now() })

    const student = section(markdown, 'Submit student interest')
    const { body, key } = bodyWithNewKey(bodyIn(student, 'complete'), randomUUID())
    await submit(addressIn(student), body, { 'X-Idempotency-Key': key })
    await assertOneMoreOfEachKind()
  })

  test('by what /llms.txt says itself', async () => {
    const summary = await fetchText(`${app.base}/llms.txt`)
    for (const [operation, headers] of [
      ['Submit site interest', {}],
      ['Submit student interest', {}],
    ] as const) {
      const part = summary.split('\n\n').find(one => one.startsWith(operation)) ?? ''
      const example = /Example: `(\{.*\})`/.exec(part)?.[1] ?? ''
      await submit(addressIn(part), JSON.parse(example), headers)
    }
    await assertOneMoreOfEachKind()
  })

  test('by way of the API catalog: a description for site interest, documentation for both', async () => {
    const { linkset } = JSON.parse(await fetchText(`${app.base}/.well-known/api-catalog`))
    const members: string[] = linkset[0].item.map(({ href }: { href: string }) => href)
    const linksOf = (anchor: string) => linkset.find((context: { anchor: string }) => context.anchor === anchor)
    equal(members.length, 2)

    const described = members.filter(member => linksOf(member)['service-desc'])
    equal(described.length, 1)
    const [site = ''] = described
    const description = JSON.parse(await fetchText(linksOf(site)['service-desc'][0].href))
    const [[path, operations]] = Object.entries<Body>(description.paths) as [[string, Body]]
    const operation = operations['post'] as Body
    equal(description.servers[0].url + path, site)
    equal(operation['operationId'], 'submitSiteInterest')
    const { examples } = (operation['requestBody'] as { content: Record<string, Body> }).content[
      'application/json'
    ] as { examples: Record<string, { value: Body }> }
    await submit(site, examples['minimal']?.value ?? {})

    const [student = ''] = members.filter(member => member !== site)
    const documented = linksOf(student)['service-doc'][0].href
    const page = await fetch(documented)
    const twin = /<([^>]+)>; rel="alternate"; type="text\/markdown"/.exec(page.headers.get('link') ?? '')?.[1]
    const text = section(await fetchText(twin ?? ''), 'Submit student interest')
    equal(addressIn(text), student)
    const { body, key } = bodyWithNewKey(bodyIn(text, 'minimal'), randomUUID())
    await submit(student, body, { 'X-Idempotency-Key': key })
    await assertOneMoreOfEachKind()
  })

  test('the learn host leads to the same catalog', async () => {
    const [here, there] = [app.base, app.learn].map(host => fetchText(`${host}/.well-known/api-catalog`))
    equal(await here, await there)
  })

  test('by way of the developers page in HTML, with a request that it shows', async () => {
    const page = await fetchText(app.base)
    const docs = /href="([^"]+\/docs\/api)"/.exec(page)?.[1] ?? ''
    const reference = await fetchText(docs)
    const words = reference.replace(/<[^>]+>/g, '').replaceAll('&quot;', '"')
    const [body = ''] = /\{\n {2}"firstName".*?\n\}/s.exec(words) ?? []
    const { success } = (await (
      await fetch(addressIn(words), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    ).json()) as { success: boolean }
    equal(success, true)
  })
})

test('every link of every document leads somewhere', async () => {
  const operations = [`${app.base}/api/site-interest`, `${app.learn}/api/admissions/interest`]
  const found = new Map<string, string>()
  const waiting = [app.base, `${app.base}/llms.txt`, `${app.base}/robots.txt`]
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (found.has(url)) continue
    const operation = operations.some(one => url?.startsWith(one))
    const response = await fetch(url)
    equal(response.status, operation ? 405 : 200, url)
    const text = operation ? '' : await response.text()
    found.set(url, text)
    found.set(response.url, text)
    const own = new RegExp(`(?:${app.base}|${app.learn})(?:/[\\w./-]*[\\w-])?`, 'g')
    const hrefs = Array.from(
      text.matchAll(/href="(\/[^"#?]*)/g),
      ([, path]) => `${new URL(response.url).origin}${path}`,
    )
    waiting.push(...(text.match(own) ?? []), ...hrefs)
  }
  const paths = [...found.keys()].map(url => url.replace(app.base, '').replace(app.learn, 'learn:'))
  for (const promised of [
    '/developers',
    '/.well-known/api-catalog',
    '/.well-known/agent.json',
    '/.well-known/agent-card.json',
    '/openapi/site-interest.json',
    '/llms.txt',
    '/pricing',
    '/pricing.md',
    '/docs/api',
    'learn:/api/admissions/interest',
  ]) {
    ok(paths.includes(promised), `${promised} is found by following links`)
  }
  for (const [url, text] of found) {
    if (url === app.base) continue
    for (const [, target = '', id = ''] of text.matchAll(/(?:href="|\]\()(?!data:)([^"#()\s]*)#([\w-]+)/g)) {
      const page = new URL(target, url).href.replace(/\.md$/, '')
      match(found.get(page) ?? '', new RegExp(` id="${id}"`), `${url} links to ${page}#${id}`)
    }
    for (const [, target = '', id = ''] of text.matchAll(/"(http[^"#]+)#([\w-]+)"/g)) {
      match(found.get(target) ?? '', new RegExp(` id="${id}"`), `${url} names ${target}#${id}`)
    }
  }
})
