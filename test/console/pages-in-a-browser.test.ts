/**
 * Every page of the console in a real browser: accessible, in both modes, on a phone and a desktop, and by keyboard
 * alone.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { hashPassword } from '../../src/console/sign-in/passwords.ts'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import { assertAccessible, assertReadable } from '../support/accessibility.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { startBrowser } from '../support/browser.ts'
import { startConsole } from '../support/console.ts'
import { freePorts } from '../support/ports.ts'

/** The pages that an admin opens, and a heading of each. Add yours. */
const pages: Record<string, string> = {
  '/inbox': 'Inbox',
  '/inbox?stage=closed&since=2026-01-02': 'Inbox',
  '/today': 'Today',
  '/board': 'Board',
  '/board?kind=site&who=team&column=contacted': 'Board',
  '/tags': 'Tags',
  '/export': 'Export',
  '/export/nightly': 'Nightly exports',
  '/import': 'Import',
  '/import/1': 'fair.csv',
  '/import/2': 'Fair Austin',
  '/import/3': 'Fair Austin',
  '/leads/add': 'Add a lead',
  '/leads/1': 'Zoë First',
  '/leads/1/write': 'Write to Zoë First',
  '/leads/1/correct': 'Correct how to reach Zoë First',
  '/leads/1/merge': 'Who is the same person as Zoë First?',
  '/quarantine': 'Quarantine',
  '/insight?range=year': 'Insight',
  '/costs': 'What sources cost',
  '/report?week=2026-01-01': 'Report',
  '/delivery?state=sent': 'Delivery',
  '/delivery/3': 'Reminder to the staff',
  '/team': 'Team',
  '/team/add': 'Add a counselor',
  '/team/people/maria': 'Change Maria Lopez',
  '/team/manager': 'Manager',
  '/team/absences': 'Absences',
  '/team/people/maria/hand-over?leaves': 'Hand over the leads of Maria Lopez',
  '/team/versions': 'Versions of the team',
  '/privacy': 'Privacy',
  '/privacy/planned': 'Leads that will be erased',
  '/leads/1/keep': 'Keep Zoë First longer',
  '/privacy/people/1': 'Zoë First',
  '/cadence': 'Cadence',
  '/cadence/edit?kind=student': 'Edit the cadence: students',
  '/cadence/versions/0': 'The cadence of the settings file',
  '/emails': 'Emails',
  '/emails/edit?file=letters/day-1.md&language=en': 'When is a good time to call you?',
  '/emails/edit': 'New saved reply',
  '/programs': 'Programs',
  '/forms': 'Forms',
  '/forms/edit/student-interest': 'Ask about our programs',
  '/forms/new?kind=site': 'New form for sites',
  '/forms/embed/student-interest': 'Ask about our programs: link, code, website',
  '/answers': 'Answers to choose from',
  '/brand': 'Name and look',
  '/consent': 'Consent to calls and texts',
  '/hours': 'School hours',
  '/hours/versions': 'Versions of the school hours',
  '/settings': 'Settings',
  '/account': 'Your account',
  '/account/second-factor': 'Second factor',
  '/account/notifications': 'Notifications',
  '/account/passkeys': 'Passkeys',
  '/destinations': 'Destinations',
  '/leads/1/destinations': 'Hand over Zoë First again',
  '/destinations/new/slack': 'Add a destination: Slack',
  '/destinations/new/request': 'Add a destination: HTTP request',
  '/sources': 'Sources',
  '/sources/new/google': 'Add a source: Google lead form',
  '/sources/new/post': 'Add a source: JSON or form post',
  '/sources/1/edit': 'Vendor',
  '/tokens': 'Tokens',
  '/operators': 'Operators',
  '/audit': 'Audit log',
  '/nowhere': 'Page not found',
}

/** The pages for people who are not signed in. */
const openPages: Record<string, string> = {
  '/sign-in': 'Sign in',
  '/forgotten': 'Forgotten password',
  '/welcome/nonsense': 'This link no longer works',
}

