import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { StoreUnavailable } from '../../src/store/acceptance/store-unavailable.ts'
import { exchange, post, RawClient, type RawResponse } from '../process/raw-client.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { onEachEngine } from '../support/engines.ts'
import { freePorts } from '../support/ports.ts'

const SITE = '/api/site-interest'
const STUDENT = '/api/admissions/interest'

/** What holds for every response that is not a success, whatever produced it. */
function isError({ status, headers, body }: RawResponse, expected: number): string {
  equal(status, expected)
  deepEqual(Object.keys(body as object), ['error'])
  match(headers['content-type'] ?? '', /^application\/json/)
  equal(headers['access-control-allow-origin'], '*')
  equal(headers['cache-control'], 'no-store')
  return (body as { error: string }).error
}

const get = (path: string, host = 'localhost', method = 'GET') => `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`

describe('paths and methods', () => {
  test('a path that has nothing says where to submit', async t => {
    const { origin } = await startApp(t)
    for (const path of ['/doc', '/api', `${SITE}/`, '/__proto__', '//example.com', '/%zz']) {
      const error = isError(await exchange(origin.site, get(path)), 404)
      match(error, /send a POST request to http:.*site-interest\. See http:.*\/docs\/api$/)
    }
  })

  test('an operation requested from the other host says where it is', async t => {
    const { origin } = await startApp(t)
    const error = isError(await exchange(origin.site, post(STUDENT, aStudent())), 404)
    const help = 'See http://localhost:3000/docs/api'
    equal(error, `This operation is at http://localhost:3001/api/admissions/interest. ${help}`)
    const other = isError(await exchange(origin.learn, post(SITE, aSite())), 404)
    equal(other, `This operation is at http://localhost:3000/api/site-interest. ${help}`)
  })

  test('the URL that an error names stays a dry run if the request was meant to be one', async t => {
    const { origin } = await startApp(t)
    for (const query of ['?validateOnly=true', '?utm=x&dry_run=true']) {
      const away = isError(await exchange(origin.site, post(`${STUDENT}${query}`, aStudent())), 404)
      match(away, /is at http:\/\/localhost:3001\/api\/admissions\/interest\?validateOnly=true\. /)
      const nowhere = isError(await exchange(origin.learn, post(`/api${query}`, aStudent())), 404)
      match(nowhere, /request to http:\S+\/interest\?validateOnly=true\. /)
    }
  })

  test('a host that people reach by https asks browsers to stay with it', async t => {
    const { origin } = await startApp(t, {
      env: { BASE_URL: 'https://school.example', LEARN_URL: 'http://learn.school.example' },
    })
    const security = async (url: string) => (await fetch(url)).headers.get('strict-transport-security')
    equal(await security(`${origin.site}/healthz`), 'max-age=31536000')
    equal(await security(`${origin.site}/nothing`), 'max-age=31536000')
    equal(await security(`${origin.learn}/healthz`), null)
    const all = await startApp(t, {
      env: { BASE_URL: 'https://school.example', LEARN_URL: 'http://learn.school.example' },
      settings: { security: { httpsForSubdomains: 'on' } },
    })
    equal(await security(`${all.origin.site}/healthz`), 'max-age=31536000; includeSubDomains')
    equal(await security(`${all.origin.learn}/healthz`), null)
  })

  test('any method but POST is 405, and Allow names the methods that are supported', async t => {
    const { origin } = await startApp(t)
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
      const response = await exchange(origin.site, get(SITE, 'localhost', method))
      match(isError(response, 405), new RegExp(`^${method} is not supported here`))
      equal(response.headers['allow'], 'POST, OPTIONS')
    }
    const head = await exchange(origin.site, get(SITE, 'localhost', 'HEAD'), { head: true })
    equal(head.status, 405)
    equal(head.headers['allow'], 'POST, OPTIONS')
  })

  test('the response to HEAD has no body, so that the connection stays usable', async t => {
    const { origin } = await startApp(t)
    const client = await RawClient.connect(origin.site)
    client.write(get(SITE, 'localhost', 'HEAD') + get('/healthz', 'localhost', 'HEAD'))
    equal((await client.response({ head: true })).status, 405)
    equal((await client.response({ head: true })).status, 200)
    equal((await client.write(get('/healthz')).response()).text, '{"status":"ok"}')
    client.socket.destroy()
  })

  test('a query is ignored, and of a whole URL as the target only the path counts', async t => {
    const { origin } = await startApp(t)
    const targets = [`${SITE}?utm_source=x`, `http://localhost:3000${SITE}`, `http://a${SITE}?b`]
    for (const target of targets) {
      const { status, headers } = await exchange(origin.site, post(target, aSite()))
      equal(status, 200)
      equal(headers['cache-control'], 'no-store')
    }
  })

  test('a preflight allows any origin and the headers in use, and is cached for two hours', async t => {
    const { origin } = await startApp(t)
    for (const [host, path] of [
      [origin.site, SITE],
      [origin.learn, STUDENT],
    ] as const) {
      const { status, headers, text } = await exchange(host, get(path, 'localhost', 'OPTIONS'))
      equal(status, 204)
      equal(text, '')
      equal(headers['access-control-allow-origin'], '*')
      equal(headers['access-control-allow-methods'], 'POST, OPTIONS')
      const allowed = headers['access-control-allow-headers']
      equal(allowed, 'Content-Type, Idempotency-Key, X-Idempotency-Key')
      equal(headers['access-control-max-age'], '7200')
      equal(headers['access-control-allow-credentials'], undefined)
    }
  })
})

