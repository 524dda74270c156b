/**
 * A school's web person, who makes forms in the console and puts them on the school's website; and those who fill them
 * in.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { FrameLocator, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import type { ConsoleClient } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { fillIn, openWindow, PHONE, press, thanks } from './filled-in.ts'
import { type Code, type Website, websites } from './school-websites.ts'
import { type FormService, startForms, startSite } from './site.ts'

const SMALL = { ...PHONE, viewport: { width: 320, height: 640 } }

const site = await startSite({ after } as TestContext)
const browser = await startBrowser({ after })

const forms = [
  { name: 'phlebotomy', title: 'Ask about phlebotomy', program: 'Phlebotomy', says: ['Phlebotomy'] },
  { name: 'welding', title: 'Ask about welding', program: 'Welding', says: ['Welding'] },
  { name: 'dallas', title: 'Visit us in Dallas', campuses: 'Austin\nDallas', says: ['Dallas'] },
]

/** How people meet a form. */
const ways = ['on a phone', 'in Spanish', 'without a connection', 'without JavaScript'] as const

onEachEngine(engine => {
  test('three forms, made in the console by its labels alone, stand in five kinds of websites, and each lead says where it came from', async t => {
    const settings = {
      languages: ['en', 'es'],
      programs: [{ name: 'Phlebotomy' }, { name: { en: 'Welding', es: 'Soldadura' } }],
    }
    const service = await startForms(t, settings, { edits: true, engine })
    const manager = await service.client('manager')
    const codes = await makeForms(t, service, manager)
    const all = websites(service.learn).flatMap((website, i) =>
      forms.map((form, j) => ({ website, form, way: ways[(i + j) % ways.length] ?? ways[0], code: codes[j] })),
    )
    // Every website and every form once on PostgreSQL: what differs there is how leads are stored.
    const chosen =
      engine === 'sqlite' ? all : all.filter((_, i) => i % forms.length === Math.trunc(i / forms.length) % forms.length)
    const sent: { email: string; says: string[]; where: string }[] = []
    for (const { website, form, way, code } of chosen) {
      const campaign = `${website.name}-${form.name}`.replace(/\W/g, '-').toLowerCase()
      const where = `${form.name} on ${website.name} ${way}`
      ok(code, where)
      const email = await fillInOn(t, { website, code, way, campaign })
      sent.push({ email, where, says: [form.name, campaign, ...form.says] })
    }
    await service.settle()
    const rows = (await manager.get('/export/leads.csv')).text.split('\n')
    for (const { email, says, where } of sent) {
      const row = rows.find(one => one.includes(email)) ?? ''
      deepEqual(
        says.filter(word => !row.split(',').includes(word)),
        [],
        `${where}: ${row}`,
      )
      const found = (await manager.get(`/inbox?q=${email}&stage=any`)).text
      const [, lead = ''] = /href="(\/leads\/\d+)"/.exec(found) ?? []
      const shown = readable((await manager.get(lead)).text)
      deepEqual(
        says.filter(word => !shown.includes(word)),
        [],
        where,
      )
    }
  })
})

/** What the console gives for each form. */
async function makeForms(t: TestContext, { origin }: FormService, manager: ConsoleClient): Promise<Code[]> {
  const { page, context } = await openWindow(t, browser)
  await context.addCookies([{ name: 'session', value: manager.cookies.get('session') ?? '', url: origin.console }])
  const codes: Code[] = []
  for (const { name, title, program, campuses } of forms) {
    await page.goto(`${origin.console}/forms`)
    await page.getByRole('link', { name: 'New form for students' }).click()
    await page.getByLabel('URL of the form').fill(name)
    await page
      .getByLabel(/^Title/)
      .first()
      .fill(title)
    if (program !== undefined) await page.getByLabel('Program to begin with').selectOption(program)
    if (campuses !== undefined) {
      await page.getByRole('button', { name: 'Add “Which campus?”' }).click()
      await page.getByLabel('Answers to choose from, one per line (English)').fill(campuses)
      await page.getByLabel('Must be answered').selectOption('Required')
    }
    await page.getByRole('button', { name: 'Save', exact: true }).first().click()
    await page.waitForURL(`**/forms/embed/${name}`)
    const codeOf = async (title: string) =>
      (await page.getByRole('group', { name: title, exact: true }).textContent()) ?? ''
    const [element, iframe] = [await codeOf('The form'), await codeOf('The form in an iframe')]
    match(element, new RegExp(`form="${name}"`))
    codes.push({ element, iframe })
  }
  await page.emulateMedia({ media: 'print' })
  deepEqual(
    [await page.locator('.form-code').isVisible(), await page.locator('pre').first().isVisible()],
    [true, false],
    'paper has the code to scan alone',
  )
  await context.close()
  return codes
}

type Visit = { website: Website; code: Code; way: (typeof ways)[number]; campaign: string }

/** Someone on a small phone opens a page of the website and sends its form. Returns their email address. */
async function fillInOn(t: TestContext, { website, code, way, campaign }: Visit): Promise<string> {
  const isPlain = way === 'without JavaScript'
  const isFramed = isPlain || website.framed
  const pasted = isFramed
    ? code.iframe.replace(
        'embed=iframe',
        `embed=iframe&utm_campaign=${campaign}${way === 'in Spanish' ? '&lang=es' : ''}`,
      )
    : code.element
  const url = website.publish(site, `/${campaign}`, way === 'in Spanish' ? `<div lang="es">${pasted}</div>` : pasted)
  const { page, context, errors } = await openWindow(t, browser, { ...SMALL, javaScriptEnabled: !isPlain })
  await page.goto(`${url}?utm_campaign=${campaign}`)
  const form: Page | FrameLocator = isFramed ? page.frameLocator('iframe') : page
  await form.getByRole('button', { name: way === 'in Spanish' ? 'Pedir información' : 'Request information' }).waitFor()
  const email = await fillIn(form)
  const campus = form.getByLabel('Dallas', { exact: true })
  if ((await campus.count()) > 0) await campus.check()
  if (way === 'without a connection') await context.setOffline(true)
  await press(form)
  if (way === 'without a connection') {
    await form.getByText(/connection/).waitFor()
    await context.setOffline(false)
  }
  await thanks(form)
  if (!isPlain) equal(await page.evaluate('document.documentElement.scrollWidth'), 320, url)
  deepEqual(errors, [], url)
  await context.close()
  return email
}