const PASSWORD = 'correct horse battery'
const ANA = { email: 'ana@school.example', name: 'Ana Ruiz' }
const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }

const browser = await startBrowser({ after })
const service = await startConsole({ after } as TestContext, { settings: { admissions: { counselors: [maria] } } })
const admin = await service.client('admin', ANA)
await service.app.store.setPassword(admin.operator, {
  password: await hashPassword(PASSWORD),
  now: service.clock.now(),
})
await admin.post('/sign-in', { email: ANA.email, password: PASSWORD, next: '/account' })
const token = admin.cookies.get('session') ?? ''
await service.postStudent(aStudent({ firstName: 'Zoë', lastName: 'First' }))
await service.postSite(aSite({ lastName: 'Second' }, service.clock.now()))
await service.settle()
await service.app.store.addLabel(1, { kind: 'tag', name: 'Fair 2027', actor: null, now: service.clock.now() })
await admin.post('/sources/new/post', { name: 'Vendor', leadKind: 'student', 'place-email': 'person.email' })
await admin.post('/sources/1/key')
const aView = { name: 'Students', filter: 'kind=student', shared: false, now: service.clock.now() }
await service.app.store.saveView(admin.operator, aView)
await admin.post('/export/nightly', { view: '1', name: 'students', hour: '2', keepDays: '7' })
await addLists()

/** Lists to import: one that was uploaded, one that was checked, and one whose rows were all rejected. */
async function addLists(): Promise<void> {
  const { store } = service.app
  const now = service.clock.now()
  const bytes = Buffer.from('Name,Email,Phone,Shirt,\nAna Li,ana@mail.example,512 555 0188,M\nBo,,,\n')
  const columns = ['fullName', 'email', 'phone', null, null] as const
  const common = { kind: 'student', source: 'Fair Austin', language: 'en', mayWrite: false } as const
  for (const passes of [0, 1, 2]) {
    const id = await storeList(store, { bytes, fileName: 'fair.csv', by: 'Ana Ruiz', now })
    if (passes === 0) continue
    const wrong = passes === 2 ? columns.with(1, null).with(2, null) : [...columns]
    await store.checkImport(id, { plan: { ...common, columns: wrong }, now })
    await service.settle()
    if (passes === 1) continue
    await store.startImport(id, { now })
    await service.settle()
  }
}

/** A window whose pages must not report errors, such as something that the policy forbids. */
async function open(options: { phone?: boolean; signedIn?: boolean }) {
  const context: BrowserContext = await browser.newContext({
    viewport: options.phone ? { width: 390, height: 844 } : { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    hasTouch: options.phone === true,
  })
  const url = service.origin.console
  if (options.signedIn) await context.addCookies([{ name: 'session', value: token, url }])
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().includes('404')) errors.push(message.text())
  })
  return { page, errors, context, go: (path: string) => page.goto(`${url}${path}`) }
}

describe('every page', { concurrency: true }, () => {
  for (const signedIn of [true, false])
    for (const phone of [true, false]) {
      const where = `${phone ? 'on a phone' : 'on a desktop'}, ${signedIn ? 'signed in' : 'not signed in'}`
      test(`is accessible in light and in dark, fits, and reports no errors ${where}`, async () => {
        const { page, errors, context, go } = await open({ phone, signedIn })
        for (const [path, heading] of Object.entries(signedIn ? pages : openPages)) {
          await page.emulateMedia({ colorScheme: 'light' })
          await go(path)
          equal(await page.locator('h1').first().innerText(), heading, path)
          await assertAccessible(page)
          await assertFits(page, path)
          if (phone) deepEqual(await scrolledAside(page), SCROLL_ASIDE[path] ?? [], path)
          // A tablet is as wide as a page gets with the menu beside it, and has the least room for its columns.
          for (const width of phone ? [390] : [820, 1440]) {
            await page.setViewportSize({ width, height: 900 })
            await assertFits(page, `${path} at ${width}`)
            deepEqual(await brokenWords(page), [], `${path} at ${width}`)
          }
          const standOut = await surfaces(page)
          await page.emulateMedia({ colorScheme: 'dark' })
          const inTheDark = new Set(await surfaces(page))
          deepEqual(
            standOut.filter(surface => !inTheDark.has(surface)),
            [],
            `${path} in the dark`,
          )
          await assertReadable(page)
        }
        // Beside the menu, a row of a lead has the least room just above each width where it changes.
        for (const width of signedIn && !phone ? [820, 1000, 1270] : []) {
          await page.setViewportSize({ width, height: 900 })
          await go('/inbox')
          await assertFits(page, `/inbox at ${width}`)
        }
        equal(errors.join('\n'), '')
        await context.close()
      })
    }
})

