/** Requests that a reader sends from a browser: the live dry run, and a form pasted into another site. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, type TestContext, test } from 'node:test'
import { startBrowser } from '../../support/browser.ts'
import { currentTestClock } from '../../support/clock.ts'
import { countRows } from '../../support/engines.ts'
import { startPublicApp } from '../../support/public-app.ts'
import { newPage, settings } from './opened-page.ts'
import { fetchText, section } from './reading.ts'

const browser = await startBrowser({ after })
const app = await startPublicApp({ after } as TestContext, { settings, clock: currentTestClock() })
const submissions = () => countRows(app.database, 'submissions')

describe('"Try it"', () => {
  for (const [operation, field, wrong, problem] of [
    ['site-interest', 'phone', '555', /^400\n\{"error":"phone must/],
    ['student-interest', 'timeline (optional)', 'soon', /^400\n\{"error":"timeline must/],
  ] as const) {
    test(`sends a dry run once typing stops, and writes the request: ${operation}`, async t => {
      const before = await submissions()
      const { page, complaints } = await newPage(t, browser, 1440)
      const sent: string[] = []
      page.on('request', request => request.method() === 'POST' && sent.push(request.url()))
      await page.goto(`${app.base}/docs/api#${operation}`)
      const part = page.locator('.split').filter({ has: page.locator(`#${operation}`) })
      await part.locator('label').getByText('Try it').click()
      const shown = part.getByRole('group', { name: 'Response', exact: true })

      await part.getByRole('textbox', { name: 'lastName' }).pressSequentially("O'Brien")
      await part.getByRole('button', { name: 'Check without submitting' }).click()
      await shown.filter({ hasText: '200' }).waitFor()
      equal(await shown.innerText(), '200\n{"valid":true}')
      await part.locator('label').getByText('curl').click()
      match(await part.getByRole('group', { name: 'curl' }).innerText(), /O'Brien/)

      await part.locator('label').getByText('Try it').click()
      await part.getByRole('textbox', { name: field, exact: true }).fill(wrong)
      await shown.filter({ hasText: '400' }).waitFor()
      match(await shown.innerText(), problem)
      ok(sent.length < 5 && sent.every(url => url.endsWith('?validateOnly=true')), String(sent))
      equal(await submissions(), before)
      deepEqual(
        complaints.filter(complaint => !complaint.includes('400')),
        [],
      )
    })
  }
})

describe('the HTML form of the reference, on a page of another site', () => {
  for (const [heading, fields] of [
    ['Submit site interest', { Company: 'Mercy', Address: '1 Main Street, Austin' }],
    ['Submit student interest', {}],
  ] as const) {
    test(`submits, and says beside the form what is wrong: ${heading}`, async t => {
      const reference = await fetchText(`${app.base}/docs/api.md`)
      const [, form] = /```html title="HTML form"\n(.*?)\n```/s.exec(section(reference, heading)) ?? []
      const site = createServer((_request, response) => {
        response.setHeader('Content-Type', 'text/html; charset=utf-8')
        response.end(`<!doctype html><title>Another site</title>${form}`)
      }).listen(0, '127.0.0.1')
      t.after(() => site.close())

      const before = await submissions()
      const { page } = await newPage(t, browser, 390)
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
      for (const [label, value] of Object.entries({
        'First name': 'Ann',
        'Last name': "O'Brien",
        Email: 'ann@mail.example',
        Phone: 'call me, 555',
        ...fields,
      })) {
        await page.getByLabel(label, { exact: true }).fill(value)
      }
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('alert').filter({ hasText: 'phone must contain' }).waitFor()
      equal(await submissions(), before)

      await page.getByLabel('Phone', { exact: true }).fill('512-555-0142')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('Thank you.').waitFor()
      equal(await submissions(), before + 1)
    })
  }
})
