/** Who may do what: every route of the console, with every role. */
import { deepEqual, equal, fail, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { consoleRoutes } from '../../src/console/console-routes.ts'
import { type Action, access, maySee, mayWork, type SignedIn } from '../../src/console/frame/access.ts'
import type { ConsoleDeps, ConsoleRoute } from '../../src/console/frame/context.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { type Role, roles } from '../../src/leads/lead/roles.ts'
import { testClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { countRows } from '../support/engines.ts'
import { HANGS_AFTER } from '../support/process.ts'
import { aSchool, ben, counselors, MONDAY } from '../tasks/school.ts'

/** The actions of each role, written down a second time, so that no one changes the table by accident. */
const expected: Record<Role, readonly Action[]> = {
  viewer: ['see leads', 'see insight', 'use own account'],
  counselor: [
    'see leads',
    'work on leads',
    'write to people',
    'correct contact data',
    'merge leads',
    'add leads',
    'use own account',
  ],
  manager: [
    'see leads',
    'edit tags',
    'work on leads',
    'write to people',
    'correct contact data',
    'merge leads',
    'add leads',
    'export leads',
    'export people',
    'import leads',
    'erase people',
    'see quarantine',
    'decide about quarantine',
    'see delivery',
    'repair delivery',
    'edit team',
    'see insight',
    'record costs',
    'edit cadence',
    'edit school',
    'see settings',
    'use own account',
  ],
  admin: Object.keys(access) as Action[],
}

const routes: ConsoleRoute[] = consoleRoutes({
  settings: defaultSettings,
  calendar: createCalendar(defaultSettings),
} as ConsoleDeps)

/** What anyone may open without signing in. A route is added here only on purpose. */
const OPEN = [
  'GET /sign-in',
  'POST /sign-in',
  'POST /sign-in/code',
  'POST /sign-in/passkey',
  'GET /welcome/:token',
  'POST /welcome/:token',
  'GET /forgotten',
  'POST /forgotten',
  // What a browser needs to install the console and to show notifications: it contains nothing about anyone.
  'GET /manifest.webmanifest',
  'GET /service-worker.js',
]

test('each role may do what it is for, and nothing else', () => {
  for (const role of roles) {
    const may = (Object.keys(access) as Action[]).filter(action => (access[action] as readonly Role[]).includes(role))
    deepEqual(may.toSorted(), expected[role].toSorted(), role)
  }
})

test('only the pages that let people in are open', () => {
  const open = routes.filter(({ action }) => action === 'anyone')
  deepEqual(open.map(({ method, path }) => `${method} ${path}`).toSorted(), OPEN.toSorted())
})

/** Such as `GET /sources/:id/edit`: without the shapes of its parameters. */
const nameOf = ({ method, path }: ConsoleRoute): string =>
  `${method} ${path.replaceAll(/\{[^{}]*(?:\{[^}]*\}[^{}]*)*\}/g, '')}`

/**
 * The routes that lead to other programs or bring leads from them, each with its action, so that none is added by
 * accident.
 */
const BETWEEN_PROGRAMS: Partial<Record<Action, string[]>> = {
  'manage destinations': [
    'GET /destinations',
    'GET /destinations/events.json',
    'GET /destinations/new/:kind',
    'POST /destinations/new/:kind',
    'GET /destinations/:id',
    'POST /destinations/:id',
    'POST /destinations/:id/test',
    'POST /destinations/:id/resend',
    'POST /destinations/:id/on',
    'POST /destinations/:id/off',
    'POST /destinations/:id/keys',
    'POST /destinations/:id/delete',
    'GET /leads/:id/destinations',
    'POST /leads/:id/destinations',
  ],
  'manage sources': [
    'GET /sources',
    'GET /sources/new/:kind',
    'POST /sources/new/:kind',
    'GET /sources/:id/edit',
    'POST /sources/:id/edit',
    'POST /sources/:id/key',
    'POST /sources/:id/on',
    'POST /sources/:id/off',
    'POST /sources/:id/delete',
  ],
  'manage tokens': ['GET /tokens', 'POST /tokens', 'GET /tokens/openapi.json', 'POST /tokens/:id/revoke'],
  'schedule exports': [
    'GET /export/nightly',
    'POST /export/nightly',
    'POST /export/nightly/:id/now',
    'POST /export/nightly/:id/delete',
  ],
  'export leads': ['GET /export', 'GET /export/leads.csv', 'GET /export/leads.xlsx', 'GET /export/progress'],
  'import leads': [
    'GET /import',
    'POST /import',
    'GET /import/:id',
    'GET /import/:id/rejected.csv',
    'POST /import/:id/check',
    'POST /import/:id/start',
    'POST /import/:id/meanings',
    'GET /import/:id/undo',
    'POST /import/:id/undo',
    'POST /import/:id/discard',
  ],
  'record costs': ['GET /costs', 'POST /costs'],
}

test('each route that leads to other programs, or brings leads from them, needs the action that is listed here', () => {
  const places = /^\/(destinations|sources|tokens|export|import|costs)\b|\/(destinations|sources|tokens)\b/
  const these = routes.filter(({ action, path }) => places.test(path) || Object.hasOwn(BETWEEN_PROGRAMS, action))
  const found = Object.groupBy(these, ({ action }) => action)
  deepEqual(
    Object.fromEntries(Object.entries(found).map(([action, all]) => [action, all.map(nameOf).toSorted()])),
    Object.fromEntries(Object.entries(BETWEEN_PROGRAMS).map(([action, all]) => [action, all.toSorted()])),
  )
})

/** A path that the route matches, about something that does not exist. */
const sample = (path: string): string => path.replace(/:\w+(?:\{[^}]*\{[^}]*\}[^}]*\}|\{[^}]*\})?/g, '987654')