/**
 * What scrolls to the side on a phone: columns side by side, each with a heading to act on; and the views of the
 * inbox and the stages of the board, so that the first lead is near.
 */
const SCROLL_ASIDE: Record<string, string[]> = {
  '/board': ['Stages'],
  '/board?kind=site&who=team&column=contacted': ['Stages'],
  '/import/1': ['Columns and first rows'],
  '/inbox': ['Views'],
  '/inbox?stage=closed&since=2026-01-02': ['Views'],
}

test('the lines for a website are copied by a button, each as it stands there', async () => {
  const { page, context, go } = await open({ phone: true, signedIn: true })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await go('/forms/embed/student-interest')
  const boxes = await page.locator('figure.code').all()
  equal(boxes.length, 5)
  for (const box of boxes) {
    const button = box.getByRole('button', { name: 'Copy' })
    await button.click()
    await button.filter({ hasText: 'Copied' }).waitFor()
    equal(await page.evaluate('navigator.clipboard.readText()'), await box.locator('code').textContent())
  }
  await context.close()
})

/** The names of the parts of a page that are wider than their room, and so scroll to the side. */
const scrolledAside = (page: Page): Promise<string[]> =>
  page.locator('main *').evaluateAll(all =>
    all
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .filter(one => /auto|scroll/.test(one.ownerDocument.defaultView.getComputedStyle(one).overflowX))
      .map(one => one.ariaLabel ?? one.outerHTML.slice(0, 80)),
  )

/**
 * What stands on the page itself in another color than the page, as panels, buttons and tabs do. A field does not
 * have to: its edge is what shows it. Digits are left out, since a count in the menu may come between two looks.
 */
const surfaces = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const found = []
    const colorOf = element => getComputedStyle(element).backgroundColor
    const isClear = element => colorOf(element) === 'rgba(0, 0, 0, 0)'
    const ground = colorOf(document.body)
    const below = element => {
      for (const child of element.children) {
        if (!child.checkVisibility()) continue
        if (isClear(child)) below(child)
        else if (!child.matches('input:not([type=checkbox]), select, textarea') && colorOf(child) !== ground)
          found.push(child.cloneNode(false).outerHTML + child.textContent.replace(/\\d/g, '').slice(0, 40))
      }
    }
    below(document.body)
    return found
  })()`)

/** The words of a usual length that a line breaks, because their column is too narrow. */
const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const broken = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { currentNode: text } = texts
      if (!text.parentElement.checkVisibility()) continue
      for (const { 0: word, index } of text.data.matchAll(/(?<![^\\s(])\\p{L}{2,14}(?![^\\s,.:)])/gu)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (lines.size > 1) broken.push(word)
      }
    }
    return broken
  })()`)

async function assertFits(page: Page, path: string) {
  const [wide, room] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [number, number]
  ok(wide <= room, `${path} is ${wide} pixels wide`)
}

