/** Writing in a real browser: what is typed is kept while the service is away, and two who write at once know it. */
import { equal, match, ok } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { goOffline, startBrowser } from '../support/browser.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, startConsole } from '../support/console.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

const browser = await startBrowser({ after })

/** Ben has written; two people of the staff are signed in, each in a browser of their own. */
async function aDesk(t: TestContext) {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  await service.postStudent(ben({ message: 'Do you have evening classes?' }))
  await service.settle()
  const open = async (client: ConsoleClient, viewport = { width: 1280, height: 900 }) => {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
    t.after(() => context.close())
    const url = service.origin.console
    await context.addCookies([{ name: 'session', value: client.cookies.get('session') ?? '', url }])
    const page = await context.newPage()
    return { page, context, go: (path: string) => page.goto(`${url}${path}`) }
  }
  const maria = await service.client('counselor', { email: 'maria@school.example', name: 'Maria Example' })
  const dana = await service.client('manager', { name: 'Dana Kim' })
  return { ...service, open, maria, dana }
}

const says = (page: Page, words: string) => page.locator('[data-kept]:visible', { hasText: words }).waitFor()
const kept = (page: Page) => says(page, 'Draft kept from')

test('an email is continued on another device, and a colleague sees that someone is writing, also while both write', async t => {
  const { open, maria, dana } = await aDesk(t)
  const laptop = await open(maria)
  await laptop.go('/leads/1/write')
  await laptop.page.getByText('Do you have evening classes?').waitFor()
  await laptop.page.getByLabel('Message').fill('Yes, on Tuesdays')
  await kept(laptop.page)
  const phone = await open(maria, { width: 390, height: 844 })
  await phone.go('/leads/1')
  const goOn = phone.page.getByRole('link', { name: 'Go on writing' })
  equal(Math.round((await goOn.boundingBox())?.height ?? 0), 40, 'the label stands in one line')
  await goOn.click()
  await kept(phone.page)
  equal(await phone.page.getByLabel('Message').inputValue(), 'Yes, on Tuesdays')

  const other = await open(dana)
  await other.go('/leads/1/write')
  await other.page.getByText('Maria Example has been writing to Ben Okafor since').click()
  await other.page.locator('.others-draft').getByText('Yes, on Tuesdays').waitFor()
  const message = other.page.getByLabel('Message')
  await message.fill('Sure')
  await kept(other.page)
  await message.press('Control+End')
  await other.page.getByRole('button', { name: 'Use it' }).click()
  await says(other.page, 'Taken over from Maria Example')
  equal(await message.inputValue(), 'Sure\n\nYes, on Tuesdays')
  // While someone goes on, what they have unfolded stays so, and what they took over is their own draft.
  await message.press('Control+End')
  const saved = other.page.waitForResponse(
    response => response.url().endsWith('/draft') && (response.request().postData() ?? '').includes('Tuesdays!'),
  )
  await message.pressSequentially('!')
  await saved
  await kept(other.page)
  await other.page.getByRole('button', { name: 'Use it' }).waitFor()
  const again = await open(dana)
  await again.go('/leads/1/write')
  equal(await again.page.getByLabel('Message').inputValue(), 'Sure\n\nYes, on Tuesdays!')
  await message.fill('Sure')
  await kept(other.page)
  await phone.page.getByLabel('Message').fill('Yes, on Tuesdays and Thursdays')
  await phone.page.getByText('Dana Kim has been writing to Ben Okafor since').waitFor()
  await phone.page.getByRole('button', { name: 'Send' }).click()
  await phone.page.locator('#main').getByText('goes out in ten seconds').waitFor()
  await other.page.getByRole('button', { name: 'Send' }).click()
  await other.page.getByRole('alert').getByText('a colleague has written to Ben Okafor').waitFor()
  equal(await other.page.getByLabel('Message').inputValue(), 'Sure')
  await phone.go('/leads/1/write')
  equal(await phone.page.getByLabel('Message').inputValue(), '')
})

test('Back after sending does not bring the email back, as if it were to be sent once more', async t => {
  const { open, maria } = await aDesk(t)
  const { page, go } = await open(maria)
  await go('/leads/1/write')
  await page.getByLabel('Message').fill('Yes, on Tuesdays')
  await kept(page)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('#main').getByText('goes out in ten seconds').waitFor()
  await page.goBack()
  match(page.url(), /\/leads\/1\/write$/)
  await page.getByRole('button', { name: 'Send' }).waitFor()
  equal(await page.getByLabel('Message').inputValue(), '')
})

