/** Who may do what by the private API: every route, with every role and every scope. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiRoute } from '../../../src/console/private-api/api-route.ts'
import { apiRoutes } from '../../../src/console/private-api/private-api.ts'
import { everyScope } from '../../../src/console/private-api/scopes.ts'
import { type Role, roles } from '../../../src/leads/lead/roles.ts'
import { testClock } from '../../support/clock.ts'
import { startConsole, type TestConsole } from '../../support/console.ts'
import { onEachEngine } from '../../support/engines.ts'
import { openApiSchema, redocly, spectral } from '../../support/validators.ts'
import { aSchool, ben, MONDAY } from '../../tasks/school.ts'
import { type ApiClient, apiClient, detailOf, makeToken, programOf } from './api-client.ts'

/** The routes by their scopes and roles, written down a second time, so that no one changes them by accident. */
const everyone = ['admin', 'manager', 'counselor', 'viewer']
const staff = ['admin', 'manager', 'counselor']
const expected: Record<string, [scope: string | undefined, roles: string[]]> = {
  'GET /token': [undefined, everyone],
  'GET /leads': ['leads:read', everyone],
  'GET /leads/{id}': ['leads:read', everyone],
  'GET /changes': ['leads:read', everyone],
  'GET /counselors': ['leads:read', everyone],
  'POST /leads/{id}/stage': ['leads:stage', staff],
  'POST /leads/{id}/notes': ['leads:note', staff],
  'POST /leads/{id}/counselor': ['leads:assign', staff],
  'GET /hooks': ['hooks', ['admin']],
  'POST /hooks': ['hooks', ['admin']],
  'GET /hooks/sample': ['hooks', ['admin']],
  'DELETE /hooks/{id}': ['hooks', ['admin']],
}

const bodies: Record<string, object> = {
  'POST /leads/{id}/stage': { stage: 'qualified' },
  'POST /leads/{id}/notes': { text: 'From the records' },
  'POST /leads/{id}/counselor': { counselor: 'maria' },
  'POST /hooks': { targetUrl: 'https://hooks.invalid/1', event: 'lead.created' },
}

const nameOf = ({ method, path }: ApiRoute) => `${method} ${path}`

const call = (api: ApiClient, route: ApiRoute) => {
  const body = bodies[nameOf(route)]
  const path = route.path.replace('{id}', '1')
  return body === undefined ? api.fetch(path, { method: route.method }) : api.post(path, body)
}

const aDesk = async (t: Parameters<typeof startConsole>[0], options: Parameters<typeof startConsole>[1]) => {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY), ...options })
  await service.postStudent(ben({ state: '' }))
  await service.settle()
  await service.app.store.assignLead(1, { owner: null, restart: undefined, actor: null, now: MONDAY })
  return { service, admin: await service.client('admin') }
}

test('each route is one of those that are expected', () => {
  deepEqual(apiRoutes.map(nameOf).toSorted(), Object.keys(expected).toSorted())
})

