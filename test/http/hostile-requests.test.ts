/** Requests that strangers make up, to everything that needs no session: none of them is an error of ours. */
import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyJson, anyText, siteBodies, studentBodies } from '../leads/arbitraries.ts'
import { startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'
import { openForm, typed } from '../support/forms.ts'

type Host = keyof TestConsole['origin']
type Place = { host: Host; path: string; names: readonly string[] }
type Body = string | Buffer | URLSearchParams | FormData
/** `origin`: undefined for a page of the service itself, from which alone the console accepts a form. */
type Sent = {
  to: Place
  type: string | undefined
  body: Body
  origin: string | undefined
  headers: Record<string, string>
}

const ofForms = [
  'token',
  'firstName',
  'lastName',
  'email',
  'phone',
  'message',
  'state',
  'program',
  'consent',
  'sent',
  'time',
]

const formPlaces = (['site', 'student'] as const).flatMap(kind =>
  ['', 'begun/', 'sent/', 'better/'].map((what): Place => {
    const host = kind === 'site' ? 'site' : 'learn'
    return { host, path: `/forms/${what}${kind}-interest`, names: ofForms }
  }),
)

/**
 * Besides the forms, everything that takes a body from someone who has not signed in, with the fields that it reads.
 */
const otherPlaces: Place[] = [
  { host: 'site', path: '/api/site-interest', names: [] },
  { host: 'learn', path: '/api/admissions/interest', names: [] },
  { host: 'learn', path: '/mail/u1.x', names: [] },
  { host: 'console', path: '/act/c1.x', names: ['counselor', 'note', 'day', 'time', 'actor'] },
  { host: 'console', path: '/sign-in', names: ['email', 'password', 'next', 'resume'] },
  { host: 'console', path: '/sign-in/code', names: ['token', 'email', 'code', 'next', 'resume'] },
  { host: 'console', path: '/sign-in/passkey', names: ['response', 'next'] },
  { host: 'console', path: '/forgotten', names: ['email'] },
  { host: 'console', path: '/welcome/1.x', names: ['name', 'email', 'password'] },
  { host: 'console', path: '/sources/src_x', names: ['email', 'name'] },
  { host: 'console', path: '/api/v1/leads/1/stage', names: ['stage'] },
  { host: 'console', path: '/leads/1/notes', names: ['note'] },
  { host: 'console', path: '/import', names: ['file', 'purpose'] },
]

const text = fc.tuple(anyText(), fc.constantFrom(1, 1, 1, 30)).map(([one, times]) => one.repeat(times))

/** Mostly fields that the place reads, each with any text. */
const fieldsOf = ({ names }: Pick<Place, 'names'>): fc.Arbitrary<[string, string][]> => {
  const known = fc.constantFrom('__proto__', 'constructor', 'language', ...names, ...names, ...names)
  return fc.array(fc.tuple(fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: text }), text), {
    minLength: 1,
    maxLength: 12,
  })
}

const multipart = (entries: [string, string][]): FormData => {
  const form = new FormData()
  for (const [name, value] of entries) form.append(name, value.toWellFormed())
  return form
}

const asForm = (entries: [string, string][]) => new URLSearchParams(entries.map(pair => pair.map(wellFormed)))

const bytes = fc.uint8Array({ maxLength: 300 }).map(one => Buffer.from(one))

const contentsOf = (place: Place): fc.Arbitrary<Pick<Sent, 'type' | 'body'>> =>
  fc.oneof(
    { weight: 6, arbitrary: fieldsOf(place).map(entries => ({ type: undefined, body: asForm(entries) })) },
    { weight: 2, arbitrary: fieldsOf(place).map(entries => ({ type: undefined, body: multipart(entries) })) },
    {
      weight: 2,
      arbitrary: fc
        .oneof(anyJson, siteBodies, studentBodies)
        .map(body => ({ type: 'application/json', body: JSON.stringify(body) ?? '' })),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constantFrom('application/json', 'multipart/form-data', undefined),
        body: bytes,
      }),
    },
  )

const wellFormed = (part: string): string => part.toWellFormed()

const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const headers = fc.record(
  {
    Accept: fc.constantFrom('text/html', '*/*', 'x'),
    'Accept-Language': fc.constantFrom('es', 'xx;q=9', '*'),
    Authorization: fc.constantFrom('Bearer x', 'Basic eDp5', 'Bearer fdt_1_x'),
    Cookie: fc.constantFrom('session=x', 'flash=%7B', 'flash={"text":"x"}; device=x.y', '=;=;'),
    'Idempotency-Key': fc.constantFrom('one', 'x'.repeat(300)),
    'X-Part': fc.constantFrom('list', 'x'),
    'HX-Request': fc.constant('true'),
  },
  { requiredKeys: [] },
)

const queries = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fieldsOf({ names: ofForms }).map(entries => `?${asForm(entries)}`) },
)

const requests: fc.Arbitrary<Sent> = fc
  .constantFrom(...formPlaces, ...otherPlaces)
  .chain(to =>
    fc
      .record({
        content: contentsOf(to),
        headers,
        query: queries,
        origin: seldom(fc.constantFrom('null', 'https://evil.example')),
        encoding: seldom(fc.constantFrom('gzip', 'identity', 'x')),
      })
      .map(({ content, headers, query, origin, encoding }) => ({
        to: { ...to, path: to.path + query },
        ...content,
        origin,
        headers: { ...headers, ...(encoding && { 'Content-Encoding': encoding }) },
      })),
  )

onEachEngine(engine => {
  test('whatever a stranger sends to what needs no session is a mistake of theirs, and the log has no error', async t => {
    const service = await startConsole(t, { engine })
    const send = async ({ to: { host, path }, type, body, origin = service.origin[host], headers }: Sent) => {
      const all = { Origin: origin, ...headers, ...(type !== undefined && { 'Content-Type': type }) }
      const options = { method: 'POST', headers: all, body, redirect: 'manual' } as const
      const { status } = await service.request(service.origin[host] + path, options)
      // A coding that is not implemented is 501 (RFC 9112 section 6.1).
      ok(status < 500 || status === 501, `${status}`)
    }
    await fc.assert(fc.asyncProperty(requests, send), { numRuns: 500 })
    // Forms that were opened have a token, so that what comes with it is read.
    for (const kind of ['site', 'student'] as const)
      await fc.assert(
        fc.asyncProperty(fieldsOf({ names: ofForms }), async entries => {
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
