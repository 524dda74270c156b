/** Programs, name and look, and consent, as managers edit them. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { aStudent } from '../support/bodies.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'
import { formUrl, openForm, readable, typed } from '../support/forms.ts'
import { aSchool } from '../tasks/school.ts'

const school = { name: 'Lakeside School', color: '#0a6070' }

/** No URL can have the first three. The others would begin a directive of their own in the policy of a page. */
const UNUSABLE_HOSTS = [
  ':80',
  'a.example:99999',
  '%',
  'a.example;sandbox',
  'a.example%3Bsandbox',
  'a.example\uff1bsandbox',
]

test('an example of a fact of a program is said above its field, and a field without words says what people read', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager')
  const blank = (await manager.get('/programs')).text
  doesNotMatch(blank, /placeholder=/)
  match(blank, /aria-describedby="program-0-cost-es-hint"/)
  match(blank, /id="program-0-name-en-hint">Such as “Surgical technology”</)
  match(blank, /id="program-0-starts-en-hint">Such as “March 1, then every quarter”</)
  const typed = { count: '1', replaces: fieldOn(blank, 'replaces'), 'program-0-name-en': 'Welding' }
  const saved = (await manager.post('/programs', { ...typed, 'program-0-cost-en': '$5,200' })).text
  match(saved, /id="program-0-cost-es-hint">If empty, people read “\$5,200”\.</)
  doesNotMatch(saved, /program-0-cost-en-hint/)
  const both = { ...typed, replaces: fieldOn(saved, 'replaces'), 'program-0-name-es': 'Soldadura' }
  const named = (await manager.post('/programs', both)).text
  match(named, /id="program-0-name-es" name="program-0-name-es" value="Soldadura"/)
  doesNotMatch(named, /program-0-name-es-hint/)
})

onEachEngine(engine => {
  test('a new name and color are on every page and in every email at once, with another ETag', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true })
    const manager = await service.client('manager', { name: 'Dana Kim' })
    const icon = () => service.request(`${service.origin.site}/favicon.svg`)
    const before = await icon()
    const form = { ...school, postalAddress: '1 Main Street, Austin, TX 78701', color: '#7a1f3d', replaces: '0' }
    const saved = await manager.post('/brand', form)
    match(saved.text, /The change is in force/)
    match(saved.text, /<title>Name and look – Lakeside School</)
    match((await service.request(`${service.origin.site}/docs`)).text, /Lakeside School/)
    match((await service.request(`${service.origin.learn}/forms/student-interest`)).text, /Lakeside School/)
    const after = await icon()
    ok(before.headers.get('etag') !== after.headers.get('etag'))
    match(after.text, /7a1f3d/)
    await service.postStudent(aStudent())
    await service.settle()
    ok(service.sent.some(({ from, text }) => /Lakeside School/.test(from.name) && /1 Main Street/.test(text)))

    const [entry] = await service.app.store.listAudit({ limit: 1 })
    match(entry?.detail ?? '', /Color: #7a1f3d instead of/)
    await manager.post('/brand/back', {
      version: fieldOn(saved.text, 'version'),
      replaces: fieldOn(saved.text, 'replaces'),
    })
    equal((await icon()).headers.get('etag'), before.headers.get('etag'))
  })

  test('the name and the look are shown on a form before they are saved, on a light and a dark screen', async t => {
    const service = await startConsole(t, { engine, settings: aSchool })
    const manager = await service.client('manager')
    match((await manager.get('/brand')).text, /data-live-preview.*formaction="\/brand\/preview" formtarget="preview"/s)
    const logo = 'https://images.example/logo.png'
    const logoDark = 'https://images.example/dark.png'
    const look = { name: 'Hillside School', phone: '(512) 555-0100', color: '#7a1f3d', logo, logoDark }
    const shown = await manager.post('/brand/preview', look)
    match(shown.text, /--fill: light-dark\(#7a1f3d/)
    match(shown.text, /<img class="logo" src="https:\/\/images\.example\/logo\.png" alt="Hillside School">/)
    match(shown.text, /\(512\) 555-0100/)
    match(
      shown.headers.get('content-security-policy') ?? '',
      /img-src 'self' data: https:\/\/images\.example;.*sandbox allow-same-origin$/,
    )
    const dark = await manager.post('/brand/preview', { ...look, 'preview-theme': 'dark' })
    match(dark.text, /class="dark".*<img class="logo" src="https:\/\/images\.example\/dark\.png"/s)
    // What is not complete yet, and a file that no one published, leave the initial.
    const odd = await manager.post('/brand/preview', { name: 'Hillside', color: '#7', logo: '/etc/hostname.svg' })
    match(odd.text, /<span class="mark" aria-hidden="true">H<\/span>Hillside/)
    ok(!odd.text.includes('hostname'))
    equal((await service.app.store.listEditedSettings('brand', { limit: 1 })).length, 0)
  })

  test('the words of the consent change at once; what people saw before is kept, and a form that is open asks again', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true })
    const manager = await service.client('manager')
    const url = formUrl(service, 'student')
    const { text: ours } = await manager.get('/consent')
    match(
      ours,
      /placeholder="[^"{]+ may call and text me at this number[^"]*STOP/,
      'what is asked without words of their own',
    )
    match(ours, /placeholder="[^"{]+ puede llamarme/)
    const early = await openForm(service, 'student')
    const open = await openForm(service, 'student')
    await early.send(typed('student', { consent: 'yes' }))
    const saved = await manager.post('/consent', {
      replaces: '0',
      'student-asks': 'on',
      'student-text-en': 'Lakeside may text me.',
      'student-text-es': 'Lakeside me puede escribir.',
    })
    match(saved.text, /The form for students asks: “Lakeside may text me\.”/)
    match((await service.request(url)).text, /Lakeside may text me\./)
    match((await service.request(`${url}?lang=es`)).text, /Lakeside me puede escribir\./)

    const late = await open.send(typed('student', { email: 'late@mail.example', consent: 'yes' }))
    equal(late.status, 400)
    match(late.text, /Lakeside may text me\./)
    await service.settle()
    const { text } = await manager.get('/leads/1')
    match(text, /may call and text me at this number about its programs/)
    ok(!text.includes('Lakeside may text me.'))
  })
})