test('by keyboard alone, someone signs in, invites a colleague, changes their role, and signs out', async () => {
  const { page, context, go } = await open({})
  await go('/operators')
  await tabTo(page, 'Email')
  await page.keyboard.type(ANA.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/operators')
  await tabTo(page, 'Skip to the content')
  await page.keyboard.press('Enter')
  await tabTo(page, 'Invite Maria Lopez')
  await page.keyboard.press('Enter')
  await page.locator('#main').getByText('Maria Lopez gets an invitation by email.').waitFor()
  const save = 'Save the role of Maria Lopez'
  equal(await page.getByRole('button', { name: save }).isVisible(), false, 'nothing has changed yet')
  await page.getByLabel('Role of Maria Lopez').focus()
  await page.keyboard.press('ArrowUp')
  await tabTo(page, save)
  await page.keyboard.press('Enter')
  await page.locator('#main').getByText('Maria Lopez is now a manager.').waitFor()
  await tabTo(page, 'Sign out')
  await page.keyboard.press('Enter')
  await page.locator('#main').getByText('You are signed out.').waitFor()
  await context.close()
})

test('on a phone, the menu opens and leads to a page', async () => {
  const { page, context, go } = await open({ phone: true, signedIn: true })
  await go('/account')
  equal(await page.getByRole('link', { name: 'Audit log' }).isVisible(), false)
  await page.getByLabel('Show the menu').click()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.waitForURL('**/audit')
  await context.close()
})

test('in the inbox, new leads appear by themselves, and keys move, act and undo', async () => {
  const { page, context, go, errors } = await open({ signedIn: true })
  await go('/inbox')
  const row = (name: string) => page.locator('[data-lead]').filter({ hasText: name })
  await row('Ana Second').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await page.locator('#main').getByText('1 selected').waitFor()
  await service.postStudent(aStudent({ firstName: 'Nia', lastName: 'Third' }))
  await service.settle()
  await row('Nia Third').waitFor()
  equal(await row('Zoë First').getByRole('checkbox').isChecked(), true, 'what was selected still is')
  equal(await page.locator(':focus').innerText(), 'Zoë First', 'the place is kept')
  await page.keyboard.press('c')
  await page.locator('#main').getByText('Zoë First: reached.').waitFor()
  await row('Zoë First').getByText('Reached', { exact: true }).waitFor()
  await page.keyboard.press('z')
  await page.locator('#main').getByText('Undone.').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keyboard' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Keyboard' }).waitFor({ state: 'hidden' })
  const zoe = row('Zoë First').getByRole('link')
  await zoe.focus()
  await page.keyboard.press('n')
  await page.waitForURL('**/leads/1#note')
  await page.locator('textarea[name="note"]:focus').waitFor()
  await page.goBack()
  await zoe.focus()
  await page.keyboard.press('s')
  await page.waitForURL('**/leads/1#day')
  await page.locator('details[open] input[name="day"]:focus').waitFor()
  await page.goBack()
  await row('Zoë First').waitFor()
  await page.keyboard.press('/')
  await page.locator('#q:focus').waitFor()
  await page.keyboard.type('thir')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\?q=thir$/)
  equal(await page.locator('[data-lead]').count(), 1)
  equal(errors.join('\n'), '')
  await service.app.store.setShortcuts(admin.operator, false)
  await go('/inbox')
  await page.keyboard.press('?')
  equal(await page.getByRole('heading', { name: 'Keyboard' }).isVisible(), false)
  await service.app.store.setShortcuts(admin.operator, true)
  await context.clearCookies()
  await service.postStudent(aStudent({ firstName: 'Ola', email: 'ola@mail.example' }))
  await service.settle()
  const signIn = page.getByRole('alert').getByRole('link', { name: 'Sign in again' })
  match((await signIn.getAttribute('href')) ?? '', /sign-in\?next=.*inbox/)
  await context.close()
})

