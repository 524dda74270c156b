/** A form that a manager gives a look and a consent of its own: what people see, and what is kept of it. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { createBrand } from '../../src/content/brand.ts'
import { startConsole } from '../support/console.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { asForm, readable, typed } from '../support/forms.ts'

const form = { kind: 'student', name: 'open-day', order: '' }

async function aSchoolWith(t: TestContext, over: Record<string, string>, engine: Engine = 'sqlite') {
  const service = await startConsole(t, { engine, edits: true })
  const manager = await service.client('manager')
  const kind = over['kind'] ?? form.kind
  equal((await manager.post('/forms/new', { ...form, ...over })).path, '/forms/embed/open-day')
  const url = `${kind === 'site' ? service.origin.site : service.origin.learn}/forms/open-day`
  const open = async (query = '') =>
    asForm(service, url, await service.request(`${url}${query}`, { headers: { Accept: 'text/html' } }))
  return { ...service, manager, url, open }
}

onEachEngine(engine => {
  test('a form asks in its own words, and what someone saw stays with them when the words change', async t => {
    const words = {
      'consent-en': 'Open day: {school} may text me.',
      'consent-es': 'Día abierto: {school} me puede escribir.',
    }
    const { manager, open, settle, database, request, origin } = await aSchoolWith(t, words, engine)
    const spanish = await open('?lang=es')
    match(readable(spanish.page.text), /Día abierto: Example Vocational School me puede escribir\./)
    const late = await open()
    equal((await spanish.send(typed('student', { consent: 'yes' }))).status, 303)
    await settle()
    match(
      readable((await manager.get('/leads/1')).text),
      /Día abierto: Example Vocational School me puede escribir\./,
      'the page of the lead shows what they read',
    )
    const seen = /name="seen" value="([^"]*)"/.exec((await manager.get('/forms/edit/open-day')).text)?.[1] ?? ''
    await manager.post('/forms/edit/open-day', { ...form, seen, 'consent-en': 'Open day: you may call me.' })
    match(
      readable((await manager.get('/forms/edit/open-day')).text),
      /Its consent has no text in Spanish: people who chose Spanish read it in another language\./,
    )
    match(readable((await open()).page.text), /Open day: you may call me\./)
    const asked = await late.send(typed('student', { email: 'late@mail.example', consent: 'yes' }))
    equal(asked.status, 400, 'no one agrees to words that they have not seen')
    match(readable(asked.text), /Open day: you may call me\./)
    const [row] = await sql(database, 'select form from submissions')
    deepEqual(
      JSON.parse(String(row?.['form'])).consent.text,
      'Día abierto: Example Vocational School me puede escribir.',
    )
    const others = await request(`${origin.learn}/forms/student-interest`, { headers: { Accept: 'text/html' } })
    doesNotMatch(others.text, /Open day/)
  })
})

test('a form with words of its own asks even if the settings ask no one of its kind', async t => {
  const over = { kind: 'site', 'consent-en': 'You may call us.' }
  const { open, request, origin } = await aSchoolWith(t, over)
  match((await open()).page.text, /name="consent".*You may call us\./s)
  const other = await request(`${origin.site}/forms/site-interest`, { headers: { Accept: 'text/html' } })
  doesNotMatch(other.text, /name="consent"/)
})

test('a form has its own color and logo on every page, in an iframe and as an element, as readable as the school’s', async t => {
  const look = { 'brand-own-color': 'on', 'brand-color': '#d9480f', 'brand-logo': 'https://cdn.example.edu/open.png' }
  const { open, request, origin, url } = await aSchoolWith(t, look)
  const brand = createBrand({ name: 'x', brand: { color: '#d9480f' } }, '')
  const hosted = await open()
  const thanks = await request(`${origin.learn}/forms/sent/open-day`, { headers: { Accept: 'text/html' } })
  const framed = await request(`${url}?embed=iframe`, { headers: { Accept: 'text/html' } })
  for (const { text, headers } of [hosted.page, thanks, framed]) {
    ok(text.includes(brand.formCss))
    const policy = headers.get('content-security-policy') ?? ''
    ok(policy.includes(hash('sha256', brand.formCss, 'base64')), 'the policy allows the colors')
    match(policy, /img-src [^;]*https:\/\/cdn\.example\.edu/)
  }
  match(hosted.page.text, /<img class="logo plate" src="https:\/\/cdn\.example\.edu\/open\.png"/)
  match(thanks.text, /src="https:\/\/cdn\.example\.edu\/open\.png"/)
  ok((await request(`${url}?embed=element`)).text.includes(brand.elementCss))
  const others = await request(`${origin.learn}/forms/student-interest`, { headers: { Accept: 'text/html' } })
  ok(
    !others.text.includes(brand.formCss) && !others.text.includes('cdn.example.edu'),
    'the other forms look as the school does',
  )
})

test('the editor says what is wrong with a logo, shows the look that is typed, and takes it away', async t => {
  const look = { 'brand-own-color': 'on', 'brand-color': '#d9480f' }
  const { manager, open } = await aSchoolWith(t, look)
  const page = (await manager.get('/forms/edit/open-day')).text
  match(page, /name="brand-own-color" checked/)
  const seen = /name="seen" value="([^"]*)"/.exec(page)?.[1] ?? ''
  for (const [over, says] of [
    [{ 'brand-logo': 'http://x.example/a.png' }, /must be an https:\/\/ URL of an image/],
    [{ 'brand-logo': 'https://x.example;sandbox/a.png' }, /must be an https:\/\/ URL of an image/],
    [{ sentUrl: 'https://x.example;sandbox/thanks' }, /must be a URL such as/],
    [{ 'brand-logoDark': 'https://x.example/a.png' }, /must be set when/],
  ] as const) {
    const { status, text } = await manager.post('/forms/edit/open-day', { ...form, seen, ...look, ...over })
    equal(status, 422)
    match(readable(text), says)
  }
  const typedColor = createBrand({ name: 'x', brand: { color: '#116633' } }, '').formCss
  const shown = await manager.post('/forms/preview', { ...form, ...look, 'brand-color': '#116633' })
  ok(shown.text.includes(typedColor))
  const odd = await manager.post('/forms/preview', {
    ...form,
    ...look,
    'brand-color': '</style><b>',
    'brand-logo': 'x',
  })
  doesNotMatch(odd.text, /<\/style><b>/)
  const hostile = await manager.post('/forms/preview', { ...form, ...look, 'brand-logo': 'https://x.example;b/a.png' })
  doesNotMatch(hostile.headers.get('content-security-policy') ?? '', /x\.example/)
  await manager.post('/forms/edit/open-day', { ...form, seen })
  ok(!(await open()).page.text.includes(createBrand({ name: 'x', brand: { color: '#d9480f' } }, '').formCss))
})