test('while the service is away, the page says so, keeps the text, and saves it once it is back', async t => {
  const { open, maria } = await aDesk(t)
  const { page, context, go } = await open(maria)
  await go('/leads/1')
  await goOffline(page)
  await page.getByLabel('Note').fill('Prefers mornings')
  await says(page, 'Not saved yet: the service is not reachable.')
  await page.getByRole('button', { name: 'Reached' }).click()
  await says(page, 'Not sent: the service is not reachable.')
  match(page.url(), /\/leads\/1$/)
  await context.setOffline(false)
  await kept(page)
  await page.getByRole('button', { name: 'Reached' }).click()
  await page.locator('#main').getByText('The note is saved.').waitFor()
  equal(await page.getByLabel('Note').inputValue(), '')
  await page.locator('.timeline').getByText('Prefers mornings').waitFor()
  const left = await page.evaluate('Object.keys(localStorage).length')
  equal(left, 0, 'the browser forgets what the server has')
})

test('what is saved while the page is loaded again stands in it, even if the server made it before', async t => {
  const { open, maria } = await aDesk(t)
  const { page, go } = await open(maria)
  await go('/leads/1/write')
  const [made, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/write/draft', async route => {
    asked.resolve()
    await made.promise
    await route.continue()
  })
  await page.getByLabel('Message').fill('Yes, on Tuesdays')
  await asked.promise
  // While a page waits for the next one, Playwright asks it nothing.
  await page.evaluate(`new MutationObserver(() => console.log('kept')).observe(document.querySelector('[data-kept]'), {
    attributes: true, childList: true, subtree: true,
  })`)
  const saved = page.waitForEvent('console', message => message.text() === 'kept')
  await page.route('**/leads/1/write', async route => {
    const response = await route.fetch()
    made.resolve()
    await saved
    await route.fulfill({ response })
  })
  await page.reload()
  equal(await page.getByLabel('Message').inputValue(), 'Yes, on Tuesdays')
  await page.unrouteAll({ behavior: 'wait' })
  await kept(page)
  await page.getByLabel('Message').fill('')
  await page.locator('[data-kept]').waitFor({ state: 'hidden' })
  await page.reload()
  equal(await page.getByLabel('Message').inputValue(), '', 'what was discarded does not come back')
  equal(await page.evaluate('Object.keys(localStorage).length'), 0, 'the browser forgets what the server has')
})

test('a saved reply goes where the cursor stands, and can be taken back, as discarding can', async t => {
  const { open, maria } = await aDesk(t)
  const { page, go } = await open(maria)
  const text = page.getByLabel('Message')
  await go('/leads/1/write')
  await text.fill('Hello Ben!')
  await page.getByRole('button', { name: 'Find a time to talk' }).click()
  await says(page, 'Saved reply filled in.')
  match(await text.inputValue(), /^Hello Ben!\n\nHello Ben,\n\nI tried to call you/)
  match(page.url(), /\/write$/)
  await page.getByRole('button', { name: 'Undo' }).click()
  equal(await text.inputValue(), 'Hello Ben!')
  await kept(page)
  await page.getByRole('button', { name: 'Discard' }).click()
  equal(await text.inputValue(), '')
  await page.getByRole('button', { name: 'Undo' }).click()
  equal(await text.inputValue(), 'Hello Ben!')
  await kept(page)
  await go('/today')
  await page.goBack()
  equal(await text.inputValue(), 'Hello Ben!')
})

test('there is no frame until the first preview, and the preview has the text', async t => {
  const { open, maria } = await aDesk(t)
  const { page, go } = await open(maria)
  await go('/leads/1/write')
  equal(await page.locator('iframe').count(), 0)
  await page.getByLabel('Message').fill('Come on Friday!')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.frameLocator('iframe').getByText('Come on Friday!', { exact: true }).waitFor()
  ok((await page.locator('iframe').boundingBox()) !== null)
})

test('signing out leaves nothing of what was typed in the browser, and the draft on the server', async t => {
  const { open, maria, app } = await aDesk(t)
  const { page, go } = await open(maria)
  await go('/leads/1')
  await page.getByLabel('Note').pressSequentially('Prefers mornings')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  equal(await page.evaluate('Object.keys(localStorage).length'), 0)
  const [draft] = await app.store.readDrafts(1)
  equal(draft?.fields['note'], 'Prefers mornings')
})

test('the browser remembers what an admin types about a destination, but no secret', async t => {
  const { open, client } = await aDesk(t)
  const { page, go } = await open(await client('admin'))
  await go('/destinations/new/request')
  await page.getByLabel('URL').fill('https://crm.example/key-4711')
  await page.getByLabel('Headers').fill('Authorization: Bearer key-4711')
  await page.getByLabel('Body').fill('{"mine": {{ lead.id }}}')
  await page.getByLabel('Body').blur()
  await page.waitForFunction('Object.values(localStorage).some(one => one.includes("mine"))')
  equal(await page.evaluate('Object.values(localStorage).some(one => one.includes("4711"))'), false)
  await page.reload()
  equal(await page.getByLabel('Body').inputValue(), '{"mine": {{ lead.id }}}')
})

