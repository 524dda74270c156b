/** Requests that strangers make up, to everything that needs no session: none of them is an error of ours. */
import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyJson, anyText, siteBodies, studentBodies } from '../leads/arbitraries.ts'
import { startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'
import { openForm, typed } from '../support/forms.ts'

type Host = keyof TestConsole['origin']
type Body = string | Buffer | URLSearchParams | FormData
type Sent = { to: [Host, string]; type: string | undefined; body: Body; headers: Record<string, string> }

const formPlaces = (['site', 'student'] as const).flatMap(kind =>
  ['', 'begun/', 'sent/', 'better/'].map((what): [Host, string] => [
    kind === 'site' ? 'site' : 'learn',
    `/forms/${what}${kind}-interest`,
  ]),
)

/** Besides the forms, everything that takes a body from someone who has not signed in. */
const otherPlaces: [Host, string][] = [
  ['site', '/api/site-interest'],
  ['learn', '/api/admissions/interest'],
  ['learn', '/mail/u1.x'],
  ['console', '/act/c1.x'],
  ['console', '/sign-in'],
  ['console', '/sign-in/code'],
  ['console', '/sign-in/passkey'],
  ['console', '/forgotten'],
  ['console', '/welcome/1.x'],
  ['console', '/sources/src_x'],
  ['console', '/api/v1/leads/1/stage'],
  ['console', '/leads/1/notes'],
  ['console', '/import'],
]

const text = anyText(200)

const knownNames = `
  token firstName lastName email phone message state program consent time sent step page campaign language answer password
  code next resume response own-q1 own-count counselor as __proto__ constructor website startedAt`
  .trim()
  .split(/\s+/)

/** Fields of the forms, of signing in and of links, and names that no form has. */
const fieldNames = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...knownNames) }, { weight: 1, arbitrary: text })

const fields = fc.array(fc.tuple(fieldNames, text), { maxLength: 12 })

const multipart = (entries: [string, string][]): FormData => {
  const form = new FormData()
  for (const [name, value] of entries) form.append(name, value.toWellFormed())
  return form
}

const contents: fc.Arbitrary<Pick<Sent, 'type' | 'body'>> = fc.oneof(
  fields.map(entries => ({ type: undefined, body: new URLSearchParams(entries.map(pair => pair.map(wellFormed))) })),
  fields.map(entries => ({ type: undefined, body: multipart(entries) })),
  fc
    .oneof(anyJson, siteBodies, studentBodies)
    .map(body => ({ type: 'application/json', body: JSON.stringify(body) ?? '' })),
  fc
    .tuple(fc.uint8Array({ maxLength: 300 }), fc.constantFrom('application/json', 'multipart/form-data', undefined))
    .map(([bytes, type]) => ({ type, body: Buffer.from(bytes) })),
)

const wellFormed = (part: string): string => part.toWellFormed()

const headers = fc.record(
  {
    Accept: fc.constantFrom('text/html', '*/*', 'x'),
    'Accept-Language': fc.constantFrom('es', 'xx;q=9', '*'),
    Authorization: fc.constantFrom('Bearer x', 'Basic eDp5', 'Bearer fdt_1_x'),
    Cookie: fc.constantFrom('session=x', 'flash=%7B', 'flash={"text":"x"}; device=x.y', '=;=;'),
    Origin: fc.constantFrom('null', 'https://evil.example', 'http://localhost:3002'),
    'Content-Encoding': fc.constantFrom('gzip', 'identity', 'x'),
    'Idempotency-Key': fc.constantFrom('one', 'x'.repeat(300)),
    'X-Part': fc.constantFrom('list', 'x'),
    'HX-Request': fc.constant('true'),
  },
  { requiredKeys: [] },
)

const queries = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fields.map(entries => `?${new URLSearchParams(entries.map(pair => pair.map(wellFormed)))}`) },
)

const requests: fc.Arbitrary<Sent> = fc
  .record({ to: fc.constantFrom(...formPlaces, ...otherPlaces), content: contents, headers, query: queries })
  .map(({ to: [host, path], content, headers, query }) => ({ to: [host, path + query], ...content, headers }))

onEachEngine(engine => {
  test('whatever a stranger sends to what needs no session is a mistake of theirs, and the log has no error', async t => {
    const service = await startConsole(t, { engine })
    const send = async ({ to: [host, path], type, body, headers }: Sent) => {
      const all = { ...headers, ...(type !== undefined && { 'Content-Type': type }) }
      const options = { method: 'POST', headers: all, body, redirect: 'manual' } as const
      const { status } = await service.request(service.origin[host] + path, options)
      // A coding that is not implemented is 501 (RFC 9112 section 6.1).
      ok(status < 500 || status === 501, `${status}`)
    }
    await fc.assert(fc.asyncProperty(requests, send), { numRuns: 300 })
    // Forms that were opened have a token, so that what comes with it is read.
    for (const kind of ['site', 'student'] as const)
      await fc.assert(
        fc.asyncProperty(fields, async entries => {
          const { send: answer } = await openForm(service, kind)
          const values = Object.fromEntries(entries.filter(([name]) => name !== 'token'))
          const { status } = await answer(typed(kind, values))
          ok(status < 500, `${status}`)
        }),
        { numRuns: 40 },
      )
    await service.settle()
    const errors = service.log.map(line => JSON.parse(line)).filter(({ level }) => level >= 50)
    deepEqual(errors, [])
  })
})
