/** A school's web person, who makes forms in the console and puts them on the school's website; and those who fill them in. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { readable } from '../support/forms.ts'
import { fillIn, openWindow, PHONE, press, thanks } from './filled-in.ts'
import { startForms, startSite } from './site.ts'

const SMALL = { ...PHONE, viewport: { width: 320, height: 640 } }

const service = await startForms(
  { after } as TestContext,
  { languages: ['en', 'es'], programs: [{ name: 'Phlebotomy' }, { name: { en: 'Welding', es: 'Soldadura' } }] },
  { edits: true },
)
const site = await startSite({ after } as TestContext)
const browser = await startBrowser({ after })

const forms = [
  { name: 'phlebotomy', title: 'Ask about phlebotomy', program: 'Phlebotomy' },
  { name: 'welding', title: 'Ask about welding', program: 'Welding' },
  { name: 'dallas', title: 'Visit us in Dallas', program: '' },
]

test('three forms, made in the console by its labels alone, arrive from three websites with their form, program and campaign', async t => {
  const { page, context } = await openWindow(t, browser)
  page.setDefaultTimeout(15000)
  const manager = await service.client('manager')
  const home = service.origin.console
  await context.addCookies([{ name: 'session', value: manager.cookies.get('session') ?? '', url: home }])
  const codes: string[][] = []
  for (const { name, title, program } of forms) {
    await page.goto(`${home}/forms`)
    await page.getByRole('link', { name: 'New form for students' }).click()
    await page.getByLabel(/^Name/).fill(name)
    await page
      .getByLabel(/^Title/)
      .first()
      .fill(title)
    if (program) await page.getByLabel('Program to begin with').selectOption(program)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(`**/forms/embed/${name}`)
    codes.push(await page.locator('pre code').allTextContents())
  }
  const [[element = '', preload = ''] = [], [, , iframe = ''] = [], [kiosk = ''] = []] = codes

  // In Spanish, as an element under a strict policy.
  const policy = `default-src 'none'; script-src ${service.learn}; connect-src ${service.learn}; require-trusted-types-for 'script'`
  const strict = site.publish('/strict', `<div lang="es">${preload}${element}</div>`, {
    'Content-Security-Policy': policy,
  })
  const spanish = await openWindow(t, browser, SMALL)
  spanish.page.setDefaultTimeout(10000)
  await spanish.page.goto(`${strict}?utm_campaign=spring`)
  await spanish.page.getByRole('button', { name: 'Pedir información' }).waitFor()
  const ana = await fillIn(spanish.page)
  await press(spanish.page)
  await thanks(spanish.page)

  // Without JavaScript, in an iframe.
  const plain = await openWindow(t, browser, { ...SMALL, javaScriptEnabled: false })
  plain.page.setDefaultTimeout(10000)
  await plain.page.goto(site.publish('/plain', iframe.replace('embed=iframe', 'embed=iframe&utm_campaign=summer')))
  const frame = plain.page.frameLocator('iframe')
  const ben = await fillIn(frame)
  await press(frame)
  await thanks(frame)

  // By the link, without a connection.
  const offline = await openWindow(t, browser, SMALL)
  offline.page.setDefaultTimeout(10000)
  await offline.page.goto(`${service.learn}/forms/dallas?utm_campaign=fall`)
  const cleo = await fillIn(offline.page)
  await offline.context.setOffline(true)
  await press(offline.page)
  await offline.page.getByText(/connection/).waitFor()
  await offline.context.setOffline(false)
  await thanks(offline.page)

  match(kiosk, /form="dallas"/)
  await service.settle()
  const rows = (await manager.get('/export/leads.csv')).text.split('\n')
  for (const [email, ...said] of [
    [ana, 'phlebotomy', 'Phlebotomy', 'spring'],
    [ben, 'welding', 'Welding', 'summer'],
    [cleo, 'dallas', 'fall'],
  ]) {
    const row = rows.find(one => one.includes(String(email))) ?? ''
    deepEqual(
      said.filter(word => !row.split(',').includes(word)),
      [],
      row,
    )
    const found = (await manager.get(`/inbox?q=${email}&stage=any`)).text
    const [, lead = ''] = /href="(\/leads\/\d+)"/.exec(found) ?? []
    const shown = readable((await manager.get(lead)).text)
    equal(
      said.every(word => shown.includes(word)),
      true,
      `${lead}: ${said}`,
    )
  }
})
