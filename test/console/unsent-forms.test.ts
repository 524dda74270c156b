/** What someone typed into a form of the console is never lost, whatever happens: every form, found on every page. */
import { deepEqual, match, ok } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { consoleRoutes } from '../../src/console/console-routes.ts'
import type { ConsoleDeps } from '../../src/console/frame/context.ts'
import { hashPassword } from '../../src/console/sign-in/passwords.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import { goOffline, startBrowser } from '../support/browser.ts'
import { testClock } from '../support/clock.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { unescaped } from '../support/forms.ts'
import { aSchool, ben, counselors, MONDAY } from '../tasks/school.ts'

const routes = consoleRoutes({ settings: defaultSettings, calendar: createCalendar(defaultSettings) } as ConsoleDeps)

/** The forms in which no one types: buttons, choices and files. A route is added here only on purpose. */
const WITHOUT_TEXT = [
  '/account/absences/remove',
  '/account/notifications',
  '/account/notifications/browsers',
  '/account/notifications/browsers/remove',
  '/account/sessions/end',
  '/account/shortcuts',
  '/answers/back',
  '/board/move',
  '/brand/back',
  '/cadence/back',
  '/consent/back',
  '/delivery',
  '/destinations/:id{[0-9]{1,15}}/delete',
  '/destinations/:id{[0-9]{1,15}}/keys',
  '/destinations/:id{[0-9]{1,15}}/off',
  '/destinations/:id{[0-9]{1,15}}/on',
  '/destinations/:id{[0-9]{1,15}}/resend',
  '/destinations/:id{[0-9]{1,15}}/test',
  '/emails/back',
  '/export/nightly/:id{[0-9]{1,15}}/delete',
  '/export/nightly/:id{[0-9]{1,15}}/now',
  '/forms/archive',
  '/forms/back',
  '/hours/back',
  '/import',
  '/import/:id{[0-9]+}/meanings',
  '/import/:id{[0-9]+}/start',
  '/import/:id{[0-9]+}/undo',
  '/inbox/columns',
  '/inbox/order',
  '/inbox/undo',
  '/inbox/views/:id{[0-9]{1,15}}/delete',
  '/leads/:id{[0-9]{1,15}}/destinations',
  '/leads/:id{[0-9]{1,15}}/merge',
  '/leads/:id{[0-9]{1,15}}/undo',
  '/leads/:id{[0-9]{1,15}}/unmerge',
  '/operators/:id{[0-9]{1,15}}/disable',
  '/operators/:id{[0-9]{1,15}}/enable',
  '/operators/:id{[0-9]{1,15}}/invite',
  '/operators/:id{[0-9]{1,15}}/role',
  '/privacy/requests/:id{[0-9]{1,15}}',
  '/privacy/traces',
  '/programs/back',
  '/quarantine',
  '/quarantine/undo',
  '/quarantine/unfiled',
  '/sign-out',
  '/sources/:id{[0-9]{1,15}}/delete',
  '/sources/:id{[0-9]{1,15}}/key',
  '/sources/:id{[0-9]{1,15}}/off',
  '/sources/:id{[0-9]{1,15}}/on',
  '/tags/:id{[0-9]{1,15}}/delete',
  '/team/absences/remove',
  '/team/back',
  '/team/hand-overs/:id{[0-9]{1,15}}/undo',
  '/team/people/:id{[a-z0-9-]{1,40}}/hand-over',
  '/team/people/:id{[a-z0-9-]{1,40}}/remove',
  '/today/unsent',
  '/tokens/:id{[0-9]{1,15}}/revoke',
]

/** Their passwords and codes are typed again. */
const SECRET = [
  '/account/passkeys',
  '/account/passkeys/remove',
  '/account/password',
  '/account/second-factor',
  '/account/second-factor/remove',
]

const PASSWORD = 'correct horse battery'
const ANA = { email: 'ana@school.example', name: 'Ana Ruiz' }

