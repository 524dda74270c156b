/** The form that /forms shows: what people will see, and nothing that could be sent or counted by looking at it. */
import { deepEqual, equal } from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { sql } from '../support/engines.ts'
import { openWindow, PHONE } from './filled-in.ts'
import { startForms } from './site.ts'

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
    await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 5)
    await frame.locator('#email').focus()
    equal(await frame.locator(':focus').count(), 0)
    deepEqual(errors, [])
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
