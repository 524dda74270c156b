/** The page of a lead in a real browser: by keys, in place, and live while others work on the same lead. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { goOffline, startBrowser } from '../support/browser.ts'
import { testClock } from '../support/clock.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

const browser = await startBrowser({ after })
const service = await startConsole({ after } as TestContext, { settings: aSchool, clock: testClock(MONDAY) })
const maria = await service.client('counselor', { email: 'maria@school.example', name: 'Maria Example' })
const dana = await service.client('manager', { email: 'dana@school.example', name: 'Dana Example' })

let people = 0

/** A new lead of Maria's. Returns its path. */
async function aLead(more: Record<string, unknown> = {}): Promise<string> {
  const email = `ben${++people}@mail.example`
  await service.postStudent(ben({ email, idempotencyKey: email, message: 'How long is the course?', ...more }))
  await service.settle()
  const [, id] = /data-lead="(\d+)"/.exec((await maria.get(`/inbox?q=${email}`)).text) ?? []
  return `/leads/${id}`
}

/** A window of Maria's. It tells whether the page that it shows was ever loaded again, or reported an error. */
async function open(t: TestContext, path: string, { phone = false } = {}) {
  const viewport = phone ? { width: 390, height: 844 } : { width: 1280, height: 800 }
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', hasTouch: phone })
  t.after(() => context.close())
  const url = service.origin.console
  await context.addCookies([{ name: 'session', value: maria.cookies.get('session') ?? '', url }])
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  await page.goto(`${url}${path}`)
  await page.evaluate('window.isTheSame = true')
  const stays = async () => {
    equal(await page.evaluate('window.isTheSame'), true, 'the page was loaded again')
    deepEqual(errors, [])
  }
  return { page, context, stays }
}

const focused = (page: Page) => page.locator(':focus')
const main = (page: Page, text: string | RegExp) => page.locator('#main').getByText(text)