test('a page that is open when its session ends says so, signing in leads back to it, and nothing typed is lost', async () => {
  const ben = { email: 'ben@school.example', name: 'Ben Ott' }
  const { operator } = await service.client('manager', ben)
  const password = await hashPassword(PASSWORD)
  await service.app.store.setPassword(operator, { password, now: service.clock.now() })
  const { page, context, go } = await open({})
  const signIn = async (where: Page) => {
    await where.getByLabel('Email').fill(ben.email)
    await where.getByLabel('Password').fill(PASSWORD)
    await where.getByRole('button', { name: 'Sign in', exact: true }).click()
    await where.waitForURL('**/leads/1?from=inbox')
  }
  const signOutElsewhere = async () => {
    const other = await context.newPage()
    await other.goto(`${service.origin.console}/account`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByText('You are signed out.').waitFor()
    await other.close()
    service.app.store.announceLeads()
  }
  await go('/leads/1?from=inbox')
  await signIn(page)
  await signOutElsewhere()
  const banner = page.getByRole('alert').filter({ hasText: 'You are signed out.' })
  const again = banner.getByRole('link', { name: 'Sign in again' })
  await again.click()
  await signIn(page)
  equal(await banner.count(), 0)

  const note = page.locator('textarea[name="note"]')
  await note.fill('At work until six.')
  await signOutElsewhere()
  await note.scrollIntoViewIfNeeded()
  await again.waitFor()
  const opened = context.waitForEvent('page')
  await again.click()
  await signIn(await opened)
  // As the browser does it for a window that someone comes back to.
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
  await banner.waitFor({ state: 'detached' })
  equal(await note.inputValue(), 'At work until six.')
  const link = page.getByRole('link', { name: /^Today \d+ to call now$/ })
  const before = Number((await link.innerText()).match(/\d+/)?.[0])
  await service.postStudent(aStudent({ firstName: 'Pia', email: 'pia@mail.example' }))
  await service.settle()
  await page.getByRole('link', { name: `Today ${before + 1} to call now` }).waitFor()
  await context.close()
})

test('Today, and its count in the menu, follow what happens; a person who is at a button stays there', async () => {
  const { page, context, go, errors } = await open({ signedIn: true })
  await go('/today')
  const link = page.getByRole('link', { name: /^Today \d+ to call now$/ })
  const before = Number((await link.innerText()).match(/\d+/)?.[0])
  const button = page.getByRole('button', { name: /^No answer from/ }).first()
  await button.focus()
  const name = await button.getAttribute('aria-label')
  await service.postStudent(aStudent({ firstName: 'Mo', email: 'mo@mail.example' }))
  await service.settle()
  await page.getByRole('link', { name: `Today ${before + 1} to call now` }).waitFor()
  await page
    .locator('#main')
    .getByText(new RegExp(`^${before + 1} to call now`))
    .waitFor()
  equal(await page.locator(':focus').getAttribute('aria-label'), name)
  await page
    .getByRole('status')
    .getByText(`${before + 1} to call now`)
    .waitFor()
  await button.press('Enter')
  await page.getByRole('status').getByText('no answer').waitFor()
  await go('/settings')
  await page.getByRole('link', { name: /^Today \d+ to call now$/ }).waitFor()
  equal(errors.join('\n'), '')
  await context.close()
})

test('a second press, or a key that is held, does nothing to the lead that has come to the place of the last one', async () => {
  const { page, context, go, errors } = await open({ signedIn: true })
  for (const name of ['Uma', 'Val', 'Wyn']) {
    await service.postStudent(aStudent({ firstName: name, email: `${name}@mail.example` }))
    await service.settle()
  }
  const { store } = service.app
  const stages = async () =>
    Promise.all(
      ['uma', 'val', 'wyn'].map(async name => (await store.findLeadsOf(`${name}@mail.example`))[0]?.stage ?? 'none'),
    )
  const done = page.locator('#main').getByText(/: reached\.$/)
  await go('/inbox?waiting=untried&q=mail.example&sort=newest')
  const first = page.getByRole('button', { name: /^Reached/ }).first()
  // However long this machine takes, no time passes until the list is used again.
  let time = Date.now()
  await page.clock.setFixedTime(time)
  const settled = async () => {
    const settling = page.locator('[data-settling]')
    await settling.waitFor()
    // It begins again when the list has been read again, which may be after this time.
    for (let over = false; !over; ) {
      time += 2000
      await page.clock.setFixedTime(time)
      const gone = settling.waitFor({ state: 'detached', timeout: 3000 })
      over = await gone.then(() => true).catch(() => false)
    }
  }
  await first.click()
  await done.waitFor()
  await first.click()
  await page.keyboard.press('c')
  equal((await stages()).filter(stage => stage === 'contacted').length, 1)
  await settled()
  await page.keyboard.down('c')
  await page.keyboard.down('c')
  await page.keyboard.up('c')
  await settled()
  await page.keyboard.down('x')
  await page.keyboard.down('x')
  await settled()
  await page.keyboard.down('x')
  await page.keyboard.up('x')
  deepEqual((await stages()).toSorted(), ['contacted', 'contacted', 'new'])
  equal(errors.join('\n'), '')
  await context.close()
})

test('on a small laptop, an admin sees every page of the menu, and Sign out, whatever the names', async () => {
  const { page, context, go } = await open({ signedIn: true })
  const hidden = () =>
    page.evaluate<number>(`{
      const { scrollHeight, clientHeight } = document.querySelector('.sidebar nav')
      scrollHeight - clientHeight
    }`)
  const isShown = async (place: string) => {
    const box = await page.locator(`.sidebar ${place}`).boundingBox()
    const height = page.viewportSize()?.height ?? 0
    ok(box !== null && box.y >= 0 && box.height >= 24 && box.y + box.height <= height, `${place}, ${height}`)
  }
  const sizes: [number, number][] = [
    [1280, 720],
    [1280, 768],
    [1280, 800],
    [1280, 900],
    [1280, 1000],
    [1080, 1080],
    [1080, 1200],
  ]
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height })
    await go('/operators')
    await page.evaluate(`{
      document.querySelector('.school .mark + span').textContent =
        'The Capital Area School of Surgical Technology and Dental Assisting'
      document.querySelector('.me a').lastElementChild.textContent = 'María Fernanda Hernández-Villanueva'
    }`)
    equal(await hidden(), 0, `pixels of the menu that someone has to scroll to see, of ${height}`)
    for (const place of ['[href="/inbox"]', '[href="/audit"]', '[action="/sign-out"] button']) await isShown(place)
  }

  // Below that, it scrolls, and shows the page that is open.
  await page.setViewportSize({ width: 1280, height: 600 })
  await go('/operators')
  ok((await hidden()) > 0)
  await isShown('[href="/operators"]')
  await isShown('[action="/sign-out"] button')

  // On a phone, the name has one line beside the two buttons.
  await page.setViewportSize({ width: 375, height: 700 })
  const name = page.locator('.school .mark + span')
  await name.evaluate(one => (one.textContent = 'The Capital Area School of Surgical Technology and Dental Assisting'))
  const { height, width } = (await name.boundingBox()) ?? { height: 0, width: 0 }
  ok(height < 30 && width > 80, `${width} by ${height} pixels`)
  equal(await page.evaluate('document.documentElement.scrollWidth'), 375)
  await context.close()
})