/** An admin with a password, at a school where every page has something to type into. */
async function aDesk(t: TestContext) {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  const { store } = service.app
  const now = service.clock.now()
  const ana = await service.client('admin', ANA)
  await store.setPassword(ana.operator, { password: await hashPassword(PASSWORD), now })
  await ana.post('/sign-in', { email: ANA.email, password: PASSWORD })
  const passkey = { id: 'key', publicKey: 'AA', counter: 0, name: 'Laptop', createdAt: now }
  await store.addPasskey({ ...passkey, operatorId: ana.operator })
  await service.postStudent(ben())
  await service.settle()
  await store.addLabel(1, { kind: 'tag', name: 'Fair 2027', actor: null, now })
  await store.saveView(ana.operator, { name: 'Fair', filter: 'stage=new', shared: false, now })
  await ana.post('/destinations/new/webhook', {
    name: 'Records',
    url: 'https://records.invalid/',
    events: 'lead.created',
  })
  await ana.post('/sources/new/post', { name: 'Vendor', leadKind: 'student', 'place-email': 'email' })
  await storeList(store, {
    bytes: Buffer.from('Name,Email\nAna Li,ana@mail.example\n'),
    fileName: 'fair.csv',
    by: 'Ana',
    now,
  })
  // Ben is with Maria.
  const sam = await service.client('counselor', counselors[1])
  const tom = await service.client('admin')
  await store.setSecondFactor(tom.operator, { secret: 'unreadable', step: 0, codeHashes: ['one'] })
  return { ...service, ana, sam, tom }
}

type Form = { action: string; hasSecret: boolean; fields: [name: string, value: string][]; typed: string[] }

/**
 * The forms of a page that have a field to type into, filled in; each button that sends one elsewhere counts as one.
 */
function formsOn(text: string, path: string): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(([, start = '', content = '']) => {
    const id = attribute(start, 'id')
    const elsewhere =
      id === undefined ? [] : (text.match(new RegExp(`<(input|textarea)[^>]* form="${id}"[^>]*>`, 'g')) ?? [])
    const controls = [...(content.match(/<(?:input|textarea)\b[^>]*>/g) ?? []), ...elsewhere]
    const found = controls.map(control => ({
      name: attribute(control, 'name') ?? '',
      type: control.startsWith('<textarea') ? 'text' : (attribute(control, 'type') ?? 'text'),
      value: attribute(control, 'value') ?? '',
    }))
    const typed = found.filter(({ type }) => TYPED.includes(type)).map(({ name }) => name)
    if (attribute(start, 'method') !== 'post' || typed.length === 0) return []
    const fields = found
      .filter(({ type }) => type === 'hidden' || TYPED.includes(type))
      .map(({ name, type, value }): [string, string] => [name, type === 'hidden' ? value : `typed as ${name}`])
    const buttons = (content.match(/<button\b[^>]*>/g) ?? []).filter(one => attribute(one, 'formmethod') !== 'get')
    const hasSecret = found.some(({ type }) => type === 'password')
    const others = buttons.map(one => attribute(one, 'formaction') ?? '')
    // A button with `#row` sends the form to its page, which opens at that row.
    const actions = [attribute(start, 'action') ?? path, ...others.filter(one => one !== '' && !one.startsWith('#'))]
    return [...new Set(actions)].map(action => ({ action, hasSecret, fields, typed }))
  })
}

const TYPED = ['text', 'email', 'tel', 'search', 'url', 'number', 'date', 'time', 'password']

const attribute = (tag: string, name: string): string | undefined => {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? []
  return value === undefined ? undefined : unescaped(value)
}

/** The path of a page about the first thing of its kind. */
const sample = (path: string): string =>
  path
    .replace(/:name\{\[a-z[^}]*\}\}?/, 'student-interest')
    .replace(/:id\{\[a-z[^}]*\}\}?/, 'maria')
    .replace(/^(\/sources.*):kind$/, '$1post')
    .replace(/:kind$/, 'request')
    .replace(/:\w+(?:\{[^}]*\{[^}]*\}[^}]*\}|\{[^}]*\})?/g, '1')