test('a mapping that a sample suggests stands in the form, and nothing of it in the form of the next source', async t => {
  const { open, client } = await aDesk(t)
  const { page, go } = await open(await client('admin'))
  await go('/sources/new/post')
  await page.getByLabel('Name', { exact: true }).fill('Vendor')
  await page.getByLabel('A sample of a post').fill('{"person": {"mail": "ana@mail.example"}}')
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByText('What the sample becomes').waitFor()
  equal(await page.getByLabel('Email', { exact: true }).inputValue(), 'person.mail')
  equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Vendor')
  await page.getByRole('button', { name: 'Add the source' }).click()
  await page.getByText('It is not shown again').waitFor()
  await go('/sources/new/post')
  equal(await page.getByLabel('Name', { exact: true }).inputValue(), '')
})

test('a form keeps what was typed whatever its fields and buttons are named', async t => {
  const { open, dana, app, clock } = await aDesk(t)
  await app.store.addLabel(1, { kind: 'tag', name: 'Fair 2027', actor: null, now: clock.now() })
  const { page, go } = await open(dana)
  await go('/tags')
  const name = page.locator('form[method=post] input[type=text], form[method=post] input:not([type])').first()
  await page.evaluate(`for (const name of ['method', 'action'])
    for (const form of document.forms) form.append(Object.assign(document.createElement('button'), { name }))`)
  await name.fill('Fair 2028')
  await page.reload()
  equal(await name.inputValue(), 'Fair 2028')
})

test('a new form that was left before it was saved comes back in sight, with its preview and the time of the school', async t => {
  const { open, dana } = await aDesk(t)
  const { page, go } = await open(dana)
  await go('/forms/new?kind=student')
  await page.clock.setFixedTime(MONDAY)
  const steps = page.getByLabel('Ask in two steps')
  await steps.check()
  await page.getByLabel('Title (English)').fill('Ask about welding')
  const preview = page.frameLocator('.preview iframe')
  await preview.getByRole('heading', { name: 'Ask about welding' }).waitFor()
  await go('/forms/new?kind=student')
  await says(page, 'Not saved yet: kept from Monday, 11:30 AM.')
  equal(await page.getByLabel('Title (English)').inputValue(), 'Ask about welding')
  const line = await page.locator('[data-kept]').boundingBox()
  const first = await page.getByLabel('Title (English)').boundingBox()
  ok(line && first && line.y + line.height <= first.y, 'it stands above everything that someone would fill in')
  await preview.getByRole('heading', { name: 'Ask about welding' }).waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  equal(await page.getByLabel('Title (English)').inputValue(), '')
  equal(await steps.isChecked(), false, 'what was chosen is discarded, too')
  await preview.getByRole('heading', { name: 'Ask about our programs' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  equal(await steps.isChecked(), true)
})

test('what was typed into a new form comes back in no copy of another one, and in no form after it was sent', async t => {
  const { open, dana } = await aDesk(t)
  const { page, go } = await open(dana)
  const title = page.getByLabel('Title (English)')
  await go('/forms/new?kind=student')
  await title.fill('Ask about welding')
  await go('/forms/new?from=student-interest')
  equal(await title.inputValue(), '')
  await go('/forms/new?kind=student')
  await says(page, 'Not saved yet')
  // The page that follows has what was sent, and a further question, whose fields are new.
  const add = page.getByRole('button', { name: 'Add a question' })
  await add.click()
  await page.getByLabel('Question (English)').fill('Which shift?')
  await go('/forms/new?kind=student')
  equal(await title.inputValue(), '', 'it was sent')
  await title.fill('Ask about nursing')
  await add.click()
  await page.getByLabel('Question (English)').waitFor()
  equal(await title.inputValue(), 'Ask about nursing')
  equal(await page.getByLabel('Question (English)').inputValue(), '')
})

test('what is kept or wrong in a folded part of a form comes in sight', async t => {
  const { open, dana } = await aDesk(t)
  const { page, go } = await open(dana)
  const [look, logo] = [page.getByRole('heading', { name: 'Look' }), page.getByLabel('Logo (optional)')]
  await go('/forms/edit/student-interest')
  equal(await logo.isVisible(), false)
  await look.click()
  await logo.fill('logo.png')
  await look.click()
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await logo.waitFor()
  equal(await logo.evaluate(field => field === field.ownerDocument.activeElement), true)
  await logo.fill('https://www.example.edu/logo.png')
  await page.waitForFunction(`JSON.stringify({ ...localStorage }).includes('example.edu/logo.png')`)
  await go('/forms/edit/student-interest')
  await logo.waitFor()
  equal(await logo.inputValue(), 'https://www.example.edu/logo.png')
})
