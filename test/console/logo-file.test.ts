/** The logo as a file that a manager uploads. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { tileIcon } from '../../src/content/icon.ts'
import { MOST_FILES } from '../../src/store/edited/school-files.ts'
import { aStudent } from '../support/bodies.ts'
import { type ConsoleClient, fieldOn, startConsole } from '../support/console.ts'
import { countRows, onEachEngine, sql } from '../support/engines.ts'
import { aSchool } from '../tasks/school.ts'

const LOGO_URL = 'https://images.example/logo.png'
const school = { name: 'Lakeside School', color: '#0a6070', logo: LOGO_URL, replaces: '0' }
const png = (color: `#${string}`) => new Uint8Array(tileIcon(color).subarray(22))

/** Sends the form as a browser does: fields and files. */
async function upload(manager: ConsoleClient, fields: Record<string, string | File>, path = '/brand') {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  const response = await manager.fetch(path, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

onEachEngine(engine => {
  test('an uploaded logo is on forms, in the console, in emails and in the tab, until it is removed and the URL is back', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true })
    const manager = await service.client('manager', { name: 'Dana Kim' })
    const bytes = png('#7a1f3d')
    const saved = await upload(manager, { ...school, logoFile: new File([bytes], 'logo.exe', { type: 'text/html' }) })
    equal(saved.status, 303)
    const { text: page } = await manager.get('/brand')
    const name = fieldOn(page, 'logoFile-now')
    match(name, /^[0-9a-f]{40}\.png$/)
    const [, src = ''] = new RegExp(`src="(http[^"]*/logos/${name})"`).exec(page) ?? []
    match(src, /^http/, 'an absolute URL, which emails need')
    match((await manager.get('/settings')).text, /<dt>Logo<p(?:(?!<dt>).)*<dd>a file \(PNG\)/s)
    match(page, new RegExp(`class="school" href="/">.*src="${src}"`))
    match((await service.request(`${service.origin.learn}/forms/student-interest`)).text, new RegExp(`src="${src}"`))
    match((await service.request(`${service.origin.site}/docs`)).text, new RegExp(`src="${src}"`))
    const icon = (await service.request(`${service.origin.site}/favicon.svg`)).text
    ok(icon.includes(Buffer.from(bytes).toString('base64')))
    await service.postStudent(aStudent())
    await service.settle()
    ok(service.sent.some(({ html = '' }) => html.includes(`src="${src}"`)))

    const file = await fetch(`${service.origin.site}/logos/${name}`)
    deepEqual(new Uint8Array(await file.arrayBuffer()), bytes)
    equal(file.headers.get('content-type'), 'image/png')
    equal(file.headers.get('x-content-type-options'), 'nosniff')
    match(file.headers.get('cache-control') ?? '', /max-age=31536000, immutable/)
    match(file.headers.get('content-security-policy') ?? '', /^default-src 'none'.*sandbox$/)
    const [entry] = await service.app.store.listAudit({ limit: 1 })
    match(entry?.detail ?? '', new RegExp(`Logo as a file: the file ${name.slice(0, 4)}… \\(png\\) instead of none`))

    const now = { ...school, 'logoFile-now': name, replaces: fieldOn(page, 'replaces') }
    const removed = await upload(manager, { ...now, 'logoFile-remove': 'on' })
    equal(removed.status, 303)
    const form = () => service.request(`${service.origin.learn}/forms/student-interest`)
    ok((await form()).text.includes(`src="${LOGO_URL}"`))
    equal((await fetch(`${service.origin.site}/logos/${name}`)).status, 200, 'emails that were sent show it')
    const { text: after } = await manager.get('/brand')
    await manager.post('/brand/back', { version: fieldOn(page, 'replaces'), replaces: fieldOn(after, 'replaces') })
    ok((await form()).text.includes(`src="${src}"`), 'going back brings it back')
  })

  test('a file that is not an image, or too large, is an error beside its field, and nothing changes', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true })
    const manager = await service.client('manager')
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const large = new Uint8Array(200_001)
    large.set(png('#7a1f3d'))
    const refused = async (file: File, words: string) => {
      const { status, text } = await upload(manager, { ...school, name: 'Hillside', logoFile: file })
      equal(status, 422)
      match(text, new RegExp(`<a href="#logoFile">Logo as a file must be a PNG, JPEG, WebP or GIF.*${words}`))
      match(text, /id="logoFile-problem">Logo as a file must be.*<input id="logoFile"[^>]*aria-invalid="true"/s)
      match(text, /name="name"[^>]* value="Hillside"/)
    }
    await refused(new File([svg], 'logo.png', { type: 'image/png' }), 'this file is none of these')
    await refused(new File([''], 'logo.png', { type: 'image/png' }), 'this file is none of these')
    await refused(new File([large], 'logo.png'), 'this file is 201 kB')
    await refused(new File([new Uint8Array(5_000_000)], 'photo.jpg'), 'this file is 5000 kB')
    const lost = await upload(manager, { ...school, name: '', logoFile: new File([png('#7a1f3d')], 'logo.png') })
    match(lost.text, /Name must be.*Logo as a file must be chosen again, since nothing was saved/s)
    const forged = await upload(manager, { ...school, 'logoFile-now': `${'a'.repeat(40)}.png` })
    match(forged.text, /Logo as a file must be uploaded again: it is gone/)
    equal((await upload(manager, { ...school, 'logoFile-now': '../../etc/passwd' })).status, 422)
    equal((await service.app.store.listEditedSettings('brand', { limit: 1 })).length, 0)
    equal(await countRows(service.database, 'school_files'), 0)
    for (const name of [`${'a'.repeat(40)}.png`, 'frontdesk.db', '..%2f..%2fetc%2fpasswd'])
      equal((await fetch(`${service.origin.site}/logos/${name}`)).status, 404)
  })

  test('only the newest files stay, and a version whose logo is gone does not come back', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true })
    const manager = await service.client('manager')
    const { store } = service.app
    const save = (n: number, dark: string) =>
      store.saveEditedSettings({
        part: 'brand',
        value: {
          name: 'Lakeside',
          brand: { color: '#0a6070', logoFile: `${String(n).padStart(40, '0')}.png`, logoDarkFile: dark },
        },
        replaces: n,
        by: 'Dana Kim',
        note: '',
        now: n,
        files: [
          { name: `${String(n).padStart(40, '0')}.png`, bytes: png('#7a1f3d') },
          ...(n === 0 ? [{ name: dark, bytes: png('#000000') }] : []),
        ],
      })
    const dark = `${'d'.repeat(40)}.png`
    for (let n = 0; n < MOST_FILES + 5; n++) deepEqual(await save(n, dark), { id: n + 1 })
    equal(await countRows(service.database, 'school_files'), MOST_FILES)
    ok(await store.readSchoolFile(dark), 'the oldest is in force')
    equal(await store.readSchoolFile(`${'0'.repeat(40)}.png`), undefined)
    const back = await manager.post('/brand/back', { version: '1', replaces: String(MOST_FILES + 5) })
    equal(back.status, 422)
    match(back.text, /Nothing was changed: the logo of this version is gone/)
  })

  test('if the audit log cannot be written, neither the file nor the version is stored', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true })
    const manager = await service.client('manager')
    await sql(service.database, 'alter table audit_log rename to audit_log_away')
    const failed = await upload(manager, { ...school, logoFile: new File([png('#7a1f3d')], 'logo.png') })
    equal(failed.status, 500)
    await sql(service.database, 'alter table audit_log_away rename to audit_log')
    equal(await countRows(service.database, 'school_files'), 0)
    equal((await service.app.store.listEditedSettings('brand', { limit: 1 })).length, 0)
  })
})

test('the preview shows a file before it is saved', async t => {
  const service = await startConsole(t, { settings: aSchool })
  const manager = await service.client('manager')
  const bytes = png('#7a1f3d')
  const shown = await upload(manager, { ...school, logoFile: new File([bytes], 'logo.png') }, '/brand/preview')
  ok(shown.text.includes(`src="data:image/png;base64,${Buffer.from(bytes).toString('base64')}"`))
  match(shown.headers.get('content-security-policy') ?? '', /img-src 'self' data:/)
  const odd = await upload(manager, { ...school, logoFile: new File(['<svg/>'], 'logo.svg') }, '/brand/preview')
  ok(odd.text.includes(`src="${LOGO_URL}"`), 'what cannot be used leaves the URL')
  equal(await countRows(service.database, 'school_files'), 0)
})