test('keys act as in the lists, and the person goes on where they were', async t => {
  const { page, stays } = await open(t, await aLead())
  await page.keyboard.press('x')
  await main(page, 'Recorded: no answer from Ben Okafor.').waitFor()
  equal(await focused(page).innerText(), 'No answer')
  await main(page, 'tried, not reached').waitFor()
  await page.keyboard.press('n')
  await page.keyboard.type('Call c after x')
  equal(await focused(page).inputValue(), 'Call c after x')
  await page.getByRole('button', { name: 'Save note' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('.timeline').getByText('Call c after x').waitFor()
  equal(await page.locator('#note').inputValue(), '')
  equal(await focused(page).innerText(), 'Save note')
  await page.keyboard.press('c')
  await main(page, /Ben Okafor was reached/).waitFor()
  await page.keyboard.press('z')
  await main(page, 'Undone.').waitFor()
  await page.locator('.tag', { hasText: 'New' }).waitFor()
  await page.keyboard.press('s')
  equal(await focused(page).innerText(), 'In an hour')
  await page.keyboard.press('Enter')
  await main(page, /Callback promised for/)
    .first()
    .waitFor()
  equal(await focused(page).innerText(), 'Call back …')
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keyboard' }).waitFor()
  await page.keyboard.press('Escape')
  await stays()
  await page.keyboard.press('w')
  await page.waitForURL('**/write')
})

test('an action keeps what is typed elsewhere, and says in place what is wrong', async t => {
  const path = await aLead()
  const { page, stays } = await open(t, path)
  await page.locator('#note').fill('She works at night')
  await page.locator('#tag').fill('Evening')
  await page.getByRole('button', { name: 'Add the tag' }).click()
  await page.getByRole('button', { name: 'Remove Evening' }).waitFor()
  equal(await page.locator('#note').inputValue(), 'She works at night')
  await page.evaluate('document.querySelector("#note").removeAttribute("maxlength")')
  await page.locator('#note').fill('x'.repeat(1501))
  await page.getByRole('button', { name: 'Save note' }).click()
  await page.getByRole('alert').getByText('at most 1500 characters').waitFor()
  equal((await page.locator('#note').inputValue()).length, 1501)
  await page.locator('#note').fill('Fine')
  await page.getByRole('button', { name: 'Save note' }).click()
  await page.locator('.timeline').getByText('Fine').waitFor()
  equal(await page.getByRole('alert').getByText('at most 1500').count(), 0)
  await stays()
})

test('what a colleague does, a reply and a step of the cadence show at once, and disturb no one', async t => {
  const path = await aLead()
  const { page, stays } = await open(t, path)
  const note = page.locator('#note')
  await note.fill('Half a sen')
  await page.getByText('Call back …').click()
  await note.focus()
  await page.evaluate('scrollTo(0, 120)')
  const seen = fieldOn((await dana.get(path)).text, 'seen')
  await dana.post(path, { do: 'no answer', note: 'Her sister answered', seen })
  await page.getByRole('alert').getByText('Dana Example has just recorded: no answer.').waitFor()
  await page.locator('.timeline').getByText('Her sister answered').waitFor()
  await main(page, 'tried, not reached').waitFor()
  equal(await focused(page).getAttribute('id'), 'note')
  equal(await note.inputValue(), 'Half a sen')
  equal(await page.getByRole('button', { name: 'In an hour' }).first().isVisible(), true, 'the menu is still open')
  equal(await page.evaluate('scrollY'), 120)
  await page.getByRole('alert').getByRole('button', { name: 'Close' }).click()
  await service.app.store.setMailboxPosition('inbox', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
  const event = { kind: 'reply', detail: 'Call me at six', tell: false } as const
  const effect = { leadId: Number(path.split('/').pop()), event, suppression: null }
  await service.app.store.recordInbound({ mailbox: 'inbox', uidValidity: '1', uid: 1, effect }, service.clock.now())
  service.app.store.announceLeads()
  await page.locator('.timeline').getByText('Call me at six').waitFor()
  await page.getByRole('alert').getByText('Ben Okafor, just now: replied.').waitFor()
  service.clock.advance(5 * 60_000)
  await service.settle()
  await page
    .locator('.timeline')
    .getByText(/Reminder to Maria \w+ sent/)
    .waitFor()
  await note.press('End')
  await page.keyboard.type('tence')
  await page.getByRole('button', { name: 'Voicemail' }).click()
  await page.locator('.timeline').getByText('Half a sentence').waitFor()
  await stays()
})

test('a page says that the connection is lost, loses nothing that is typed, and says when it is back', async t => {
  for (const path of [await aLead(), '/inbox', '/today']) {
    const { page, context, stays } = await open(t, path)
    await goOffline(page)
    await page.getByRole('alert').getByText('The connection is lost.').waitFor()
    if (path.startsWith('/leads')) {
      await page.locator('#note').fill('Kept')
      await page.getByRole('button', { name: 'Save note' }).click()
      await page
        .locator('.kept')
        .getByText(/^Not (sent|saved yet): the service is not reachable\./)
        .waitFor()
      await page.getByRole('button', { name: 'Voicemail' }).click()
      equal(await page.locator('#note').inputValue(), 'Kept')
    }
    await context.setOffline(false)
    await page.getByRole('alert').getByText('The connection is back').waitFor()
    if (path.startsWith('/leads')) {
      await page.getByRole('button', { name: 'Save note' }).click()
      await page.locator('.timeline').getByText('Kept').waitFor()
    }
    await stays()
  }
})

test('where only the answer is lost, the page does not say that nothing was saved, and pressing again saves it once', async t => {
  const path = await aLead()
  const { page } = await open(t, path)
  await page.route(`**${path}`, async route => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch({ maxRedirects: 0 })
    await route.abort()
  })
  await page.locator('#note').fill('Prefers mornings')
  const save = page.getByRole('button', { name: 'Save note' })
  await save.click()
  await page.getByText('It may not have been saved: the service cannot be reached.').waitFor()
  await page.unroute(`**${path}`)
  await save.click()
  await main(page, /was done already|is saved/).waitFor()
  equal(await page.locator('.timeline').getByText('Prefers mornings').count(), 1)
})

test('Back leads to the same place in the list, after any number of actions', async t => {
  for (let more = 0; more < 12; more++) await aLead({ firstName: `Zed${more}` })
  const { page } = await open(t, '/inbox', { phone: true })
  const row = page.locator('[data-lead]').filter({ hasText: 'Zed3 ' })
  await row.scrollIntoViewIfNeeded()
  const before = await page.evaluate('scrollY')
  await row.getByRole('link').click()
  await page.waitForURL('**/leads/*')
  await page.getByRole('button', { name: 'No answer' }).click()
  await main(page, /Recorded: no answer/).waitFor()
  await page.goBack()
  await page.waitForURL('**/inbox')
  await focused(page).getByText('Zed3').waitFor()
  match(String(await page.evaluate('scrollY')), new RegExp(`^${before}`))
})

test('what someone types while an action is under way stays', async t => {
  const { page, stays } = await open(t, await aLead())
  const typed = Promise.withResolvers<void>()
  await page.route('**/leads/*', async route => {
    if (route.request().method() === 'POST') await typed.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'No answer' }).click()
  await page.locator('#note').fill('Asks for the price')
  typed.resolve()
  await page.locator('[data-flash]').getByText('Recorded: no answer').waitFor()
  equal(await page.locator('#note').inputValue(), 'Asks for the price')
  await page.getByRole('button', { name: 'Save note' }).click()
  await page.locator('.timeline').getByText('Asks for the price').waitFor()
  equal(await page.locator('#note').inputValue(), '')
  await stays()
})

test('the most frequent actions take few taps on a phone, without loading the page', async t => {
  const { page, stays } = await open(t, await aLead(), { phone: true })
  let taps = 0
  const tap = async (name: string | RegExp, role: 'button' | 'group' = 'button') => {
    taps++
    const place = role === 'group' ? page.locator('summary', { hasText: name }) : page.getByRole('button', { name })
    await place.first().tap()
  }
  const job = async (most: number, says: RegExp, steps: () => Promise<void>) => {
    taps = 0
    await steps()
    await page.locator('[data-flash]').getByText(says).waitFor()
    equal(taps, most, String(says))
  }
  const inAnHour = async () => {
    await tap('Call back …', 'group')
    await tap('In an hour')
  }
  await job(1, /Recorded: no answer/, () => tap('No answer'))
  await job(1, /Callback promised/, () =>
    page
      .locator('.offer')
      .getByText('Tonight')
      .tap()
      .then(() => void taps++),
  )
  await job(2, /Callback promised/, inAnHour)
  await page.locator('#note').fill('Asks for the price')
  await job(1, /Note saved/, () => tap('Save note'))
  await job(2, /is now qualified/, async () => {
    await tap(/^Stage/, 'group')
    await tap('Change the stage to qualified')
  })
  await job(2, /Closed: not interested/, async () => {
    await tap('Close …', 'group')
    await tap('Not interested')
  })
  await job(1, /Undone/, () => tap('Undo'))
  await job(1, /Ben Okafor/, () => tap('Reached'))
  await stays()
  await job(2, /Assigned to Sam Example/, async () => {
    await tap(/^Counselor/, 'group')
    await tap('Assign to Sam Example')
  })
})

test('writing from a saved reply, answering, and entering a walk-in take two or three taps, and no more pages', async t => {
  const { page } = await open(t, await aLead(), { phone: true })
  let taps = 0
  let loads = 0
  page.on('framenavigated', frame => {
    if (frame === page.mainFrame()) loads++
  })
  const tap = async (name: string | RegExp, role: 'button' | 'link' = 'button') => {
    taps++
    await page.getByRole(role, { name }).first().tap()
  }
  const job = async (most: { taps: number; loads: number }, steps: () => Promise<void>) => {
    taps = 0
    loads = 0
    await steps()
    deepEqual({ taps, loads }, most)
  }
  const lead = new URL(page.url()).pathname
  await job({ taps: 3, loads: 2 }, async () => {
    await tap(/^Write/, 'link')
    await tap('Find a time to talk')
    await page.getByText('Saved reply filled in.').waitFor()
    await tap('Send')
    await page.locator('[data-flash]').getByText('goes out in ten seconds').waitFor()
  })
  await service.app.store.setMailboxPosition('answers', { uidValidity: '1', lastUid: 0, lastArrival: 0 })
  const event = { kind: 'reply', detail: 'Can my sister come, too?', tell: false } as const
  const effect = { leadId: Number(lead.split('/').pop()), event, suppression: null }
  await service.app.store.recordInbound(
    { mailbox: 'answers', uidValidity: '1', uid: 1, effect },
    service.clock.now() + 1000,
  )
  await page.goto(page.url())
  await job({ taps: 2, loads: 2 }, async () => {
    await tap(/^Write/, 'link')
    await page.getByText('Can my sister come, too?').waitFor()
    await page.getByLabel('Message').fill('Sure, bring her.')
    await tap('Send')
    await page.locator('[data-flash]').getByText('goes out in ten seconds').waitFor()
  })
  await page.goto(new URL('/inbox', page.url()).href)
  await job({ taps: 2, loads: 2 }, async () => {
    await tap('Add a lead', 'link')
    await page.getByLabel('First name').fill('Walter')
    await page.getByLabel('Last name').fill('Inn')
    await page.getByLabel('Phone').fill('512-555-0177')
    await tap('Add the lead')
    await page.getByRole('heading', { name: 'Added' }).waitFor()
  })
  // It opens by itself.
  await service.settle()
  await page.getByRole('heading', { name: 'Walter Inn' }).first().waitFor()
})

test('at 1280 pixels, rows have room for a message and a name, and at 390 no list scrolls to the side', async t => {
  const message = 'Are there evening classes in spring, and would my credits from Kansas count for anything?'
  // Today has a card of its own for the first.
  await aLead()
  await aLead({ firstName: 'Alexandria', lastName: 'Montgomery-Bell', message })
  const { page } = await open(t, '/inbox')
  for (const path of ['/inbox', '/today']) {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(new URL(path, page.url()).href)
    const row = page.locator('.leads [data-lead]').filter({ hasText: 'Montgomery' })
    const { width = 0 } = (await row.locator('.lead-what').boundingBox()) ?? {}
    ok(width >= 320, `${path}: a message has ${width} pixels`)
    const { height = 99 } = (await row.locator('.lead-link').boundingBox()) ?? {}
    ok(height < 45, `${path}: a name of 26 letters stands in at most two lines`)
    await row.locator('.target').evaluate(target => target.replaceChildren('late, answer due Wednesday, 10:05\u00a0AM'))
    const cut = await row
      .locator('.target, .next')
      .evaluateAll(all =>
        all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
      )
    deepEqual(cut, [], `${path}: nothing about its time is cut`)
    for (const phone of [390, 320]) {
      await page.setViewportSize({ width: phone, height: 844 })
      equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${path} at ${phone}`)
    }
    const { height: head = 99 } = (await page.locator('.sidebar').boundingBox()) ?? {}
    ok(head < 70, `${path}: the head of a small phone is ${head} pixels high`)
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor()
  }
})

test('on a phone, the first lead of the inbox is near, and the view that is shown is in sight', async t => {
  await aLead()
  const { page } = await open(t, '/inbox', { phone: true })
  for (const width of [390, 320])
    for (const [path, view] of [['/inbox', 'Open'] as const, ['/inbox?stage=any', 'All'] as const]) {
      await page.setViewportSize({ width, height: 640 })
      await page.goto(new URL(path, page.url()).href)
      const { y = 999 } = (await page.locator('.leads').boundingBox()) ?? {}
      ok(y < 320, `${path} at ${width}: the list begins at ${y} pixels`)
      const tab = (await page
        .locator('.tabs')
        .getByRole('link', { name: new RegExp(`^${view}( \\d+)?$`) })
        .boundingBox()) ?? { x: -1, width: 0 }
      ok(tab.x >= 0 && tab.x + tab.width <= width, `${view} at ${width}: ${JSON.stringify(tab)}`)
    }
})

test('on a phone, the buttons of the first person of Today stand in even rows, and a finger can press each', async t => {
  await aLead({ firstName: 'Even', lastName: 'Rows' })
  const { page } = await open(t, '/today', { phone: true })
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 700 })
    const boxes = await page
      .locator('.next-outcome > :is(button, details)')
      .evaluateAll(all => all.map(one => one.getBoundingClientRect().toJSON()))
    equal(boxes.length, 4)
    equal(new Set(boxes.map(({ y }) => y)).size, 2, `two rows at ${width}`)
    equal(new Set(boxes.map(box => box.width)).size, 1, `all of one width at ${width}`)
    for (const { height } of boxes) ok(height >= 44, `${height} pixels high at ${width}`)
    const other = page.locator('.next-outcome summary')
    await other.click()
    const { x, y } = await other.evaluate(one => one.getBoundingClientRect().toJSON())
    deepEqual({ x, y }, { x: boxes[3].x, y: boxes[3].y }, `the button that opens the others stays at ${width}`)
    await other.click()
  }
})

test('the button that saves a note is as high as the field beside it', async t => {
  const { page } = await open(t, await aLead())
  const heights = await page
    .locator('#call-form > :is(textarea, button)')
    .evaluateAll(all => all.map(one => one.getBoundingClientRect().height))
  equal(heights[0], heights[1])
})
