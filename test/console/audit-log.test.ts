/**
 * What operators do stands in the audit log: every route of the console that writes, and every file that it hands out.
 */
import { deepEqual, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { rowsOf } from '../../src/console/cadence/draft.ts'
import { consoleRoutes } from '../../src/console/console-routes.ts'
import type { ConsoleDeps } from '../../src/console/frame/context.ts'
import { hashPassword } from '../../src/console/sign-in/passwords.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { DAY } from '../../src/platform/time.ts'
import { aSite } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, fieldOn, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { aSchool, ben, counselors, MONDAY } from '../tasks/school.ts'

/** The routes that write, or hand out a file: GET with another path only shows. */
const routes = consoleRoutes({ settings: defaultSettings, calendar: createCalendar(defaultSettings) } as ConsoleDeps)
  .filter(({ method, path }) => method === 'POST' || /\.(csv|xlsx|zip)/.test(path))
  .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\}*)?/g, ':$1')}`)

/** The routes whose success leaves no entry, each with the reason. */
const EXCEPTIONS: Record<string, string> = {
  'POST /forgotten': 'anyone may ask for anyone: an entry says when the link is used',
  'POST /brand/preview': 'it only shows what someone is writing',
  'POST /emails/edit/preview': 'it only shows what someone is writing',
  'POST /forms/preview': 'it only shows what someone is writing',
  'POST /leads/:id/preview': 'it only shows what someone is writing',
  'POST /privacy': 'it only looks for an address; the page of the person that it leads to has an entry',
  'POST /leads/:id/write/draft': 'what someone types and has not sent changes nothing',
  'POST /leads/:id/note/draft': 'what someone types and has not sent changes nothing',
  'POST /inbox/note/draft': 'what someone types and has not sent changes nothing',
  'POST /leads/add/draft': 'what someone types and has not sent changes nothing',
  'POST /account/signature': 'each email that it stands below says so',
  'POST /account/shortcuts': 'a setting for one’s own keyboard concerns no one else',
  'POST /inbox/order': 'in which order one’s own lists stand concerns no one else',
  'POST /inbox/columns': 'what one’s own lists show concerns no one else',
  'GET /report/week.csv': 'it holds counts alone, as the page does',
}

/** The routes that this test cannot use, each with the reason. */
const ELSEWHERE: Record<string, string> = {
  'POST /sign-in/passkey': 'needs an authenticator: see pages-in-a-browser.test.ts',
  'POST /account/passkeys': 'needs an authenticator: see pages-in-a-browser.test.ts',
  'POST /account/notifications/browsers': 'sends to the maker of a browser',
}

const PASSWORD = 'correct horse battery'
const NEW_PASSWORD = 'another horse battery'

/**
 * A school where Ben and Zoe have written, a site too, and one inquiry is quarantined; with an admin who is signed in.
 */
async function aDesk(t: TestContext, engine: Engine) {
  let away = false
  const service = await startConsole(t, {
    engine,
    settings: aSchool,
    edits: true,
    clock: testClock(MONDAY),
    mail: async () => {
      if (away) throw new Error('connect ECONNREFUSED')
    },
  })
  const { store } = service.app
  await service.postStudent(ben())
  await service.postStudent(ben({ email: 'zoe@mail.example', firstName: 'Zoe' }))
  await service.postStudent(ben({ email: 'ben@home.example', phone: '512 555 0199' }))
  await service.postSite(aSite({ email: 'trap@clinic.example', website: 'https://x.example' }, service.clock.now()))
  await service.settle()
  const admin = await service.client('admin', { name: 'Dana Kim', email: 'dana@x.example' })
  const password = await hashPassword(PASSWORD)
  const now = service.clock.now()
  const mailIsAway = (is: boolean) => {
    away = is
  }
  return { ...service, store, admin, password, now, mailIsAway }
}

type Desk = Awaited<ReturnType<typeof aDesk>>

const submit = async (client: ConsoleClient, page: string, to: string, more: object) => {
  const { text } = await client.get(page)
  return client.post(to, { version: fieldOn(text, 'version'), ...more })
}

/** Uploads a list of one person, as a browser does; returns the path of its page. */
async function upload({ admin, origin }: Desk, email: string): Promise<string> {
  const form = new FormData()
  form.set('file', new File([`First name,Last name,Email,Phone\nAna,Li,${email},5125550101\nX,,,`], 'a.csv'))
  const headers = { origin: origin.console }
  const response = await admin.fetch('/import', { method: 'POST', headers, body: form })
  return response.headers.get('location') ?? ''
}

const PLAN = {
  kind: 'student',
  source: 'Fair',
  owner: 'sam',
  'column-0': 'firstName',
  'column-1': 'lastName',
  'column-2': 'email',
  'column-3': 'phone',
}

/** What a person does that the routes are about, in an order in which it works. */
type Deed = [route: string, action: string, act: (desk: Desk) => Promise<unknown>]

const kim = { name: 'Kim Day', email: 'kim@x.example' }
const person = { weight: '1', states: '', backup: '', ...kim }
const codeOf = (secret: string, at: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at })

const aboutLeads: Deed[] = [
  ['POST /inbox/actions', 'changed', ({ admin }) => admin.post('/inbox/actions', two('no answer'))],
  ['POST /inbox/actions', 'changed', ({ admin }) => admin.post('/inbox/actions', two('tag', { tag: 'Fair' }))],
  [
    'POST /inbox/undo',
    'undid a change of',
    async ({ admin }) => {
      const { text } = await admin.post('/inbox/actions', two('assign', { assign: 'sam' }))
      return admin.post('/inbox/undo', { entries: fieldOn(text, 'entries'), back: '/inbox' })
    },
  ],
  [
    'POST /inbox/note',
    'changed',
    async ({ client }) =>
      (await client('counselor')).post('/inbox/note', { q: 'ben@mail.example', lead: '1', note: 'Call him' }),
  ],
  ['POST /leads/:id', 'changed', ({ admin }) => admin.post('/leads/1', { do: 'pause' })],
  [
    'POST /leads/:id/undo',
    'undid a change of',
    async ({ admin, store }) => {
      await admin.post('/leads/1', { do: 'note', text: 'Called' })
      await admin.post('/leads/1', { do: 'assign', counselor: 'sam' })
      const entry = await store.readLatestEntry(1, ['assigned'])
      return admin.post('/leads/1/undo', { entry: String(entry?.id) })
    },
  ],
  [
    'POST /board/move',
    'changed',
    ({ admin }) => admin.post('/board/move', { lead: '2', to: 'contacted', back: '/board' }),
  ],
  [
    'POST /tags/:id',
    'renamed a tag',
    async ({ admin, store }) => {
      const [tag] = await store.listLabels('tag')
      return admin.post(`/tags/${tag?.id}`, { name: 'Spring fair' })
    },
  ],
  [
    'POST /tags/:id/delete',
    'deleted a tag',
    async ({ admin, store }) => {
      const [tag] = await store.listLabels('tag')
      return admin.post(`/tags/${tag?.id}/delete`)
    },
  ],
  [
    'POST /leads/add',
    'added',
    async ({ admin, settle }) => {
      const token = fieldOn((await admin.get('/leads/add')).text, 'once')
      const who = { firstName: 'Lou', lastName: 'Reyes', email: 'lou@mail.example' }
      const what = { phone: '512 555 0111', cameFrom: 'Phone', kind: 'student', state: 'TX' }
      const added = await admin.post('/leads/add', { ...who, ...what, token })
      await settle()
      return added
    },
  ],
  [
    'POST /leads/:id/write',
    'wrote to the person of',
    ({ admin }) => admin.post('/leads/2/write', { do: 'send', subject: 'Hello', text: 'Hello', once: 'one' }),
  ],
  [
    'POST /today/unsent',
    'has seen that an email was not sent to',
    async ({ admin, store, clock, settle }) => {
      const close = { stage: 'closed', closedReason: 'duplicate', actor: 'maria' } as const
      await store.changeStage(2, { ...close, now: clock.now() })
      clock.advance(60_000)
      await settle()
      const [unsent] = await store.listUnsentMessages({ actor: 'Dana Kim', now: clock.now() })
      return admin.post('/today/unsent', { task: String(unsent?.task) })
    },
  ],
  [
    'POST /leads/:id/correct',
    'corrected',
    async ({ admin }) => {
      const seen = fieldOn((await admin.get('/leads/3/correct')).text, 'seen')
      const typed = { email: 'ben@home.example', phone: '512 555 0188' }
      return admin.post('/leads/3/correct', { ...typed, seen })
    },
  ],
  [
    'POST /leads/:id/merge',
    'merged',
    async ({ admin }) => {
      const { text } = await admin.get('/leads/1/merge?with=3')
      const names = ['with', 'keep', 'seen', 'seenOther']
      const fields = names.map(name => [name, fieldOn(text, name)])
      return admin.post('/leads/1/merge', Object.fromEntries(fields))
    },
  ],
  ['POST /leads/:id/unmerge', 'unmerged', ({ admin }) => admin.post('/leads/1/unmerge', { lead: '3' })],
  [
    'POST /leads/:id/keep',
    'put a retention hold on',
    ({ admin }) => admin.post('/leads/1/keep', { reason: 'A refund' }),
  ],
  ['POST /inbox/views', 'saved a view', ({ admin }) => admin.post('/inbox/views', { name: 'All', filter: '' })],
  [
    'POST /inbox/views/:id/rename',
    'renamed a view',
    ({ admin }) => admin.post('/inbox/views/1/rename', { name: 'Every lead' }),
  ],
  ['POST /inbox/views/:id/delete', 'deleted a view', ({ admin }) => admin.post('/inbox/views/1/delete')],
  ['GET /export/leads.csv', 'exported leads', ({ admin }) => admin.get('/export/leads.csv')],
  ['GET /export/leads.xlsx', 'exported leads', ({ admin }) => admin.get('/export/leads.xlsx')],
]

const two = (what: string, more: Record<string, string> = {}) => {
  const form = new URLSearchParams({ do: what, ...more })
  for (const id of ['1', '2']) form.append('lead', id)
  return form
}

const aboutLists: Deed[] = [
  ['POST /import', 'uploaded a list', desk => upload(desk, 'ana@mail.example')],
  ['POST /import/:id/check', 'had a list checked', ({ admin }) => admin.post('/import/1/check', PLAN)],
  ['POST /import/:id/meanings', 'had a list checked', ({ admin }) => admin.post('/import/1/meanings')],
  [
    'GET /import/:id/rejected.csv',
    'exported the rejected rows of a list',
    async ({ admin, settle }) => {
      await settle()
      return admin.get('/import/1/rejected.csv')
    },
  ],
  ['POST /import/:id/start', 'imported leads', ({ admin }) => admin.post('/import/1/start')],
  [
    'POST /import/:id/undo',
    'undid an import',
    async ({ admin, settle }) => {
      await settle()
      return admin.post('/import/1/undo')
    },
  ],
  [
    'POST /import/:id/discard',
    'discarded a list',
    async desk => desk.admin.post(`${await upload(desk, 'cy@mail.example')}/discard`),
  ],
]

const aboutMail: Deed[] = [
  [
    'POST /quarantine',
    'dismissed from quarantine',
    ({ admin }) => admin.post('/quarantine', { do: 'dismiss:4', state: 'held' }),
  ],
  [
    'POST /quarantine/undo',
    'undid a decision about quarantine',
    ({ admin }) => admin.post('/quarantine/undo', { what: 'dismissed', ids: '4' }),
  ],
  [
    'POST /quarantine/unfiled',
    'had an inquiry filed again',
    async ({ admin, database, clock }) => {
      const later = clock.now() + DAY
      await sql(
        database,
        `insert into tasks (lane, kind, subject, step, due_at, state, attempts, note, created_at)
          values ('filing', 'refile', 1, 1, ${later}, 'due', 3, 'failed', 0)`,
      )
      return admin.post('/quarantine/unfiled', { id: '1', do: 'again' })
    },
  ],
  [
    'POST /delivery',
    'retried mail',
    async ({ admin, database, mailIsAway, postSite, clock, settle }) => {
      mailIsAway(true)
      await postSite(aSite({ email: 'mercy@clinic.example' }, clock.now()))
      await settle()
      mailIsAway(false)
      const [task] = await sql(
        database,
        `select id from tasks where kind = 'notify' and state = 'due' order by id desc`,
      )
      return admin.post('/delivery', { do: 'retry', id: String(task?.['id']) })
    },
  ],
]

const aboutTheSchool: Deed[] = [
  [
    'POST /cadence',
    'edited the cadence',
    ({ admin }) => {
      const form = new URLSearchParams({ kind: 'site', replaces: '0', people: '20', note: '' })
      for (const row of rowsOf(defaultSettings.followUp.site.slice(-1)))
        for (const [name, value] of Object.entries(row)) form.append(name, value)
      return admin.post('/cadence', form)
    },
  ],
  [
    'POST /cadence/back',
    'went back to an earlier version of the cadence',
    ({ admin }) => admin.post('/cadence/back', { version: '0', replaces: '1' }),
  ],
  [
    'POST /hours',
    'edited the school hours',
    ({ admin }) => admin.post('/hours', { replaces: '0', 'monday-0-from': '08:00', 'monday-0-to': '12:00' }),
  ],
  [
    'POST /hours/back',
    'went back to an earlier version of the school hours',
    async ({ admin, store }) => {
      const [newest] = await store.listEditedSettings('hours', { limit: 1 })
      return admin.post('/hours/back', { version: '0', replaces: String(newest?.id) })
    },
  ],
  [
    'POST /emails/edit',
    'edited the emails',
    ({ admin }) =>
      admin.post('/emails/edit', { new: 'replies', language: 'en', name: 'Parking', subject: 'Parking', text: 'Here' }),
  ],
  [
    'POST /emails/back',
    'went back to an earlier version of the emails',
    async ({ admin, store }) => {
      const [newest] = await store.listEditedSettings('texts', { limit: 1 })
      return admin.post('/emails/back', { version: '0', replaces: String(newest?.id) })
    },
  ],
  [
    'POST /programs',
    'edited the programs',
    ({ admin }) => admin.post('/programs', { count: '1', replaces: '0', 'program-0-name-en': 'Welding' }),
  ],
  [
    'POST /programs/back',
    'went back to an earlier version of the programs',
    async ({ admin, store }) => {
      const [newest] = await store.listEditedSettings('programs', { limit: 1 })
      return admin.post('/programs/back', { version: '0', replaces: String(newest?.id) })
    },
  ],
  [
    'POST /forms/new',
    'edited the forms',
    ({ admin }) => admin.post('/forms/new', { kind: 'student', name: 'evening-class', 'title-en': 'Evening class' }),
  ],
  [
    'POST /forms/edit/:name',
    'edited the forms',
    async ({ admin }) => {
      const { text } = await admin.get('/forms/edit/evening-class')
      return admin.post('/forms/edit/evening-class', { seen: fieldOn(text, 'seen'), 'title-en': 'Evenings' })
    },
  ],
  [
    'POST /forms/archive',
    'edited the forms',
    async ({ admin }) => {
      const replaces = fieldOn((await admin.get('/forms')).text, 'replaces')
      return admin.post('/forms/archive', { name: 'evening-class', state: 'archived', replaces })
    },
  ],
  [
    'POST /forms/back',
    'went back to an earlier version of the forms',
    async ({ admin, store }) => {
      const [newest] = await store.listEditedSettings('forms', { limit: 1 })
      return admin.post('/forms/back', { version: '0', replaces: String(newest?.id) })
    },
  ],
  [
    'POST /brand',
    'edited the name and the look',
    ({ admin }) => admin.post('/brand', { name: 'Lakeside', color: '#0a6070', replaces: '0' }),
  ],
  [
    'POST /brand/back',
    'went back to an earlier version of the name and the look',
    async ({ admin, store }) => {
      const [newest] = await store.listEditedSettings('brand', { limit: 1 })
      return admin.post('/brand/back', { version: '0', replaces: String(newest?.id) })
    },
  ],
  [
    'POST /answers',
    'edited the answers to choose from',
    ({ admin }) => admin.post('/answers', { 'source-answers-en': 'A friend', replaces: '0' }),
  ],
  [
    'POST /answers/back',
    'went back to an earlier version of the answers to choose from',
    async ({ admin, store }) => {
      const [newest] = await store.listEditedSettings('answers', { limit: 1 })
      return admin.post('/answers/back', { version: '0', replaces: String(newest?.id) })
    },
  ],
  ['POST /consent', 'edited the consent', ({ admin }) => admin.post('/consent', { replaces: '0' })],
  [
    'POST /consent/back',
    'went back to an earlier version of the consent',
    async ({ admin, store }) => {
      const [newest] = await store.listEditedSettings('consent', { limit: 1 })
      return admin.post('/consent/back', { version: '0', replaces: String(newest?.id) })
    },
  ],
  ['POST /team/add', 'edited the team', ({ admin }) => submit(admin, '/team/add', '/team/add', person)],
  [
    'POST /team/people/:id',
    'edited the team',
    ({ admin }) => submit(admin, '/team/people/kim-day', '/team/people/kim-day', { ...person, weight: '2' }),
  ],
  [
    'POST /team/absences',
    'recorded an absence',
    ({ admin }) => admin.post('/team/absences', { counselor: 'kim-day', from: '2026-12-24' }),
  ],
  [
    'POST /team/absences/remove',
    'deleted an absence',
    ({ admin }) => admin.post('/team/absences/remove', { id: '1', counselor: 'kim-day', from: '2026-12-24' }),
  ],
  [
    'POST /account/absences',
    'recorded an absence',
    async ({ client }) => (await client('counselor', counselors[0])).post('/account/absences', { from: '2026-12-24' }),
  ],
  [
    'POST /account/absences/remove',
    'deleted an absence',
    async ({ client, store }) => {
      const id = await store.addAbsence({ counselor: 'sam', firstDay: '2026-12-24', lastDay: '2026-12-24' })
      return (await client('counselor', counselors[1])).post('/account/absences/remove', { id: String(id) })
    },
  ],
  [
    'POST /team/people/:id/remove',
    'edited the team',
    ({ admin }) => submit(admin, '/team/people/kim-day', '/team/people/kim-day/remove', {}),
  ],
  [
    'POST /team/manager',
    'edited the team',
    ({ admin }) => submit(admin, '/team/manager', '/team/manager', { ...kim, name: 'Kim' }),
  ],
  [
    'POST /team/back',
    'went back to an earlier version of the team',
    async ({ admin, store }) => {
      const [newest] = await store.listEditedSettings('team', { limit: 1 })
      return admin.post('/team/back', { version: '0', replaces: String(newest?.id) })
    },
  ],
  [
    'POST /team/people/:id/hand-over',
    'handed over all leads of someone',
    async ({ admin, store, clock }) => {
      await store.assignLead(1, { owner: 'maria', actor: 'test', now: clock.now() })
      const page = '/team/people/maria/hand-over'
      return submit(admin, page, page, { to: 'one', person: 'sam' })
    },
  ],
  ['POST /team/hand-overs/:id/undo', 'undid a hand-over', ({ admin }) => admin.post('/team/hand-overs/1/undo')],
]

const aboutAccounts: Deed[] = [
  ['POST /operators', 'invited an operator', ({ admin }) => admin.post('/operators', { ...kim, role: 'manager' })],
  ['POST /operators/:id/invite', 'invited an operator again', ({ admin }) => admin.post('/operators/2/invite')],
  [
    'POST /welcome/:token',
    'chose a password',
    async ({ client, sent, settle }) => {
      await settle()
      const mail = sent.findLast(({ to }) => to.address === kim.email)
      const [, link = ''] = /(\/welcome\/[\w.-]+)/.exec(mail?.text ?? '') ?? []
      return (await client()).post(link, { password: PASSWORD })
    },
  ],
  [
    'POST /operators/:id/role',
    'changed the role of an operator',
    ({ admin }) => admin.post('/operators/2/role', { role: 'viewer' }),
  ],
  ['POST /operators/:id/disable', 'disabled an operator', ({ admin }) => admin.post('/operators/2/disable')],
  ['POST /operators/:id/enable', 'enabled an operator', ({ admin }) => admin.post('/operators/2/enable')],
  [
    'POST /sign-in',
    'signed in',
    async ({ client }) => (await client()).post('/sign-in', { email: kim.email, password: PASSWORD }),
  ],
  [
    'POST /account/password',
    'changed their password',
    async ({ admin, store, password, now }) => {
      await store.setPassword(admin.operator, { password, now })
      await admin.post('/sign-in', { email: 'dana@x.example', password: PASSWORD })
      return admin.post('/account/password', { current: PASSWORD, password: NEW_PASSWORD })
    },
  ],
  [
    'POST /account/notifications',
    'chose their notifications',
    ({ admin }) => admin.post('/account/notifications', { email: 'daily', quietFrom: '20', quietTo: '8' }),
  ],
  [
    'POST /account/notifications/browsers/remove',
    'turned notifications off',
    async ({ admin, store, now }) => {
      const endpoint = 'https://browser.example/'
      await store.addPushSubscription(admin.operator, { endpoint, browser: 'a test', now })
      return admin.post('/account/notifications/browsers/remove', { id: '1' })
    },
  ],
  [
    'POST /account/passkeys/remove',
    'removed a passkey',
    async ({ admin, store, now }) => {
      const passkey = { id: 'key', publicKey: 'AA', counter: 0, name: 'Laptop', createdAt: now }
      await store.addPasskey({ ...passkey, operatorId: admin.operator })
      return admin.post('/account/passkeys/remove', { id: 'key', password: NEW_PASSWORD })
    },
  ],
  [
    'POST /account/sessions/end',
    'ended a session',
    async ({ admin, store, now }) => {
      const session = { tokenHash: 'another', network: '127.0.0.1', browser: 'a test', now }
      await store.addSession(admin.operator, session)
      return admin.post('/account/sessions/end', { session: 'another' })
    },
  ],
  [
    'POST /account/sessions/end',
    'signed out elsewhere',
    async ({ admin, store, clock }) => {
      const session = { tokenHash: 'third', network: '127.0.0.1', browser: 'a test' }
      await store.addSession(admin.operator, { ...session, now: clock.now() })
      return admin.post('/account/sessions/end')
    },
  ],
  [
    'POST /account/second-factor',
    'set up a second factor',
    async ({ admin, clock }) => {
      const secret = fieldOn((await admin.get('/account/second-factor')).text, 'secret')
      const code = codeOf(secret, clock.now())
      const fields = { secret, code, password: NEW_PASSWORD }
      const done = await admin.post('/account/second-factor', fields)
      admin.cookies.set('test-secret', secret)
      return done
    },
  ],
  [
    'POST /sign-in/code',
    'signed in',
    async ({ admin, client, clock }) => {
      clock.advance(60_000)
      const fields = { email: 'dana@x.example', password: NEW_PASSWORD }
      const browser = await client()
      const { text } = await browser.post('/sign-in', fields)
      const code = codeOf(admin.cookies.get('test-secret') ?? '', clock.now())
      const { email } = fields
      return browser.post('/sign-in/code', { token: fieldOn(text, 'token'), email, code })
    },
  ],
  [
    'POST /account/second-factor/remove',
    'removed their second factor',
    ({ admin, clock }) => {
      clock.advance(60_000)
      const proof = codeOf(admin.cookies.get('test-secret') ?? '', clock.now())
      return admin.post('/account/second-factor/remove', { password: NEW_PASSWORD, proof })
    },
  ],
]

const aboutPrivacy: Deed[] = [
  [
    'GET /privacy/people/:id/export.zip',
    'exported everything of',
    async ({ admin }) => (await admin.fetch('/privacy/people/2/export.zip')).arrayBuffer(),
  ],
  [
    'POST /privacy/requests/:id',
    'refused a request to erase a person',
    async ({ admin, store, clock }) => {
      const asked = { operator: { id: 2, name: 'Kim' }, reason: 'asked' } as const
      const now = clock.now()
      await store.requestErasure('zoe@mail.example', { ...asked, now, expiresAt: now + DAY, audit: [] })
      return admin.post('/privacy/requests/1', { do: 'decline' })
    },
  ],
  [
    'POST /privacy/people/:id/erase',
    'erased a person',
    ({ admin }) => admin.post('/privacy/people/2/erase', { reason: 'asked', address: 'zoe@mail.example' }),
  ],
  [
    'POST /privacy/traces',
    'erased a person without a lead',
    async desk => {
      await upload(desk, 'row@mail.example')
      return desk.admin.post('/privacy/traces', { person: 'row@mail.example' })
    },
  ],
  ['GET /privacy/register.csv', 'exported the register of erasures', ({ admin }) => admin.get('/privacy/register.csv')],
  ['POST /sign-out', 'signed out', ({ admin }) => admin.post('/sign-out')],
]

const aboutDestinations: Deed[] = [
  [
    'POST /destinations/new/:kind',
    'added a destination',
    ({ admin }) => admin.post('/destinations/new/webhook', aDestination),
  ],
  ['POST /destinations/:id', 'changed a destination', ({ admin }) => admin.post('/destinations/1', aDestination)],
  [
    'POST /leads/:id/destinations',
    'handed a lead over again',
    ({ admin }) => admin.post('/leads/1/destinations', { to: '1' }),
  ],
  ['POST /destinations/:id/test', 'sent a test to a destination', ({ admin }) => admin.post('/destinations/1/test')],
  [
    'POST /destinations/:id/keys',
    'changed the keys of a destination',
    ({ admin }) => admin.post('/destinations/1/keys'),
  ],
  ['POST /destinations/:id/off', 'switched a destination off', ({ admin }) => admin.post('/destinations/1/off')],
  ['POST /destinations/:id/on', 'switched a destination on', ({ admin }) => admin.post('/destinations/1/on')],
  [
    'POST /destinations/:id/resend',
    'sent an event again',
    ({ admin }) => admin.post('/destinations/1/resend', { delivery: '1' }),
  ],
  [
    'POST /destinations/:id/delete',
    'deleted a destination',
    async ({ admin }) => {
      await admin.post('/destinations/1/off')
      return admin.post('/destinations/1/delete')
    },
  ],
]

const aSource = { name: 'Vendor', leadKind: 'student', 'place-email': 'email' }

const aboutNightlyExports: Deed[] = [
  [
    'POST /export/nightly',
    'scheduled a nightly export',
    async ({ admin, store, clock }) => {
      await store.saveView(admin.operator, { name: 'All', filter: '', shared: false, now: clock.now() })
      const [view] = await store.listViews(admin.operator)
      return admin.post('/export/nightly', { view: String(view?.id), name: 'all', hour: '2', keepDays: '7' })
    },
  ],
  ['POST /export/nightly/:id/now', 'had a nightly export written', ({ admin }) => admin.post('/export/nightly/1/now')],
  [
    'POST /export/nightly/:id/delete',
    'deleted a nightly export',
    ({ admin }) => admin.post('/export/nightly/1/delete'),
  ],
]

const aboutSources: Deed[] = [
  [
    'POST /costs',
    'recorded what a source cost',
    ({ admin }) => admin.post('/costs', { source: 'Vendor', month: '2026-11', cost: '100' }),
  ],
  ['POST /sources/new/:kind', 'added a source', ({ admin }) => admin.post('/sources/new/post', aSource)],
  ['POST /sources/:id/edit', 'changed a source', ({ admin }) => admin.post('/sources/1/edit', aSource)],
  ['POST /sources/:id/key', 'replaced the key of a source', ({ admin }) => admin.post('/sources/1/key')],
  ['POST /sources/:id/off', 'switched a source off', ({ admin }) => admin.post('/sources/1/off')],
  ['POST /sources/:id/on', 'switched a source on', ({ admin }) => admin.post('/sources/1/on')],
  [
    'POST /sources/:id/delete',
    'deleted a source',
    async ({ admin }) => {
      await admin.post('/sources/1/off')
      return admin.post('/sources/1/delete')
    },
  ],
]

const aboutTokens: Deed[] = [
  [
    'POST /tokens',
    'made a token',
    ({ admin }) =>
      admin.post('/tokens', { name: 'Records', actsFor: String(admin.operator), scopes: 'leads:read', days: '30' }),
  ],
  ['POST /tokens/:id/revoke', 'revoked a token', ({ admin }) => admin.post('/tokens/1/revoke')],
]

const aDestination = {
  name: 'Records',
  url: 'https://records.invalid/',
  events: 'lead.created',
  payload: 'thin',
  kind: '',
}

const deeds = [
  ...aboutLeads,
  ...aboutLists,
  ...aboutMail,
  ...aboutTheSchool,
  ...aboutAccounts,
  ...aboutDestinations,
  ...aboutSources,
  ...aboutTokens,
  ...aboutNightlyExports,
  ...aboutPrivacy,
]

test('each route that writes, or hands out a file, is tried here, or says why not', () => {
  const tried = [...new Set(deeds.map(([route]) => route))]
  const known = [...tried, ...Object.keys(EXCEPTIONS), ...Object.keys(ELSEWHERE)]
  deepEqual(
    routes.filter(route => !known.includes(route)),
    [],
    'A new route: let a deed use it, and see it fail without an entry in the audit log',
  )
  deepEqual(
    known.filter(route => !routes.includes(route)),
    [],
    'A route that does not exist anymore',
  )
})

onEachEngine(engine => {
  test('everything that an operator does leaves an entry in the audit log', async t => {
    const desk = await aDesk(t, engine)
    const entries = () => desk.store.listAudit({ limit: 20 })
    for (const [route, action, act] of deeds) {
      const before = (await entries())[0]?.id ?? 0
      await act(desk)
      const made = (await entries()).filter(({ id }) => id > before)
      const actions = made.map(one => one.action)
      ok(actions.includes(action), `${route}: not “${action}” but “${actions.join('”, “')}”`)
      ok(made.every(({ operatorId }) => operatorId !== null))
    }
  })

  test('two operators of one name are one actor in a timeline, and the audit log tells them apart', async t => {
    const { client, postStudent, settle, app } = await startConsole(t, { engine })
    const admin = await client('admin')
    const name = 'Kim Lee'
    const [one, other] = [
      await client('counselor', { name, email: 'kim@school.example' }),
      await client('counselor', { name, email: 'k.lee@school.example' }),
    ]
    await postStudent(ben())
    await settle()
    await one.post('/leads/1', { do: 'note', note: 'Asks about housing' })
    await other.post('/leads/1', { do: 'note', note: 'Has a car' })
    const notes = (await app.store.readLead(1))?.timeline.filter(({ kind }) => kind === 'note') ?? []
    deepEqual(
      notes.map(({ actor }) => actor),
      [name, name],
    )
    const { text } = await admin.get('/audit')
    for (const email of ['kim@school.example', 'k.lee@school.example']) {
      ok(text.includes(`<td>Kim Lee, ${email}</td>`), email)
      ok(text.includes(`>Kim Lee, ${email}</option>`), email)
    }
    ok(text.includes('>The admin</option>'), 'a name that only one has stands alone')
  })

  test('each lead that a list changes at once has an entry of its own, and so has its undo', async t => {
    const { admin, store } = await aDesk(t, engine)
    const of = async (leadId: number) =>
      (await store.listAudit({ leadId, limit: 9 })).map(({ action, detail }) => [action, detail])
    const { text } = await admin.post('/inbox/actions', two('assign', { assign: 'sam' }))
    for (const lead of [1, 2]) deepEqual(await of(lead), [['changed', 'assign']])
    deepEqual(await of(3), [])
    await admin.post('/inbox/actions', two('assign', { assign: 'sam' }))
    deepEqual((await of(1)).length, 1, 'what changes nothing leaves no entry')
    await admin.post('/inbox/undo', { entries: fieldOn(text, 'entries'), back: '/inbox' })
    for (const lead of [1, 2])
      deepEqual(await of(lead), [
        ['undid a change of', ''],
        ['changed', 'assign'],
      ])
  })
})