describe('OPTIONS', () => {
  test('names the methods of the URL in Allow, as 405 does, and allows other origins the same ones', async t => {
    const { origin } = await startApp(t)
    const targets = [
      [origin.site, SITE],
      [origin.site, '/forms/site-interest'],
      [origin.site, '/llms.txt'],
      [origin.learn, STUDENT],
      [origin.learn, '/'],
      [origin.learn, '/mail/u.x'],
      [origin.site, '/healthz'],
    ] as const
    for (const [host, path] of targets) {
      const asked = await exchange(host, get(path, 'localhost', 'OPTIONS'))
      const refused = await exchange(host, get(path, 'localhost', 'DELETE'))
      equal(asked.status, 204, path)
      equal(refused.status, 405, path)
      equal(asked.headers['allow'], refused.headers['allow'], path)
      equal(asked.headers['access-control-allow-methods'], refused.headers['allow'], path)
    }
    const staff = await exchange(origin.console, get('/act/t.x', 'localhost', 'OPTIONS'))
    equal(staff.headers['allow'], 'GET, HEAD, POST, OPTIONS')
    equal(staff.headers['access-control-allow-methods'], undefined)
  })

  test('lets a page of another origin read the 404 of a URL where there is nothing', async t => {
    const { origin } = await startApp(t)
    const { status, headers } = await exchange(origin.site, get('/nothing', 'localhost', 'OPTIONS'))
    equal(status, 204)
    equal(headers['allow'], undefined)
    equal(headers['access-control-allow-methods'], 'GET, HEAD, POST, OPTIONS')
  })
})

describe('bodies', () => {
  const LIMIT = 32 * 1024

  test('more than 32 KiB is 413, before the body is sent and while it is; 32 KiB are read', async t => {
    const { origin } = await startApp(t)
    const over = 'x'.repeat(LIMIT + 1)
    match(isError(await exchange(origin.site, post(SITE, over)), 413), /at most 32 KiB/)
    const chunk = `${(4096).toString(16)}\r\n${'x'.repeat(4096)}\r\n`
    const chunked = `POST ${SITE} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    isError(await exchange(origin.site, `${chunked}${chunk.repeat(9)}0\r\n\r\n`), 413)
    match(isError(await exchange(origin.site, post(SITE, 'x'.repeat(LIMIT))), 400), /JSON/)
    const whole = `${chunked}${chunk.repeat(8)}0\r\n\r\n`
    match(isError(await exchange(origin.site, whole), 400), /JSON/)
  })

  test('the response to a body that is far too large reaches a client that is still sending', async t => {
    const { origin } = await startApp(t)
    const response = await fetch(`${origin.site}${SITE}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: 'x'.repeat(4 * 1024 * 1024),
    })
    equal(response.status, 413)
  })

  test('another content type is 415, and Accept names the right one', async t => {
    const { origin } = await startApp(t)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const response = await exchange(origin.site, post(SITE, aSite(), { 'Content-Type': type }))
      match(isError(response, 415), /Content-Type: application\/json/)
      equal(response.headers['accept'], 'application/json')
    }
    const type = 'Application/LD+JSON; charset=utf-8'
    equal((await exchange(origin.site, post(SITE, aSite(), { 'Content-Type': type }))).status, 200)
  })

  test('a client that leaves in the middle of its body does not count as our error', async t => {
    const { origin, log } = await startApp(t)
    const begun = new Promise<Socket>(resolve => {
      const onStart = (message: unknown) => resolve((message as { socket: Socket }).socket)
      subscribe('http.server.request.start', onStart)
      t.after(() => unsubscribe('http.server.request.start', onStart))
    })
    const client = await RawClient.connect(origin.site)
    client.write(post(SITE, aSite()).slice(0, -10))
    const connection = await begun
    const ended = once(connection, 'close')
    client.socket.destroy()
    await ended
    // Once another request has its response, this one has been dealt with as well.
    equal((await exchange(origin.site, post(SITE, aSite()))).status, 200)
    deepEqual(log, [])
  })
})