test('every route lets in exactly the roles of its action', async t => {
  const service = await startConsole(t)
  const closed = routes.filter(({ action, path }) => action !== 'anyone' && path !== '/sign-out')
  ok(closed.length > 10)
  const out = await service.client()
  for (const role of roles) {
    const client = await service.client(role)
    for (const { method, path, action } of closed) {
      const route = `${role}: ${method} ${path}`
      const init = {
        method,
        headers: { origin: service.origin.console },
        ...(method === 'POST' ? { body: new URLSearchParams() } : {}),
        // Live updates do not end by themselves.
        signal: AbortSignal.timeout(HANGS_AFTER),
      }
      const response = await client.fetch(sample(path), init)
      await response.body?.cancel()
      equal(response.status === 403, !expected[role].includes(action as Action), route)
      ok(response.status < 500, `${route}: ${response.status}`)

      if (role !== 'admin') continue
      const refused = await out.fetch(sample(path), init)
      if (method === 'GET') ok(refused.headers.get('location')?.startsWith('/sign-in'), route)
      else equal(refused.status, 422, route)
      await refused.body?.cancel()
    }
  }
})

test('a counselor meets no lead of another counselor by any route about leads', async t => {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  await service.postStudent(ben())
  await service.settle()
  const { store } = service.app
  await store.assignLead(1, { owner: 'sam', restart: undefined, actor: null, now: MONDAY })
  const entries = () => countRows(service.database, 'timeline')
  const before = await entries()
  const maria = await service.client('counselor', { email: 'maria@school.example' })
  const about = routes.filter(({ path }) => path.startsWith('/leads/:id'))
  ok(about.length > 15)
  for (const route of about) {
    const path = sample(route.path).replace('987654', '1')
    const init = { method: route.method, headers: { origin: service.origin.console } }
    const response = await maria.fetch(path, route.method === 'POST' ? { ...init, body: new URLSearchParams() } : init)
    await response.body?.cancel()
    equal(response.status, expected.counselor.includes(route.action as Action) ? 404 : 403, nameOf(route))
  }
  equal(await entries(), before)
})