test('on the board, the keyboard stays at the card that it moves, even if news from before arrives in between', async () => {
  const { page, context, go, errors } = await open({ signedIn: true })
  await service.postStudent(aStudent({ firstName: 'Xia', email: 'xia@mail.example' }))
  await service.settle()
  await go('/board')
  const asked = Promise.withResolvers<void>()
  const moving = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const holdNews = async (route: Route) => {
    const response = await route.fetch()
    asked.resolve()
    await moving.promise
    await route.fulfill({ response })
    arrived.resolve()
  }
  await page.route('**/board', holdNews, { times: 1 })
  service.app.store.announceLeads()
  await asked.promise
  await page.route('**/board/move', async route => {
    moving.resolve()
    await arrived.promise
    await page.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))')
    await route.continue()
  })
  await page.getByRole('link', { name: 'Zoë First' }).focus()
  await page.keyboard.press('>')
  await page.locator('#main [data-flash]').waitFor()
  await page.locator('[data-drop="contacted"] .lead-link:focus', { hasText: 'Zoë First' }).waitFor()
  await page.keyboard.press('z')
  await page.locator('[data-drop="new"] .lead-link:focus', { hasText: 'Zoë First' }).waitFor()
  equal(errors.join('\n'), '')
  await context.close()
})

test('on the board, a menu that is opened while the board is read again stays open, and the board follows later', async () => {
  const { page, context, go, errors } = await open({ signedIn: true })
  await go('/board')
  const [asked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/board', async route => {
    if (route.request().headers()['x-part'] !== 'list') return route.continue()
    asked.resolve()
    await release.promise
    return route.continue()
  })
  const change = (stage: string) =>
    service.app.store.changeStage(1, { stage, closedReason: null, actor: null, now: service.clock.now() })
  await page.getByRole('link', { name: 'Zoë First' }).focus()
  await change('applied')
  service.app.store.announceLeads()
  await asked.promise
  await page.keyboard.press('m')
  const read = page.waitForResponse(response => response.request().headers()['x-part'] === 'list')
  release.resolve()
  await (await read).finished()
  await page.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))')
  equal(await page.locator('.move[open]').count(), 1)
  await page.keyboard.press('Escape')
  await page.locator('[data-drop="applied"]').getByRole('link', { name: 'Zoë First' }).waitFor()
  await change('new')
  equal(errors.join('\n'), '')
  await context.close()
})

