/** Attaching files to an email on a phone, and downloading them, in a real browser. */
import { equal, match } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { assertAccessible } from '../support/accessibility.ts'
import { startBrowser } from '../support/browser.ts'
import { testClock } from '../support/clock.ts'
import { startConsole } from '../support/console.ts'
import { aSchool, ben, MONDAY } from '../tasks/school.ts'

const browser = await startBrowser({ after })

test('a counselor attaches files on a phone and sends them, and downloads one from the timeline', async t => {
  const service = await startConsole(t, { settings: aSchool, clock: testClock(MONDAY) })
  await service.postStudent(ben())
  await service.settle()
  const maria = await service.client('counselor', { email: 'maria@school.example', name: 'Maria Example' })
  const origin = service.origin.console
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, acceptDownloads: true })
  t.after(() => context.close())
  await context.addCookies([{ name: 'session', value: maria.cookies.get('session') ?? '', url: origin }])
  const page = await context.newPage()
  await page.goto(`${origin}/leads/1/write`)
  await page.getByLabel('Message').fill('Please sign this.')
  const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(200_000)])
  const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer })
  const files = page.getByLabel('Attachments')
  await files.setInputFiles([file('large.pdf', Buffer.concat([pdf, Buffer.alloc(7_000_000)]))])
  match(
    String(await page.evaluate(`document.querySelector('#files').validationMessage`)),
    /7\.2 MB together, and the limit is 7\.0 MB/,
  )
  await files.setInputFiles([file('form.pdf', pdf), file('setup.exe', Buffer.from('MZ'))])
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('#main').getByText('setup.exe is not attached: programs are not accepted.').waitFor()
  equal(await page.getByLabel('Message').inputValue(), 'Please sign this.')
  await page.getByLabel('Attachments').setInputFiles([file('map.txt', Buffer.from('Room 5'))])
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('#main').getByText('with form.pdf and map.txt').waitFor()
  await assertAccessible(page)
  const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  equal(wide, false)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'form.pdf' }).click(),
  ])
  equal(download.suggestedFilename(), 'form.pdf')
  equal(readFileSync(await download.path()).equals(pdf), true)
})
