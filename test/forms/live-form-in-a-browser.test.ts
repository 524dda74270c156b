/** The form that /forms shows: what people will see, and nothing that could be sent or counted by looking at it. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { sql } from '../support/engines.ts'
import { fillIn, openWindow, PHONE, press, thanks } from './filled-in.ts'
import { startForms, startSite } from './site.ts'

const browser = await startBrowser({ after })

for (const javaScriptEnabled of [true, false]) {
  test(`/forms shows the form of the school, to look at, with${javaScriptEnabled ? '' : 'out'} JavaScript`, async t => {
    const service = await startForms(t, {
      school: { name: 'Lakeside School' },
      forms: { embedOn: ['https://www.lakeside.example'], student: { title: 'Ask Lakeside' } },
    })
    const { page, errors } = await openWindow(t, browser, { ...PHONE, javaScriptEnabled })
    await page.goto(`${service.base}/forms`)
    await page.locator('.live').scrollIntoViewIfNeeded()
    const frame = page.frameLocator('.live iframe')
    await frame.getByText('Ask Lakeside').waitFor()
    equal(await frame.locator('script').count(), 0)
    // Its button cannot be pressed, and no key gets into it.
    const box = await frame.locator('form button').boundingBox()
    // All of it is there, down to the button, with little room below.
    const room = await page.locator('.live iframe').boundingBox()
    const below = (room?.y ?? 0) + (room?.height ?? 0) - (box?.y ?? 0) - (box?.height ?? 0)
    ok(below > 0 && below < 160, `${below} pixels below the button`)
    // Where no script may run, a click is an error for the listeners of the tool that drives the browser.
    deepEqual(errors, [])
    await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 5)
    await frame.locator('#email').focus()
    equal(await frame.locator(':focus').count(), 0)
    await service.close()
    deepEqual(await sql(service.database, 'select id from submissions'), [])
    deepEqual(await sql(service.database, 'select seen from form_counts'), [])
  })
}

test('the form that is shown there has no token: sent by other means, it is asked for again', async t => {
  const service = await startForms(t, {})
  const url = `${service.learn}/forms/student-interest?preview`
  const shown = await (await fetch(url)).text()
  equal(/name="token" value="([^"]*)"/.exec(shown)?.[1], '')
  const values = { token: '', firstName: 'Ana', lastName: 'Ruiz', email: 'ana@mail.example', phone: '512 555 0142' }
  equal((await fetch(url, { method: 'POST', body: new URLSearchParams(values) })).status, 400)
  deepEqual(await sql(service.database, 'select id from submissions'), [])
})

test('/forms writes the code for what someone chooses, and that code does it; nothing moves while the page loads', async t => {
  const service = await startForms(t, { programs: [{ name: 'Welding' }, { name: 'Medical (evening) & "day"' }] })
  const site = await startSite(t)
  const { page, errors } = await openWindow(t, browser, { viewport: { width: 1280, height: 900 } })
  await page.addInitScript(`
    globalThis.moved = 0
    new PerformanceObserver(list => {
      for (const { value } of list.getEntries()) moved += value
    }).observe({ type: 'layout-shift', buffered: true })`)
  await page.goto(`${service.base}/forms`)
  await page.locator('.live').scrollIntoViewIfNeeded()
  const frame = page.frameLocator('.live iframe')
  await frame.locator('#email').waitFor()
  equal(await page.evaluate('moved'), 0)
  const choice = (name: string) => page.locator('.choices').getByLabel(name, { exact: true })
  const choose = (name: string, words: string) => choice(name).selectOption(words)
  const code = () => page.locator('.choices + .code code').innerText()

  await choose('Program', 'Medical (evening) & "day"')
  await choose('Language', 'Spanish')
  await choice('Source').fill('ig')
  await choice('Campaign').fill('spring & summer')
  await frame.getByText('Pregunta por nuestros programas').waitFor()
  for (const way of ['An element', 'An iframe']) {
    await choose('How to add it', way)
    const visitor = await openWindow(t, browser, PHONE)
    await visitor.page.goto(site.publish('/pasted', await code()))
    const form = way === 'An iframe' ? visitor.page.frameLocator('iframe') : visitor.page
    await form.getByText('Pregunta por nuestros programas').waitFor()
    const email = await fillIn(form)
    await press(form)
    await thanks(form)
    const { program, language, campaign } = await service.onlySubmissionOf(email)
    deepEqual(
      [program, language, campaign],
      ['Medical (evening) & "day"', 'es', { source: 'ig', campaign: 'spring & summer' }],
    )
    deepEqual(visitor.errors, [])
  }

  await choose('Form', 'For workplaces')
  await choose('Colors', 'Dark')
  await frame.getByText('Colabore con nosotros').waitFor()
  equal(await choice('Program').isDisabled(), true)
  const url = `${service.base}/forms/site-interest`
  match(
    await code(),
    new RegExp(
      `^<script [^>]+></script>\n<iframe src="${url}\\?embed=iframe&amp;utm_source=ig&amp;utm_campaign=[^"]+&amp;lang=es&amp;theme=dark"[^>]+style="border: 0; color-scheme: dark">`,
    ),
  )
  await choose('How to add it', 'A link')
  equal(await page.getByRole('link', { name: 'The form on a page of its own' }).getAttribute('href'), url)
  match(
    await code(),
    new RegExp(`^<a href="${url}\\?utm_source=ig&amp;utm_campaign=[^"]+&amp;lang=es">Partner with us</a>`),
  )
  deepEqual(errors, [])
})

test('/forms offers no choices where no script can follow them', async t => {
  const service = await startForms(t, {})
  const { page } = await openWindow(t, browser, { ...PHONE, javaScriptEnabled: false })
  await page.goto(`${service.base}/forms`)
  equal(await page.locator('.choices').isVisible(), false)
  equal(await page.locator('.choices + .code').isVisible(), true)
  equal(/What you choose|\(usual\)/.test(service.text), false)
})