test('programs are added, ordered and removed, and emails show them in each language', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager')
  const two = {
    count: '3',
    replaces: '0',
    'program-0-name-en': 'Welding',
    'program-0-cost-en': '$2,000',
    'program-1-name-en': 'Medical assistant',
    'program-1-name-es': 'Asistente médico',
  }
  const moved = await manager.post('/programs', { ...two, do: 'up:1' })
  match(moved.text, /name="program-0-name-es" value="Asistente médico"/)
  equal((await manager.post('/programs', { ...two, do: 'add:' })).status, 200)
  match((await manager.post('/programs', two)).text, /New: Welding\.<\/li><li>New: Medical assistant\./)
  const programs = async () => (await service.app.store.listEditedSettings('programs', { limit: 1 }))[0]?.value
  deepEqual(await programs(), {
    programs: [{ name: 'Welding', cost: '$2,000' }, { name: { en: 'Medical assistant', es: 'Asistente médico' } }],
  })
  const shown = readable((await manager.get('/programs')).text)
  match(shown, /No Spanish name: Welding\. People who read Spanish see the English one\./)
  doesNotMatch(shown, /name: [^.]*Medical assistant/)
  const preview = await manager.get('/cadence/message?kind=student&file=letters/day-3.md&language=es')
  match(preview.text, /Asistente médico/)
  const nameless = await manager.post('/programs', { count: '1', 'program-0-cost-en': '$1', replaces: '9' })
  equal(nameless.status, 422)
  match(nameless.text, /<h2>There is a problem<\/h2>.*<a href="#program-0-name-en">Name of program 1 must be/s)
  match(nameless.text, /<p class="problem" id="program-0-name-en-problem">Name of program 1 must be/)
})

test('an impossible color or logo is rejected at its field, and no other file of the server becomes a logo', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager')
  const refused = async (fields: Record<string, string>, words: RegExp) => {
    const { status, text } = await manager.post('/brand', { ...school, replaces: '0', ...fields })
    equal(status, 422)
    match(text, words)
  }
  await refused({ name: '' }, /id="name-problem">Name must be one line[^<]*<\/p><input id="name"[^>]*name-problem"/)
  await refused({ color: 'red' }, /id="color-problem">Color must be a color such as #0a6070\.<\/p><input id="color"/)
  await refused(
    { logo: 'content/public/favicon.svg' },
    /id="logo-problem">URL of the logo must be an https:\/\/ URL\.<\/p>/,
  )
  await refused(
    { name: '', color: 'red' },
    /problem<\/h2>.*<a href="#name">Name must be.*<a href="#color">Color must be/s,
  )
  for (const host of UNUSABLE_HOSTS) {
    await refused(
      { logo: `https://${host}/logo.png` },
      /<p class="problem" id="logo-problem">URL of the logo must be an https:\/\/ URL or/,
    )
  }
  equal((await service.app.store.listEditedSettings('brand', { limit: 1 })).length, 0)
  const late = await manager.post('/brand', { ...school, name: 'Other', replaces: '7' })
  equal(late.status, 409)
  match(late.text, /value="Other"/)
})