const routeOf = (action: string) =>
  routes.find(
    ({ method, path }) => method === 'POST' && patternOf(path).test(new URL(action, 'http://console').pathname),
  )

/** A path as Hono writes it. */
const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/:\w+\{((?:[^{}]|\{[^}]*\})*)\}/g, '(?:$1)').replace(/\/:\w+$/, '/[^/]+')}$`)

/** The pages of the console that someone can open. */
const opened = routes
  .filter(({ method, path, action }) => method === 'GET' && action !== 'anyone' && path !== '/live')
  .map(({ path }) => sample(path))
const alsoOpened = ['/inbox?stage=new', '/inbox?kind=site']
const openedBySam = ['/inbox?q=ben', '/account/absences']

test('every form of every page keeps what was typed when the session has ended, but passwords and codes', async t => {
  const { ana, sam, tom, client } = await aDesk(t)
  const stranger = await client()
  const walked = new Set<string>()
  const secret = new Set<string>()
  const pages = await Promise.all([
    ...[...opened, ...alsoOpened].map(path => ana.get(path)),
    tom.get('/account/second-factor'),
    ...openedBySam.map(path => sam.get(path)),
  ])
  for (const { path, text: content } of pages) {
    for (const form of formsOn(content, path)) {
      const route = routeOf(form.action)?.path ?? `no route for ${form.action}`
      const { text } = await stranger.post(form.action, new URLSearchParams(form.fields))
      if (form.hasSecret) {
        secret.add(route)
        ok(!text.includes('typed as'), `${route} would show what was typed as a password`)
        continue
      }
      walked.add(route)
      match(text, /what you typed is not lost/, `${path}: ${route} loses ${form.typed.join(', ')}`)
      deepEqual(JSON.parse(fieldOn(text, 'resume')), { path: form.action, fields: form.fields }, route)
    }
  }
  deepEqual([...secret].toSorted(), SECRET)
  const posts = routes.filter(({ method, action }) => method === 'POST' && action !== 'anyone').map(({ path }) => path)
  deepEqual(
    posts.filter(path => !walked.has(path) && !secret.has(path)).toSorted(),
    WITHOUT_TEXT,
    'a form with text is on no page that this test opens',
  )
})

/** What may happen before someone sends what they have typed; after each, they look at the page again. */
const ways: Record<string, (page: Page, path: string) => Promise<unknown>> = {
  'a reload': page => page.reload(),
  'another page, and Back': async page => {
    await page.goto(`${new URL(page.url()).origin}/sign-in`)
    await page.goBack()
  },
  'opening it again': (page, path) => page.goto(`${new URL(page.url()).origin}${path}`),
  'a service that is away when they send it': async page => {
    await goOffline(page)
    for (const index of (await typedOn(page)).keys()) {
      await page.evaluate(`(${sendForm})(${index})`)
      // A draft that is saved meanwhile says the same in other words.
      const said = page
        .locator(`[data-sent="${index}"]`)
        .getByText(/Not (?:sent|saved yet): the service is not reachable/)
      await said.waitFor({ state: 'attached' })
    }
    await page.context().setOffline(false)
    await page.reload()
  },
  'the end of their session': async (page, path) => {
    const cookies = await page.context().cookies()
    await page.context().clearCookies()
    await page.evaluate(`(${typeInto})()`)
    await page.goto(`${new URL(page.url()).origin}${path}`)
    await page.context().addCookies(cookies)
    await page.goto(`${new URL(page.url()).origin}${path}`)
  },
}

/** The browser must remember no secret. */
const FIELDS = `:is(textarea, input:is(:not([type]), ${TYPED.map(type => `[type=${type}]`).join()})):not([data-secret])`

/** These run in the page. The cadence keeps its draft in the URL. */
const typedForms = `[...document.forms].filter(form => form.method === 'post' && !form.querySelector('[type=password]') &&
  [...form.elements].some(one => one.matches('${FIELDS}')))`
const typeInto = `() => {
  for (const form of ${typedForms})
    for (const one of form.elements) {
      if (!one.matches('${FIELDS}')) continue
      const values = { number: '12', date: '2027-03-01', time: '09:30', email: 'typed@mail.example' }
      one.value = values[one.type] ?? 'typed as ' + one.name
      for (const type of ['input', 'change']) one.dispatchEvent(new Event(type, { bubbles: true }))
    }
}`
const sendForm = `index => {
  const form = ${typedForms}[index]
  form.noValidate = true
  form.dataset.sent = index
  form.requestSubmit()
}`
const readForms = `${typedForms}.map(form => ({
  actions: [form.getAttribute('action') ?? location.pathname, ...[...form.querySelectorAll('[formaction]')].map(one => one.getAttribute('formaction'))],
  texts: [...form.elements].filter(one => one.matches('${FIELDS}')).map(one => one.value),
}))`
const typedOn = (page: Page) => page.evaluate(readForms) as Promise<{ actions: string[]; texts: string[] }[]>

const browser = await startBrowser({ after })

test('every form of every page has what was typed again after a reload, Back, another page, an outage, or the end of a session', async t => {
  const { ana, sam, origin } = await aDesk(t)
  const walked = new Set<string>()
  for (const path of [...opened, ...alsoOpened, ...openedBySam]) {
    const client = openedBySam.includes(path) ? sam : ana
    const { text, path: ended } = await client.get(path)
    if (formsOn(text, ended).every(({ hasSecret }) => hasSecret)) continue
    const context = await browser.newContext()
    await context.addCookies([{ name: 'session', value: client.cookies.get('session') ?? '', url: origin.console }])
    const page = await context.newPage()
    await page.goto(`${origin.console}${path}`)
    await page.evaluate(`(${typeInto})()`)
    const typed = await typedOn(page)
    for (const [way, happens] of Object.entries(ways)) {
      // The draft of the cadence is its URL, which can be bookmarked; without that, the editor begins with what is in force.
      await happens(page, path === '/cadence/edit' ? new URL(page.url()).pathname + new URL(page.url()).search : path)
      deepEqual(await typedOn(page), typed, `${path}: what was typed is lost by ${way}`)
    }
    for (const { actions } of typed) for (const action of actions) walked.add(routeOf(action)?.path ?? action)
    await context.close()
  }
  const posts = routes.filter(({ method, action }) => method === 'POST' && action !== 'anyone').map(({ path }) => path)
  deepEqual(
    posts.filter(path => !walked.has(path) && !SECRET.includes(path)).toSorted(),
    WITHOUT_TEXT,
    'a form with text is on no page that this test opens',
  )
})

test('what was sent is not kept, even if the response shows a secret in place of a sentence', async t => {
  const { ana, origin } = await aDesk(t)
  const context = await browser.newContext()
  await context.addCookies([{ name: 'session', value: ana.cookies.get('session') ?? '', url: origin.console }])
  const page = await context.newPage()
  const cases = [
    ['/tokens', {}, 'Make the token'],
    ['/destinations/new/webhook', { url: 'https://other.invalid/' }, 'Add the destination'],
  ] as const
  for (const [path, more, button] of cases) {
    await page.goto(`${origin.console}${path}`)
    for (const [name, value] of Object.entries({ name: 'Records', ...more })) await page.fill(`[name="${name}"]`, value)
    await page.getByRole('button', { name: button }).click()
    await page.locator('[data-received]').waitFor()
    // Only when its scripts have run does the page know that the form was sent.
    await page.waitForLoadState()
    await page.goto(`${origin.console}${path}`)
    deepEqual(await page.inputValue('[name=name]'), '', path)
  }
  await context.close()
})
