/** How documents travel: methods, negotiation, compression, caches. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { after, describe, type TestContext, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { DAY } from '../../../src/platform/time.ts'
import { type PublicApp, startPublicApp } from '../../support/public-app.ts'

const documents: Record<string, string> = {
  '/developers': 'text/html; charset=utf-8',
  '/docs/api': 'text/html; charset=utf-8',
  '/forms': 'text/html; charset=utf-8',
  '/pricing': 'text/html; charset=utf-8',
  '/developers.md': 'text/markdown; charset=utf-8; variant=GFM',
  '/docs/api.md': 'text/markdown; charset=utf-8; variant=GFM',
  '/forms.md': 'text/markdown; charset=utf-8; variant=GFM',
  '/pricing.md': 'text/markdown; charset=utf-8; variant=GFM',
  '/openapi/site-interest.json': 'application/json',
  '/.well-known/api-catalog': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  'learn:/.well-known/api-catalog': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  '/.well-known/agent.json': 'application/json',
  '/.well-known/agent-card.json': 'application/json',
  '/llms.txt': 'text/plain; charset=utf-8',
  '/robots.txt': 'text/plain; charset=utf-8',
  '/sitemap.xml': 'application/xml',
  '/.well-known/security.txt': 'text/plain; charset=utf-8',
  '/forms/form.js': 'text/javascript; charset=utf-8',
  'learn:/forms/form.js': 'text/javascript; charset=utf-8',
  '/favicon.svg': 'image/svg+xml',
  '/favicon.ico': 'image/x-icon',
}
const pages = ['/developers', '/docs/api', '/forms', '/pricing']

const app = await startPublicApp({ after } as TestContext, {
  settings: { contacts: { security: 'mailto:security@school.example' } },
})

type Reply = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** At the site host, or at the learn host where the path says so. */
const urlOf = ({ base, learn }: PublicApp, path: string) =>
  path.startsWith('learn:') ? path.replace('learn:', learn) : base + path

/** As it goes over the wire, nothing unpacked. */
function ask(app: PublicApp, path: string, headers = {}, method = 'GET'): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  httpRequest(urlOf(app, path), { method, headers }, response => {
    const chunks: Buffer[] = []
    response.on('data', chunk => chunks.push(chunk))
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, body: Buffer.concat(chunks) })
    })
  })
    .on('error', reject)
    .end()
  return promise
}

describe('a document', () => {
  for (const [path, type] of Object.entries(documents)) {
    test(`${path} is served with its type, to be kept for five minutes`, async () => {
      const { status, headers, body } = await ask(app, path)
      equal(status, 200)
      equal(headers['content-type'], type)
      equal(headers['content-length'], String(body.length))
      equal(headers['cache-control'], 'public, max-age=300')
      equal(headers['access-control-allow-origin'], '*')
      equal(headers['x-content-type-options'], 'nosniff')
      match(headers['etag'] ?? '', /^"[\w-]{22}"$/)
      ok(headers['vary']?.includes('Accept-Encoding'))

      const head = await ask(app, path, {}, 'HEAD')
      equal(head.status, 200)
      equal(head.body.length, 0)
      const { date: _, ...same } = headers
      const { date: __, ...inHead } = head.headers
      deepEqual(inHead, same)

      const again = await ask(app, path, { 'If-None-Match': `"x", W/${headers['etag']}` })
      equal(again.status, 304)
      equal(again.body.length, 0)
      equal(again.headers['etag'], headers['etag'])
      equal(again.headers['vary'], headers['vary'])
      equal(again.headers['cache-control'], headers['cache-control'])
      equal(again.headers['content-location'], headers['content-location'])
      equal(again.headers['link'], headers['link'])
      equal(again.headers['content-length'], undefined)
      equal(again.headers['content-encoding'], undefined)
      const other = await ask(app, path, { 'If-None-Match': '"x"' })
      equal(other.status, 200)
      deepEqual(other.body, body)

      const posted = await ask(app, path, {}, 'POST')
      equal(posted.status, 405)
      equal(posted.headers['allow'], 'GET, HEAD, OPTIONS')
      deepEqual(JSON.parse(posted.body.toString()), {
        error: `POST is not supported here. Send GET. See ${app.base}/docs/api`,
      })
    })
  }

  test('is compressed for clients that ask for that, each form with a tag of its own', async () => {
    const plain = await ask(app, '/docs/api')
    const brotli = await ask(app, '/docs/api', { 'Accept-Encoding': 'gzip, deflate, br, zstd' })
    const gzip = await ask(app, '/docs/api', { 'Accept-Encoding': 'gzip;q=1.0, br;q=0.5' })
    equal(plain.headers['content-encoding'], undefined)
    equal(brotli.headers['content-encoding'], 'br')
    equal(gzip.headers['content-encoding'], 'gzip')
    deepEqual(brotliDecompressSync(brotli.body), plain.body)
    deepEqual(gunzipSync(gzip.body), plain.body)
    equal(new Set([plain, brotli, gzip].map(({ headers }) => headers['etag'])).size, 3)
    for (const refused of ['identity', 'br;q=0, gzip;q=0', '*', 'zstd', '']) {
      const { headers } = await ask(app, '/docs/api', { 'Accept-Encoding': refused })
      equal(headers['content-encoding'], undefined, refused)
    }
  })
})

