import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { prefersHtml } from '../../src/http/content-negotiation.ts'
import { errors } from '../../src/http/errors.ts'
import { type Host, serve } from '../../src/http/router.ts'
import { createLog } from '../../src/platform/log.ts'
import { startApp } from '../support/app.ts'
import { aSite } from '../support/bodies.ts'

/** As Chromium, Firefox and Safari send it. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

/** The response of a host whose error pages cannot be made, and what is in its log. */
async function requestTo(t: TestContext, parts: Pick<Partial<Host>, 'otherwise' | 'rest'>) {
  const log: string[] = []
  const host: Host = {
    routes: {},
    headers: {},
    preflight: () => ({}),
    otherwise: () => {
      throw errors.notFound()
    },
    docs: undefined,
    errorPage: () => {
      throw new Error('layouts/page.html: a mistake')
    },
    failed: () => {},
    log: createLog('debug', { write: line => void log.push(line) }),
    ...parts,
  }
  const server = createServer(serve(host, () => false)).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { response: await fetch(`http://127.0.0.1:${port}/`, { headers: { Accept: BROWSER } }), log }
}

describe('an error', () => {
  test('is a page for a browser and JSON for programs, with the same status and headers', async t => {
    const school = { name: 'Northside', website: 'https://northside.example' }
    const { origin, request } = await startApp(t, { settings: { school } })
    const errors: [url: string, status: number, title: string][] = [
      [`${origin.site}/nowhere`, 404, 'There is nothing here'],
      [`${origin.learn}/nowhere`, 404, 'There is nothing here'],
      [`${origin.learn}/api/site-interest`, 404, 'There is nothing here'],
      [`${origin.site}/api/site-interest`, 405, 'This URL is for programs'],
      [`${origin.learn}/api/admissions/interest`, 405, 'This URL is for programs'],
    ]
    for (const [url, status, title] of errors) {
      const page = await request(url, { headers: { Accept: BROWSER } })
      equal(page.status, status, url)
      equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
      match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      match(page.text, new RegExp(`<h1>${title}</h1>`))
      ok(page.text.includes('href="https://northside.example'))
      ok(page.text.includes('/docs/api'))
      for (const Accept of ['*/*', 'application/json', 'application/json, text/html', '']) {
        const json = await request(url, { headers: { Accept } })
        equal(json.status, status)
        deepEqual(Object.keys(json.body as object), ['error'])
        for (const header of ['allow', 'access-control-allow-origin', 'cache-control'])
          equal(page.headers.get(header), json.headers.get(header), header)
      }
    }
  })

  test('is JSON if its page cannot be made, and the log says why', async t => {
    const { response, log } = await requestTo(t, {
      otherwise: () => {
        throw errors.notUtf8()
      },
    })
    equal(response.status, 400)
    deepEqual(await response.json(), { error: errors.notUtf8().message })
    match(log.join(''), /layouts\/page\.html: a mistake/)
  })

  test('says so in the response and in the log if the console cannot be loaded', async t => {
    const { response, log } = await requestTo(t, { rest: () => Promise.reject(new Error('no such library')) })
    equal(response.status, 500)
    match(await response.text(), /Reference: /)
    match(log.join(''), /no such library/)
  })

  test('is in the language that the browser prefers, if the school has it; for the staff it is English', async t => {
    const { origin, request } = await startApp(t)
    const titles = async (language: string) => {
      const headers = { Accept: BROWSER, 'Accept-Language': language }
      const urls = [`${origin.learn}/nowhere`, `${origin.site}/api/site-interest`, `${origin.learn}/`]
      const pages = await Promise.all(urls.map(url => request(url, { headers })))
      return pages.map(({ text }) => /<html lang="(..)".*<h1>(.*?)<\/h1>/s.exec(text)?.slice(1).join(': '))
    }
    deepEqual(await titles('es-419, en;q=0.8'), [
      'es: Aquí no hay nada',
      'es: Esta dirección es para programas',
      'es: Estudia con nosotros',
    ])
    for (const language of ['en, es;q=0.8', 'fr', '', ';;q=x'])
      equal((await titles(language))[0], 'en: There is nothing here')
    const headers = { Accept: BROWSER, 'Accept-Language': 'es' }
    match((await request(`${origin.console}/act/x/y`, { headers })).text, /<html lang="en"/)
  })

  test('of a submission is JSON, whatever the client accepts', async t => {
    const { origin, postSite } = await startApp(t)
    const invalid = await postSite(aSite({ email: 'x' }), { Accept: BROWSER })
    equal(invalid.status, 400)
    deepEqual(Object.keys(invalid.body as object), ['error'])
    const form = await fetch(`${origin.site}/api/site-interest`, {
      method: 'POST',
      headers: { Accept: BROWSER },
      body: new URLSearchParams({ firstName: 'Ana' }),
    })
    equal(form.status, 415)
    deepEqual(Object.keys((await form.json()) as object), ['error'])
  })

  test('is a page only if HTML is named and preferred', () => {
    for (const accept of [BROWSER, 'text/html', 'TEXT/HTML, application/json;q=0.9', 'text/html,*/*'])
      equal(prefersHtml(accept), true, accept)
    const others = ['*/*', 'text/*', '', 'text/html;q=0', 'text/html;q=0.5,*/*', 'text/html,application/json']
    for (const accept of others) equal(prefersHtml(accept), false, accept)
    equal(prefersHtml(undefined), false)
    fc.assert(fc.property(fc.string(), accept => prefersHtml(accept) === false || /text\/html/i.test(accept)))
  })
})

test('the root of the learn host, and a page that is not there, lead to the form for students', async t => {
  const { origin, request } = await startApp(t)
  const link = /<a [^>]*href="[^"]*\/forms\/student-interest"/
  for (const [path, language, expected] of [
    ['/', 'en', 200],
    ['/programas', 'es', 404],
  ] as const) {
    const headers = { Accept: 'text/html', 'Accept-Language': language }
    const { status, text } = await request(`${origin.learn}${path}`, { headers })
    equal(status, expected)
    match(text, link)
  }
})
