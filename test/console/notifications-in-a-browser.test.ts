/**
 * What a whole Chromium shows when it is woken. No push service of its maker can be reached from here: ours takes its
 * place, and wakes the service worker.
 */
import { deepEqual, equal } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Worker } from 'playwright-core'
import { withoutFollowUp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { startWholeBrowser } from '../support/browser.ts'
import { testClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { startPushService } from '../support/push-service.ts'

const PATH = '/account/notifications'
const maria = { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' }

const browser = await startWholeBrowser({ after })

/** Maria's browser, which may show notifications and has asked for them, on a Monday at 10:00 in New York. */
async function aBrowser(t: TestContext) {
  const service = await startConsole(t, {
    settings: { ...withoutFollowUp, admissions: { counselors: [maria] } },
    clock: testClock(Date.parse('2026-11-23T15:00:00Z')),
  })
  const origin = service.origin.console
  const hers = await service.client('counselor', maria)
  const context = await browser.newContext()
  t.after(() => context.close())
  await context.grantPermissions(['notifications'], { origin })
  const cookie = { name: 'session', value: hers.cookies.get('session') ?? '', url: origin }
  await context.addCookies([cookie])
  const page = await context.newPage()
  await page.goto(`${origin}${PATH}`)
  await page.getByRole('button', { name: 'Turn on in this browser' }).click()
  await page.getByText('Your browser cannot reach its notification service.').waitFor()
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  // A worker has no say over a page that was there before it.
  await page.goto(`${origin}/inbox`)
  const delivered: Promise<void>[] = []
  const push = await startPushService(t, () => delivered.push(wake(worker)))
  const now = service.clock.now()
  await service.app.store.addPushSubscription(hers.operator, { endpoint: push.url, browser: 'Chrome', now })
  await hers.post(PATH, { email: 'browser', quietFrom: '20', quietTo: '8' })
  const inquire = async (firstName: string) => {
    await service.postStudent(aStudent({ firstName, email: `${firstName}@mail.example` }))
    await service.settle()
    await Promise.all(delivered)
  }
  return { ...service, context, page, worker, inquire }
}

/** What an empty message of the push service does. One that the debugger delivers now and then shows nothing. */
const wake = (worker: Worker): Promise<void> =>
  worker.evaluate(`(() => {
    const event = new PushEvent('push')
    let done
    event.waitUntil = promise => { done = promise }
    dispatchEvent(event)
    return done
  })()`)

/** Waits until exactly these stand in the browser, by the beginnings of their titles. */
async function waitForShown(worker: Worker, ...titles: string[]): Promise<void> {
  let there: string[] = []
  for (let looks = 0; looks < LOOKS; looks++) {
    there = await titlesIn(worker)
    const isThere = (title: string) => there.some(one => one.startsWith(title))
    if (there.length === titles.length && titles.every(isThere)) return
  }
  throw new Error(`The browser shows ${there.join(', ') || 'nothing'}, not ${titles.join(', ')}`)
}

/** A browser on a busy machine is slow to answer each. */
const LOOKS = 5000

const titlesIn = (worker: Worker): Promise<string[]> =>
  worker.evaluate('registration.getNotifications().then(all => all.map(({ title, body }) => title + ": " + body))')

/**
 * Does what a click on the only notification does, and returns the URLs that it opened in new windows. The debugger
 * cannot click, and only a real click lets a worker focus a window or open one: both are done for it.
 */
const click = (worker: Worker): Promise<string[]> =>
  worker.evaluate(`(async () => {
    const [notification] = await registration.getNotifications()
    const opened = []
    clients.openWindow = async url => { opened.push(url) }
    WindowClient.prototype.focus = async function () { return this }
    const event = new NotificationEvent('notificationclick', { notification })
    let done
    event.waitUntil = promise => { done = promise }
    dispatchEvent(event)
    await done
    return opened
  })()`)

test('a lead is shown by name when it arrives, and one that someone has closed does not come back with the next', async t => {
  const { worker, page, inquire } = await aBrowser(t)
  await inquire('Ana')
  await waitForShown(worker, 'New student inquiry: Ana ')
  deepEqual(await click(worker), [])
  await page.waitForURL('**/leads/1')
  await waitForShown(worker)
  await inquire('Ben')
  await waitForShown(worker, 'New student inquiry: Ben ')
  // As for another message, until it is over.
  await worker.evaluate('show()')
  const names = (await titlesIn(worker)).map(title => title.split(' ')[3])
  deepEqual(names, ['Ben'])
})

test('a browser whose session has ended shows only that something is new, and a click leads to the sign-in', async t => {
  const { worker, page, context, inquire } = await aBrowser(t)
  await context.clearCookies()
  await inquire('Ana')
  await waitForShown(worker, 'Something is new')
  await click(worker)
  await page.waitForURL('**/sign-in')
})

test('a click opens a new window where the one that is open would lose something typed', async t => {
  const { worker, page, inquire, origin } = await aBrowser(t)
  await inquire('Ana')
  await waitForShown(worker, 'New student inquiry: Ana ')
  await page.goto(`${origin.console}/leads/1`)
  await page.locator('textarea[name="note"]').fill('At work until six.')
  deepEqual(await click(worker), [`${origin.console}/leads/1`])
  equal(await page.locator('textarea[name="note"]').inputValue(), 'At work until six.')
})