test('the script of the forms is under 10 kB compressed, and knows where both forms are', async () => {
  const { body } = await ask(app, '/forms/form.js', { 'Accept-Encoding': 'gzip' })
  ok(body.length < 10_000, `${body.length} bytes`)
  const script = gunzipSync(body).toString()
  ok(script.includes(`"${app.base}/forms/site-interest"`))
  ok(script.includes(`"${app.learn}/forms/student-interest"`))
})

test('a document has the same bytes after a restart, and in every replica', async t => {
  const app = await startPublicApp(t)
  const before = await ask(app, '/docs/api')
  await app.close()
  const { base: BASE_URL, learn: LEARN_URL } = app
  const after = await startPublicApp(t, { env: { BASE_URL, LEARN_URL } })
  const { headers } = await ask(after, '/docs/api')
  equal(headers['etag'], before.headers['etag'])
})

test('examples are of the day, also of a service that runs for long, and other documents stay', async t => {
  const app = await startPublicApp(t)
  const startOf = async () => /"startedAt": (\d+)/.exec((await ask(app, '/docs/api.md')).body.toString())
  const [, first] = (await startOf()) ?? []
  const [reference, robots] = [await ask(app, '/docs/api'), await ask(app, '/robots.txt')]
  app.clock.advance(3 * DAY)
  const [, later] = (await startOf()) ?? []
  equal(Number(later) - Number(first), 3 * DAY)
  const known = (before: Reply) => ({ 'If-None-Match': String(before.headers['etag']) })
  equal((await ask(app, '/docs/api', known(reference))).status, 200)
  equal((await ask(app, '/robots.txt', known(robots))).status, 304)
})

describe('a page', () => {
  const wishes: [accept: string | undefined, type: 'html' | 'markdown'][] = [
    [undefined, 'html'],
    ['*/*', 'html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html'],
    ['application/json', 'html'],
    ['text/markdown', 'markdown'],
    ['text/markdown, text/html, */*', 'markdown'],
    ['Text/Markdown; variant=GFM, */*;q=0.1', 'markdown'],
    ['text/markdown;q=0.5, text/html;q=0.5', 'markdown'],
    ['text/markdown;q=0.4, text/html;q=0.5', 'html'],
    ['text/markdown;q=0.4, */*', 'html'],
    ['text/markdown;q=0', 'html'],
    ['text/markdown;q=much', 'html'],
    ['text/*', 'html'],
    [',;,q=', 'html'],
  ]
  for (const [accept, type] of wishes) {
    test(`answers "Accept: ${accept}" in ${type === 'html' ? 'HTML' : 'Markdown'}`, async () => {
      const { status, headers, body } = await ask(app, '/pricing', accept ? { accept } : {})
      equal(status, 200)
      equal(headers['content-type']?.split(';')[0], `text/${type}`)
      equal(headers['vary'], 'Accept, Accept-Encoding')
      const twin = await ask(app, '/pricing.md')
      if (type === 'html') return equal(headers['content-location'], undefined)
      equal(headers['content-location'], '/pricing.md')
      deepEqual(body, twin.body)
    })
  }

  test('and its twin name each other', async () => {
    for (const page of pages) {
      const html = await ask(app, page)
      const url = `${app.base}${page}`
      match(String(html.headers['link']), new RegExp(`<${url}\\.md>; rel="alternate"; type="text/markdown"`))
      match(html.body.toString(), new RegExp(`<link rel="canonical" href="${url}">`))
      const twin = await ask(app, `${page}.md`)
      match(String(twin.headers['link']), new RegExp(`<${url}>; rel="canonical"`))
    }
  })

  test('may load nothing, and run nothing but the script in its layout', async () => {
    for (const page of pages) {
      const { headers } = await ask(app, page)
      const policy = String(headers['content-security-policy'])
      match(policy, /^default-src 'none'; style-src( 'sha256-[^']+'){2}; script-src 'sha256-/)
      doesNotMatch(policy, /unsafe/)
    }
  })

  test('is told from the others by its title and description', async () => {
    const heads = new Set<string>()
    for (const page of pages) {
      const text = (await ask(app, page)).body.toString()
      match(text, /<title>[^<]+ – Example Vocational School<\/title>/)
      match(text, /<meta property="og:title" content="[^"]+">/)
      const description = /<meta name="description" content="([^"]+)">/.exec(text)?.[1] ?? ''
      ok(description.length > 50 && description.length < 200, description)
      heads.add(description)
    }
    equal(heads.size, pages.length)
  })
})

describe('around the documents', () => {
  test('the bare host leads to the developers page', async () => {
    const { status, headers } = await ask(app, '/')
    equal(status, 302)
    equal(headers['location'], '/developers')
    match(String(headers['link']), /rel="api-catalog"/)
    const response = await fetch(app.base)
    equal(response.url, `${app.base}/developers`)
  })

  test('paths that people type lead to the page that they mean', async () => {
    for (const [typed, page] of Object.entries({
      '/developers/': '/developers',
      '/docs': '/docs/api',
      '/docs/': '/docs/api',
      '/docs/api/': '/docs/api',
      '/pricing/': '/pricing',
    })) {
      const { status, headers } = await ask(app, typed)
      deepEqual([status, headers['location']], [302, page], typed)
    }
  })

  test('an unknown path says where to read on', async () => {
    const { status, body } = await ask(app, '/doc')
    equal(status, 404)
    match(JSON.parse(body.toString()).error, new RegExp(`See ${app.base}/docs/api$`))
  })
})