describe('a lead', () => {
  const operator = (role: Role, counselor?: string) => ({ role, counselor }) as SignedIn
  const cases: [SignedIn, owner: string | null, sees: boolean, works: boolean][] = [
    [operator('counselor', 'maria'), 'maria', true, true],
    [operator('counselor', 'maria'), null, true, true],
    [operator('counselor', 'maria'), 'tom', false, false],
    [operator('counselor'), null, true, true],
    [operator('counselor'), 'tom', false, false],
    [operator('viewer'), 'tom', true, false],
    [operator('manager'), 'tom', true, true],
    [operator('admin'), null, true, true],
  ]
  for (const [who, owner, sees, works] of cases) {
    const name = `${who.counselor ?? 'someone'}, a ${who.role}`
    test(`of ${owner ?? 'no one'}: ${name} ${sees ? 'sees' : 'does not see'} it and ${works ? 'works' : 'does not work'} on it`, () => {
      equal(maySee(who, { owner }), sees)
      equal(mayWork(who, { owner }), works)
    })
  }
})

test("someone with the name of a colleague's id acts under their address, not as that colleague", async t => {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  await service.postStudent(ben())
  await service.settle()
  const { id, email } = counselors.find(one => one.id === 'maria') ?? fail()
  const maria = await service.client('counselor', { email, name: 'Maria' })
  await maria.post('/leads/1', { do: 'reached' })
  const entry = (await service.app.store.readLead(1))?.timeline.find(({ actor }) => actor === id)?.id
  ok(entry)
  for (const name of [id, 'manager', 'command line']) {
    const address = `${name.replace(' ', '-')}@agency.example`
    const namesake = await service.client('counselor', { email: address, name })
    equal((await namesake.post('/leads/1/undo', { entry: String(entry) })).status, 404, name)
    const manager = await service.client('manager', { email: `the-${address}`, name })
    await manager.post('/leads/1', { do: 'note', note: `By ${name}` })
  }
  const { timeline = [] } = (await service.app.store.readLead(1)) ?? {}
  deepEqual(
    timeline.filter(({ kind }) => kind === 'note').map(({ actor }) => actor),
    ['the-maria@agency.example', 'the-manager@agency.example', 'the-command-line@agency.example'],
  )
})

test('the audit log says who did what, and can be narrowed', async t => {
  const service = await startConsole(t)
  const { store } = service.app
  const admin = await service.client('admin', { name: 'Dana Kim' })
  const other = await service.client('manager', { name: 'Tom Reed' })
  for (let leadId = 1; leadId <= 120; leadId++) {
    const at = service.clock.now()
    await store.recordAudit({ at, operatorId: other.operator, actor: 'Tom Reed', action: 'opened', leadId })
  }
  await admin.post(`/operators/${other.operator}/role`, { role: 'viewer' })
  const first = await admin.get('/audit')
  ok(/Dana Kim<\/td><td>changed the role of an operator/.test(first.text))
  ok(!first.text.includes('"/leads/1"'))
  const older = /href="(\/audit\?[^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  ok((await admin.get(older)).text.includes('"/leads/1"'))
  const one = await admin.get(`/audit?operator=${other.operator}&lead=7`)
  equal(one.text.match(/<tr><td/g)?.length, 1)
  ok(/>Today, \d+:\d\d [AP]M<\/time>/.test(one.text), 'the time is short')
  ok(one.text.includes('<td>opened <a href="/leads/7">lead 7</a>'))
  await admin.post('/account/shortcuts', { shortcuts: 'off' })
  const changes = await admin.get('/audit?what=without-opened')
  equal(changes.text.match(/<tr><td/g)?.length, 1)
  match(changes.text, /<option value="without-opened" selected>Without opened leads</)
})
