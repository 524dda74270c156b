/** The pages behind links, as people see and use them. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { bareDetails, fullDetails } from '../../../src/http/links/sample-pages.ts'
import { DAY } from '../../../src/platform/time.ts'
import { assertAccessible, assertReadable } from '../../support/accessibility.ts'
import { startBrowser } from '../../support/browser.ts'
import { aLead, CAME, STAFF_ACTIONS, start } from './linked-pages.ts'

const browser = await startBrowser({ after })

/** Text without a place to break the line, such as people write. */
const LONG = `https://mercy.example/${'x'.repeat(100)}`
const [wrote] = fullDetails.submissions
const longDetails: typeof fullDetails = {
  ...fullDetails,
  name: LONG,
  email: `${'a'.repeat(60)}@${'m'.repeat(60)}.example`,
  from: LONG,
  owner: LONG,
  submissions: [
    {
      received: 'today',
      message: LONG,
      facts: [...(wrote?.facts ?? []), { label: 'Company', value: LONG, url: LONG }],
    },
  ],
  timeline: [
    {
      at: 'Today',
      full: 'May 1',
      what: `Assigned to ${LONG}`,
      notes: [LONG],
      text: LONG,
      by: LONG,
      attachments: [LONG],
    },
  ],
}

test('every page loads nothing from another host, gives the browser nothing to complain about, can be used by everyone, in light and in dark, and fits a narrow screen', async t => {
  // One window for all of them: to open one costs more than most pages.
  const { page, hosts, complaints } = await newPage(t)
  for (const [name, visit] of Object.entries(await everyPage(t))) {
    await t.test(name, async () => {
      hosts.clear()
      complaints.length = 0
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width: 1280, height: 720 })
      await visit(page)
      deepEqual([...hosts], ['127.0.0.1'])
      deepEqual(complaints, [])
      await assertReadable(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.setViewportSize({ width: 320, height: 640 })
      await assertAccessible(page)
      await assertFits(page)
    })
  }
})

describe('the button of a page', () => {
  const withoutScripts = { javaScriptEnabled: false }

  test('does what it says without JavaScript', async t => {
    const { student, staff, acts } = await start(t)
    const urls = [student('unsubscribe', 12, CAME), student('not-me', 12, CAME)]
    const { page } = await newPage(t, withoutScripts)
    for (const url of [...urls, ...STAFF_ACTIONS.map(action => staff(action, 'kim'))]) {
      const before = acts.length
      await page.goto(url)
      const asked = await page.title()
      await press(page)
      ok((await page.title()) !== asked, asked)
      equal(acts.length, before + 1)
    }
  })

  test('sends the chosen counselor without JavaScript, and requires a choice', async t => {
    const { staff, acts } = await start(t)
    const { page } = await newPage(t, withoutScripts)
    await page.goto(staff('assign'))
    await page.getByRole('button').click()
    deepEqual(acts, [])
    await page.getByLabel('Who follows up?').selectOption('Kim Lee')
    await press(page)
    deepEqual(acts, [['assign', 12, undefined, 'kim']])
  })

  test('can be reached and pressed by the keyboard alone', async t => {
    const { student, acts } = await start(t)
    const { page } = await newPage(t)
    await page.goto(student('unsubscribe', 12, CAME))
    await page.keyboard.press('Tab')
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    equal(acts.length, 1)
  })
})

type Visit = (page: Page) => Promise<unknown>

/** Ways to every page, in each of its shapes. */
async function everyPage(t: TestContext): Promise<Record<string, Visit>> {
  const { student, staff } = await start(t)
  const visits: Record<string, Visit> = {}
  const links = {
    unsubscribe: student('unsubscribe', 12, CAME),
    'not-me': student('not-me', 12, CAME),
    ...Object.fromEntries(STAFF_ACTIONS.map(action => [action, staff(action, 'kim')])),
  }
  for (const [name, url] of Object.entries(links)) {
    visits[name] = page => page.goto(url)
    visits[`${name}, done`] = async page => {
      await page.goto(url)
      if (name === 'assign') await page.getByLabel('Who follows up?').selectOption('Jo <Park>')
      await press(page)
    }
  }
  for (const purpose of ['undo', 'undismiss'] as const) visits[purpose] = page => page.goto(staff(purpose, 'kim'))

  visits['who to assign to'] = page => page.goto(staff('assign'))
  visits['assign, no one chosen'] = async page => {
    await page.goto(staff('assign'))
    // Browsers that do not support `required` send the form as it is.
    await page.evaluate('document.forms[0].noValidate = true')
    await press(page)
  }
  const alone = await start(t, { counselors: [] })
  visits['assign, no counselors'] = page => page.goto(alone.staff('assign'))

  const past = await start(t, { outcome: 'before', describe: async () => longLead })
  visits['long names'] = page => page.goto(past.staff('contacted', 'kim'))
  visits['done before'] = async page => {
    await page.goto(past.staff('contacted', 'kim'))
    await press(page)
  }

  for (const [name, open] of Object.entries({ fullDetails, bareDetails, longDetails })) {
    const desk = await start(t, { open })
    visits[`open, ${name}`] = page => page.goto(desk.staff('open', 'kim'))
  }

  const late = await start(t)
  const expired = late.staff('contacted', 'kim')
  late.clock.time += 30 * DAY + 1
  visits['expired'] = page => page.goto(expired)
  visits['expired, fresh link'] = async page => {
    await page.goto(expired)
    await press(page)
  }
  visits['left'] = page => page.goto(staff('open', 'tom'))
  visits['gone'] = page => page.goto(`${staff('contacted')}x`)
  return visits
}

const longLead = { ...aLead, lead: { ...aLead.lead, name: LONG, from: LONG, owner: LONG } }

/** A page as a first-time visitor opens it, with its requests and the messages of the browser. */
async function newPage(t: TestContext, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  t.after(() => context.close())
  const page = await context.newPage()
  const hosts = new Set<string>()
  const complaints: string[] = []
  page.on('request', request => hosts.add(new URL(request.url()).hostname))
  page.on('console', message => {
    // The browser reports every page with a 404, which is the right status for a lead that is gone.
    const own = message.text().startsWith('Failed to load') && message.location().url === page.url()
    if (!own) complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  return { page, hosts, complaints }
}

async function press(page: Page): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.getByRole('button').click()])
}

/** Nothing requires scrolling to the side. */
async function assertFits(page: Page): Promise<void> {
  const [needed, there] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )
  equal(needed, there, `${needed} pixels wide on ${there}`)
}