onEachEngine(engine => {
  test('every route lets in exactly the roles that the console lets in', async t => {
    const { service, admin } = await aDesk(t, { engine })
    for (const role of roles) {
      const api = await programOf(service, admin, role, { name: role })
      for (const route of apiRoutes) {
        // The last role that may assign it has done so.
        await service.app.store.assignLead(1, { owner: null, restart: undefined, actor: null, now: MONDAY })
        const { status, body } = await call(api, route)
        const allowed = expected[nameOf(route)]?.[1].includes(role)
        equal(status, allowed ? (route.status ?? 200) : 403, `${role}: ${nameOf(route)}: ${JSON.stringify(body)}`)
      }
    }
    const none = apiClient(service, '')
    for (const route of apiRoutes) equal((await call(none, route)).status, 401, `no one: ${nameOf(route)}`)
  })

  test('every route needs its scope, and no other', async t => {
    const { service, admin } = await aDesk(t, { engine })
    for (const scope of everyScope) {
      const api = apiClient(service, await makeToken(admin, { name: scope, scopes: [scope] }))
      for (const route of apiRoutes) {
        const response = await call(api, route)
        const [needed] = expected[nameOf(route)] ?? []
        const allowed = needed === undefined || needed === scope
        equal(response.status, allowed ? (route.status ?? 200) : 403, `${scope}: ${nameOf(route)}`)
        if (allowed) continue
        match(detailOf(response), new RegExp(`lacks the scope ${needed}`))
        match(response.headers.get('www-authenticate') ?? '', new RegExp(`insufficient_scope", scope="${needed}"`))
      }
    }
  })

  describe('a program that acts for a counselor', () => {
    const person = { email: 'maria@school.example', name: 'Maria Example' }
    const program = async (service: TestConsole, role: Role) =>
      programOf(service, await service.client('admin'), role, { person })

    test('reaches their leads and those of the team, and for all others every route says that there is no lead', async t => {
      const { service } = await aDesk(t, { engine })
      const api = await program(service, 'counselor')
      const { store } = service.app
      equal((await api.get('/leads/1')).status, 200)
      await store.assignLead(1, { owner: 'sam', restart: undefined, actor: null, now: MONDAY })
      for (const route of apiRoutes.filter(({ path }) => path.startsWith('/leads/{id}')))
        equal((await call(api, route)).status, 404, nameOf(route))
      deepEqual((await api.get('/leads')).body['leads'], [])
      deepEqual((await api.get('/leads?email=ben@mail.example')).body['leads'], [])
      await store.assignLead(1, { owner: 'maria', restart: undefined, actor: null, now: MONDAY })
      for (const route of apiRoutes.filter(({ action }) => action !== 'manage destinations'))
        equal((await call(api, route)).status, 200, nameOf(route))
    })
  })

  test('what does not exist, or not with this method, gets a problem with a sentence', async t => {
    const { service, admin } = await aDesk(t, { engine })
    const api = apiClient(service, await makeToken(admin))
    const of = async (path: string, init?: RequestInit) => {
      const response = await api.fetch(path, init)
      equal(response.headers.get('content-type'), 'application/problem+json')
      equal(response.body['status'], response.status)
      return [response.status, detailOf(response)]
    }
    deepEqual(await of('/nothing'), [404, 'There is nothing at this URL.'])
    deepEqual(await of('/leads/1/stage'), [405, 'GET is not supported here. Send POST.'])
    deepEqual(await of('/hooks', { method: 'DELETE' }), [405, 'DELETE is not supported here. Send GET or POST.'])
    deepEqual(await of('/leads', { method: 'DELETE' }), [405, 'DELETE is not supported here. Send GET.'])
    deepEqual(await of('/leads/1/notes', { method: 'POST', body: 'text=Hello' }), [
      415,
      'Send the body as JSON, with the header Content-Type: application/json',
    ])
    const json = { method: 'POST', headers: { 'content-type': 'application/json' } }
    deepEqual(await of('/leads/1/notes', { ...json, body: '{"text": "a"' }), [
      400,
      'The body is not valid JSON: it ends too early',
    ])
    deepEqual(await of('/leads/1/notes', { ...json, body: '[]' }), [400, 'The body must be one JSON object'])
    equal((await of('/leads/1/notes', { ...json, body: ' '.repeat(40_000) }))[0], 413)
    deepEqual(await of('/leads?stages=new'), [400, 'stages is not a parameter here'])
    deepEqual(await of('/leads?stage=new&stage=open'), [400, 'stage must be in the URL only once'])
    deepEqual(await of('/leads?q=%00'), [400, 'q must not contain a NUL character'])
    equal((await of('/leads/999'))[0], 404)
    equal((await api.fetch('/leads', { method: 'HEAD' })).status, 200)
  })
})

/** What only a description for the public needs. */
const isNotAboutPublishing = (problem: string) => !/^(?:info-)?(?:license|contact)/.test(problem)

test('the OpenAPI description is published behind the sign-in, and validators find nothing wrong with it', async t => {
  const { service, admin } = await aDesk(t, {})
  const out = await service.client()
  equal((await out.fetch('/tokens/openapi.json')).status, 303)
  const document = (await (await admin.fetch('/tokens/openapi.json')).json()) as object
  deepEqual(await openApiSchema(document), [])
  const published = { ...document, servers: [{ url: 'https://console.school.example/api/v1' }] }
  deepEqual((await redocly(published)).filter(isNotAboutPublishing), [])
  deepEqual((await spectral(published)).filter(isNotAboutPublishing), [])
  ok(JSON.stringify(document).includes('leads:assign'))
})