test('on the board, a card moves by dragging it, by its menu and by keyboard, and back', async () => {
  const { page, context, go, errors } = await open({ signedIn: true })
  await go('/board')
  const column = (stage: string) => page.locator(`[data-drop="${stage}"]`)
  const zoe = (stage: string) => column(stage).getByRole('link', { name: 'Zoë First' })
  await zoe('new').dragTo(column('qualified'))
  await page.locator('#main').getByText('Zoë First is now qualified.').waitFor()
  await zoe('qualified').waitFor()
  await page.keyboard.press('z')
  await page.locator('#main').getByText('Undone.').waitFor()
  await zoe('new').focus()
  await page.keyboard.press('>')
  const placeIn = (stage: string) => column(stage).locator('.lead-link:focus', { hasText: 'Zoë First' }).waitFor()
  await placeIn('contacted')
  await page.keyboard.press('<')
  await zoe('new').waitFor()
  await page.keyboard.press('m')
  await page.keyboard.press('Escape')
  equal(await page.locator('.move[open]').count(), 0)
  await page.keyboard.press('m')
  await page.locator('select:focus').selectOption('closed: spam')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.locator('#main').getByText('Zoë First: Closed: spam.').waitFor()
  equal(await page.getByRole('link', { name: 'Zoë First' }).count(), 0)
  await page.keyboard.press('z')
  await zoe('new').waitFor()
  await page.locator('.lead-link:focus', { hasText: 'Zoë First' }).waitFor()
  await service.app.store.changeStage(1, {
    stage: 'applied',
    closedReason: null,
    actor: null,
    now: service.clock.now(),
  })
  service.app.store.announceLeads()
  await zoe('applied').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  equal(await zoe('applied').isVisible(), false)
  await page.getByRole('navigation', { name: 'Stages' }).getByText('Applied').click()
  await zoe('applied').waitFor()
  await service.app.store.changeStage(1, { stage: 'new', closedReason: null, actor: null, now: service.clock.now() })
  equal(errors.join('\n'), '')
  await context.close()
})

test('in the editor of the cadence, the effect of a change appears at once, and the URL keeps the draft', async () => {
  const { page, context, go, errors } = await open({ signedIn: true })
  await go('/cadence/edit?kind=student')
  const step = page.getByRole('group', { name: 'Step 5' })
  await step.getByLabel('After').fill('4')
  await step.getByLabel('Unit').focus()
  await page.getByText('Changed: the email to the student after 3 days now comes after 4 days.').waitFor()
  equal(await page.locator(':focus').getAttribute('id'), 'unit-5')
  await page.reload()
  equal(await step.getByLabel('After').inputValue(), '4')
  await step.getByLabel('After').fill('soon')
  await step.getByLabel('Unit').focus()
  await page.locator('#main').getByText('The email to the student after soon days must have a delay').waitFor()
  await step.getByRole('button', { name: 'Remove step 5' }).click()
  await page.locator('#main').getByText('Removed: the email to the student after 3 days.').waitFor()
  equal(errors.join('\n'), '')
  await context.close()
})