describe('invalid HTTP', () => {
  const first = `POST ${SITE} HTTP/1.1\r\nHost: a\r\n`

  for (const [what, bytes, status] of [
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    [
      'both Content-Length and Transfer-Encoding',
      `${first}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['two lengths', `${first}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, 400],
    ['a length that is no number', `${first}Content-Length: five\r\n\r\nhello`, 400],
    ['a broken chunk', `${first}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`, 400],
    ['a space before the colon', `${first}Content-Length : 5\r\n\r\nhello`, 400],
    ['headers that are too large', `${first}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['no Host', `POST ${SITE} HTTP/1.1\r\n\r\n`, 400],
    ['two Hosts', post(SITE, aSite(), { HOST: 'b' }), 400],
    ['HTTP/2.0 in a line of HTTP/1', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n', 505],
    ['HTTP/0.9', 'GET / HTTP/0.9\r\n\r\n', 505],
    ['CONNECT', get('localhost:443', 'localhost', 'CONNECT'), 501],
  ] as const) {
    test(`${what} gets ${status} in JSON`, async t => {
      const { origin } = await startApp(t)
      isError(await exchange(origin.site, bytes), status)
    })
  }

  test('a request that is followed by invalid HTTP still gets its own response', async t => {
    const service = await startApp(t)
    const response = await exchange(service.origin.site, `${post(SITE, aSite())}hello\r\n\r\n`)
    equal(response.status, 200)
    await service.settle()
    equal(service.sent.length, 1)
  })

  test('a request of HTTP/1.0 that comes in chunks is the last one of its connection', async t => {
    const { origin } = await startApp(t)
    const client = await RawClient.connect(origin.site)
    const body = JSON.stringify(aSite())
    const head = `POST ${SITE} HTTP/1.0\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n`
    client.write(`${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
    const { status, headers } = await client.response()
    equal(status, 200)
    equal(headers['connection'], 'close')
  })

  test('HTTP/1.0 does not need a Host header; an offered upgrade and an unknown expectation are ignored', async t => {
    const { origin } = await startApp(t)
    equal((await exchange(origin.site, 'GET /healthz HTTP/1.0\r\n\r\n')).status, 200)
    const upgrade = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c' }
    for (const headers of [upgrade, { Expect: 'cake' }]) {
      equal((await exchange(origin.site, post(SITE, aSite(), headers))).status, 200)
    }
  })
})

describe('health', () => {
  test('public hosts show only the status; the console host shows everything', async t => {
    const { origin, request } = await startApp(t)
    for (const path of ['/healthz', '/readyz']) {
      for (const host of [origin.site, origin.learn]) {
        const { status, text } = await request(`${host}${path}`)
        equal(status, 200)
        equal(text, '{"status":"ok"}')
      }
    }
    const { body } = await request(`${origin.console}/readyz`)
    deepEqual(body, {
      ready: true,
      database: 'ok',
      mail: {
        mailWaiting: 0,
        mailRetrying: 0,
        mailFailedToStaff: 0,
        mailFailedToStudents: 0,
        unmatchedMail: { lastDay: 0, waiting: 0 },
      },
      unfiled: 0,
      warnings: [],
    })
  })

  onEachEngine(engine => {
    test('is ready while it can accept submissions, even if the figures do not come in time', async t => {
      const { app, origin, request, postStudent } = await startApp(t, { engine })
      t.mock.method(app.store, 'countBacklog', () => new Promise(() => {}))
      const [site, console] = await Promise.all([origin.site, origin.console].map(host => request(`${host}/readyz`)))
      equal((await postStudent(aStudent())).status, 200)
      equal(site?.status, 200)
      deepEqual(console?.body, {
        ready: true,
        database: 'ok',
        warnings: ['What is waiting or has failed is not known: the database did not say so within a second.'],
      })
      const probe = t.mock.method(app.store, 'probe', async () => Promise.reject(new Error('read-only')))
      equal((await request(`${origin.site}/readyz`)).status, 503)
      probe.mock.restore()
      equal((await request(`${origin.site}/readyz`)).status, 200)
    })
  })
})

describe('hosts that share a port', () => {
  async function sharing(t: Parameters<typeof startApp>[0]) {
    const [port] = await freePorts(1)
    const env = {
      BASE_URL: `http://site.test:${port}`,
      LEARN_URL: `http://learn.test:${port}`,
      CONSOLE_URL: `http://console.test:${port}`,
    }
    const ports = { SITE_PORT: `${port}`, LEARN_PORT: `${port}`, CONSOLE_PORT: `${port}` }
    return { ...(await startApp(t, { env: { ...env, ...ports } })), port }
  }

  test('are told apart by the Host header', async t => {
    const { origin, port } = await sharing(t)
    equal(origin.site, origin.learn)
    for (const Host of [`site.test:${port}`, 'site.test', `SITE.test:${port}`]) {
      equal((await exchange(origin.site, post(SITE, aSite(), { Host }))).status, 200)
      const wrong = await exchange(origin.site, post(STUDENT, aStudent(), { Host }))
      match(isError(wrong, 404), new RegExp(`^This operation is at http://learn.test:${port}${STUDENT}. `))
    }
    const Host = `learn.test:${port}`
    equal((await exchange(origin.site, post(STUDENT, aStudent(), { Host }))).status, 200)
    equal((await exchange(origin.site, get('/readyz', 'console.test'))).text.includes('unfiled'), true)
  })

  test('are told apart by the target if that is a whole URL, whatever the Host header says', async t => {
    const { origin, port } = await sharing(t)
    const target = `http://learn.test:${port}/llms.txt`
    const response = await exchange(origin.site, get(target, 'site.test'))
    match(isError(response, 404), /admissions\/interest/)
    const other = `http://site.test:${port}/robots.txt`
    equal((await exchange(origin.site, get(other, 'learn.test'))).status, 200)
  })

  test('the documents are on their own host only', async t => {
    const { origin } = await sharing(t)
    for (const [path, statuses] of Object.entries({
      '/developers': [200, 404, 404],
      '/.well-known/api-catalog': [200, 200, 404],
    })) {
      const hosts = ['site.test', 'learn.test', 'console.test']
      const responses = hosts.map(async host => (await exchange(origin.site, get(path, host))).status)
      deepEqual(await Promise.all(responses), statuses)
    }
  })

  test('an unknown host name gets only the health', async t => {
    const { origin } = await sharing(t)
    const response = await exchange(origin.site, post(SITE, aSite(), { Host: 'other.test' }))
    equal(isError(response, 404), 'The Host header does not name a host of this service')
    equal((await exchange(origin.site, get('/healthz', '10.0.0.7'))).text, '{"status":"ok"}')
    equal((await exchange(origin.site, get('/readyz', '10.0.0.7'))).text, '{"status":"ok"}')
  })
})

describe('failures of our own', () => {
  const failing = (service: TestApp, error: Error) => {
    service.app.store.acceptWith = (_arrival, _done, failed) => failed(error)
  }

  test('an unknown one is 500 with a reference to the log, and nothing about the cause', async t => {
    const service = await startApp(t)
    failing(service, new TypeError('row 7 of table submissions'))
    const error = isError(await exchange(service.origin.site, post(SITE, aSite())), 500)
    const reference = /Reference: ([0-9a-f]{8})$/.exec(error)?.[1]
    ok(reference)
    equal(error.includes('row 7'), false)
    const [entry] = service.log.map(line => JSON.parse(line)).filter(line => line.level === 50)
    equal(entry.reference, reference)
    equal(entry.err.message, 'row 7 of table submissions')
  })

  test('a store that is unavailable is 503, with the time after which to try again', async t => {
    const service = await startApp(t)
    failing(service, new StoreUnavailable('full'))
    const response = await exchange(service.origin.site, post(SITE, aSite()))
    match(isError(response, 503), /could not be stored\. Send the same request again in 5 seconds/)
    equal(response.headers['retry-after'], '5')
  })
})