test('an export says how far it is and when everything is in the file, and the download is the file', async () => {
  const { page, context, go, errors } = await open({ signedIn: true })
  await go('/export?stage=any')
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'CSV' }).click()])
  await page
    .locator('#main')
    .getByText(/^Everything is in the file: \d+ leads\./)
    .waitFor()
  match(file.suggestedFilename(), /^leads-.*\.csv$/)
  equal(await file.failure(), null)
  equal(errors.join('\n'), '')
  await context.close()
})

/** Presses Tab until the element with that label or text has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    const focused = page.locator(':focus')
    if ((await focused.count()) > 0) {
      const label = await focused.evaluate(
        (element: { labels?: ArrayLike<{ innerText: string }>; textContent: string | null }) =>
          element.labels?.[0]?.innerText ?? element.textContent ?? '',
      )
      if (label.replace(/\s+/g, ' ').trim() === name) return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`no way to ${name} with the Tab key`)
}

test('someone adds a passkey, signs in with it, and removes it', async t => {
  const [port] = await freePorts(1)
  const url = `http://localhost:${port}`
  const service = await startConsole(t, { env: { CONSOLE_URL: url, CONSOLE_PORT: String(port) } })
  const ana = await service.client('viewer', ANA)
  await service.app.store.setPassword(ana.operator, {
    password: await hashPassword(PASSWORD),
    now: service.clock.now(),
  })
  const context = await browser.newContext()
  const page = await context.newPage()
  const debug = await context.newCDPSession(page)
  await debug.send('WebAuthn.enable')
  await debug.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })

  await page.goto(`${url}/account/passkeys`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  await page.getByLabel('Email').fill(ANA.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Name').fill('Laptop')
  await page.getByLabel('Your password').fill('wrong')
  await page.getByRole('button', { name: 'Add it' }).click()
  await page.locator('#main').getByText('The password is not right.').waitFor()
  await page.getByLabel('Your password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Add it' }).click()
  await page.locator('#main').getByText('The passkey is added.').waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  const signIn = page.getByRole('button', { name: 'Sign in with a passkey' })
  await signIn.waitFor()
  // A challenge does not work for long, and the page then has a new one.
  service.clock.advance(10 * 60_000)
  await signIn.click()
  await page.locator('#main').getByText('too much time has passed').waitFor()
  const sending = page.waitForRequest(`${url}/sign-in/passkey`)
  await signIn.click()
  const sent = (await sending).postData() ?? ''
  await page.getByRole('link', { name: ANA.name }).click()
  await page.getByRole('link', { name: 'Your passkeys' }).click()
  await page.locator('#main').getByText('last used').waitFor()
  const again = await (await service.client()).post('/sign-in/passkey', new URLSearchParams(sent))
  match(again.text, /This passkey is not known here/, 'what was sent once lets no one in again')

  const removing = page.locator('form[action$="/remove"]')
  await removing.getByLabel('Laptop').check()
  await removing.getByLabel('Your password').fill('wrong')
  await removing.getByRole('button', { name: 'Remove this passkey' }).click()
  await removing.getByText('The password is not right.').waitFor()
  await removing.getByLabel('Your password').fill(PASSWORD)
  await removing.getByRole('button', { name: 'Remove this passkey' }).click()
  await page.locator('#main').getByText('The passkey is removed.').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signIn.click()
  await page.locator('#main').getByText('This passkey is not known here').waitFor()
  await context.close()
  const log = await service.app.store.listAudit({ limit: 9 })
  deepEqual(
    log.map(({ action }) => action),
    ['signed out', 'removed a passkey', 'signed in', 'signed out', 'added a passkey', 'signed in'],
  )
})
