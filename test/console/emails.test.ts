/** Emails to students and saved replies, as managers write them. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DAY } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { type ConsoleClient, fieldOn, startConsole } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { unescaped } from '../support/forms.ts'
import { aSchool } from '../tasks/school.ts'

const EDIT = '/emails/edit'
const DAY_1 = 'letters/day-1.md'
const END = "\n\n{% include 'letters/letter-end.md' %}"

const editPath = (file: string, language = 'en') => `${EDIT}?file=${encodeURIComponent(file)}&language=${language}`

/** What the form of a text sends with these fields changed. */
async function save(client: ConsoleClient, file: string, fields: Record<string, string>, language = 'en') {
  const { text } = await client.get(editPath(file, language))
  const typed = unescaped(/<textarea[^>]*>(.*?)<\/textarea>/s.exec(text)?.[1] ?? '')
  const head = ['subject', 'preheader', 'name'].flatMap(name => {
    const [, value] = new RegExp(`<input id="${name}"[^>]* value="([^"]*)"`).exec(text) ?? []
    return value === undefined ? [] : [[name, unescaped(value)]]
  })
  const form = { ...Object.fromEntries(head), text: typed, file, language, seen: fieldOn(text, 'seen') }
  return client.post(EDIT, { ...form, ...fields })
}

onEachEngine(engine => {
  test('an email that a manager writes goes out, in its language, until it is undone', async t => {
    const service = await startConsole(t, { engine, settings: aSchool, edits: true })
    const manager = await service.client('manager', { name: 'Dana Kim' })
    const list = await manager.get('/emails')
    match(list.text, /When is a good time to call you\?<\/strong>/)
    const names = [...list.text.matchAll(/<li><p><strong>([^<]*)<\/strong>\s*<span[^>]*>([^<]*)</g)]
    deepEqual(
      names.slice(0, 6).map(([, , when]) => when),
      [
        'Immediately, when a student writes in',
        'Immediately, to someone who already has an account, instead of the receipt',
        'After 1 day',
        'After 3 days',
        'After 7 days',
        'Below each of these emails',
      ],
    )
    match(names[2]?.[1] ?? '', /When is a good time to call you/)
    match(list.text, /Texts without a remark are as they come with Frontdesk/)
    const saved = await save(manager, DAY_1, {
      subject: 'A call from {{ school.name }}?',
      text: `Hi {{ greeting }}!${END}`,
    })
    match(saved.text, /The new text is in force/)
    match(saved.text, /In force: edited here/)

    await service.postStudent(aStudent())
    await service.postStudent(aStudent({ email: 'luz@mail.example', idempotencyKey: 'luz' }))
    await service.settle()
    service.clock.advance(2 * DAY)
    await service.settle()
    const letter = service.sent.find(
      ({ subject }) => subject === 'A call from Lakeside School?' || /^A call from/.test(subject),
    )
    ok(letter, `${service.sent.map(({ subject }) => subject)}`)
    match(letter.text, /^Hi \w+!/)
    match(letter.text, /Unsubscribe/)

    const later = await service.client('manager', { name: 'Dana Kim', email: 'dana@later.example' })
    match((await later.get('/emails')).text, /older than the English text/)
    match((await later.get(editPath(DAY_1, 'es'))).text, /The English text has changed since/)
    await save(later, DAY_1, { subject: '¿Una llamada?' }, 'es')
    ok(!(await later.get('/emails')).text.includes('older than the English text'))
    const admin = await service.client('admin')
    match((await admin.get('/audit')).text, /edited <a href="\/emails">the emails<\/a>/)

    const undone = await later.post('/emails/back', {
      version: fieldOn(saved.text, 'version'),
      replaces: await newest(service),
    })
    match(undone.text, /That version is in force again/)
    match((await later.get(editPath(DAY_1))).text, /When is a good time to call you\?/)
  })
})

type Service = Awaited<ReturnType<typeof startConsole>>
const newest = async ({ app }: Service) =>
  String((await app.store.listEditedSettings('texts', { limit: 1 }))[0]?.id ?? 0)

test('what is wrong with a text that cannot be sent is said at its field, and nothing changes', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager')
  const refused = async (fields: Record<string, string>, words: RegExp) => {
    const { status, text } = await save(manager, DAY_1, fields)
    equal(status, 422)
    match(text, words)
    match(text, /There is a problem/)
  }
  await refused({ text: `Hello {{ frist_name }},${END}` }, /id="text-problem">There is no variable frist_name/)
  await refused({ text: 'Hello!' }, /id="text-problem">by law, a follow-up email must show the link to unsubscribe/i)
  await refused({ text: `{% if greeting %}Hello${END}` }, /id="text-problem">/)
  await refused({ subject: '' }, /id="subject-problem">Write a subject/)
  await refused({ text: 'x'.repeat(20_001) }, /id="text-problem">Write at most 20000 characters/)
  equal(await newest(service), '0')
  const { text } = await manager.post(`${EDIT}/preview`, {
    file: DAY_1,
    language: 'en',
    subject: 'Hi',
    text: '{{ nobody }}',
  })
  match(text, /There is no variable nobody/)
})

test('the preview shows the draft as HTML and as text, and a test goes only to the person who asks', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager', { email: 'dana@school.example', name: 'Dana Kim' })
  const draft = {
    file: DAY_1,
    language: 'en',
    subject: 'Hello',
    preheader: '',
    text: `**Hi** {{ greeting }}${END}`,
    seen: '',
  }
  const shown = await manager.post(`${EDIT}/preview`, draft)
  match(shown.text, /<strong[^>]*>Hi<\/strong>/)
  match(shown.headers.get('content-security-policy') ?? '', /sandbox/)
  match((await manager.post(`${EDIT}/preview`, { ...draft, 'preview-format': 'text' })).text, /Hello\n\nHi/)
  const { text } = await manager.post(EDIT, { ...draft, do: 'test' })
  match(text, /A test is on its way to dana@school\.example\. Nothing was saved yet/)
  deepEqual(
    service.sent.map(({ to, subject }) => [to.address, subject]),
    [['dana@school.example', 'Test: Hello']],
  )
  equal(await newest(service), '0')
})

test('a saved reply can be filled in by counselors, and deleted again', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager')
  await service.postStudent(aStudent())
  await service.settle()
  const reply = { new: 'replies', language: 'en', name: 'Parking', for: 'student', subject: 'Where to park', seen: '' }
  const unnamed = await manager.post(EDIT, { ...reply, name: '', text: 'Behind the school.' })
  match(unnamed.text, /id="name-problem">Give it a name/)
  const added = await manager.post(EDIT, { ...reply, text: 'Hello {{ person.first_name }}, park behind the school.' })
  match(added.path, /file=replies%2Fparking\.md/)
  const write = await manager.get('/leads/1/write')
  match(write.text, /<button [^>]*name="template" value="parking">Parking<\/button>/)
  const filled = await manager.get('/leads/1/write?template=parking')
  match(filled.text, /park behind the school\./)
  const spanish = await manager.post(EDIT, { ...reply, name: 'Cómo llegar', text: 'Hello {{ person.first_name }}.' })
  match(spanish.path, /file=replies%2Fcomo-llegar\.md/)
  const gone = await save(manager, 'replies/parking.md', { do: 'file' })
  equal(gone.path, '/emails')
  ok(!(await manager.get('/leads/1/write')).text.includes('Parking'))
})

test('a manager puts in who calls, and the list of programs, without a condition or a loop', async t => {
  const programs = [{ name: 'Welding', starts: 'January 11' }, { name: 'Nursing' }]
  const service = await startConsole(t, { settings: { ...aSchool, programs }, edits: true })
  const manager = await service.client('manager')
  const { text } = await manager.get(editPath('letters/receipt.md'))
  const offered = [...text.matchAll(/data-insert="([^"]*)"/g)].map(([, code = '']) => unescaped(code))
  deepEqual(
    offered.filter(code => !/^\{\{ [\w.]+ \}\}$/.test(code)),
    ["{% include 'letters/letter-end.md' %}"],
  )
  ok(offered.includes('{{ who_calls }}') && offered.includes('{{ program_list }}'))
  const typed = { file: 'letters/receipt.md', language: 'en', subject: 'Thanks', preheader: '', name: '', seen: '' }
  const shown = await manager.post(`${EDIT}/preview`, {
    ...typed,
    text: '{{ who_calls }}.\n\n{{ program_list }}\n\nEnd',
    'preview-format': 'text',
  })
  match(
    unescaped(shown.text),
    /I'm Maria Lopez, your admissions counselor\. I will\s+call you .*\.\s+- Welding · starts January 11\n- Nursing\s+End/s,
  )
})

test('an email that the cadence sends cannot be deleted, and one of two late edits keeps what was typed', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const [one, other] = [await service.client('manager', { name: 'Dana Kim' }), await service.client('admin')]
  const email = {
    new: 'letters',
    language: 'en',
    subject: 'Open house',
    preheader: '',
    text: `Come and see us.${END}`,
    seen: '',
  }
  await one.post(EDIT, email)
  const step = { name: 'open', after: '1 day', clock: 'student', to: 'student', message: 'letters/open-house.md' }
  const value = { student: [step], site: [] }
  const edit = { part: 'cadence', value, replaces: 0, by: 'Dana Kim', note: '', now: service.clock.now() }
  await service.app.store.saveEditedSettings(edit)
  const kept = await save(one, 'letters/open-house.md', { do: 'file' })
  equal(kept.status, 409)
  match(kept.text, /A step of the cadence sends “Open house”\. Change the cadence first/)

  const { text } = await other.get(editPath(DAY_1))
  const late = {
    file: DAY_1,
    language: 'en',
    subject: 'Mine',
    preheader: '',
    text: `Mine${END}`,
    seen: fieldOn(text, 'seen'),
  }
  await save(one, DAY_1, { subject: 'Theirs' })
  const told = await other.post(EDIT, late)
  equal(told.status, 409)
  match(told.text, /Dana Kim changed the emails while you were editing/)
  match(told.text, /value="Mine"/)
  match((await other.post(EDIT, { ...late, seen: fieldOn(told.text, 'seen') })).text, /The new text is in force/)
})

test('what is edited here takes the place of a file of the operator, which is in force again afterward', async t => {
  const content = temporaryFolder(t)
  mkdirSync(join(content, 'letters'))
  writeFileSync(join(content, DAY_1), `---\nsubject: Our own file\n---\nHello${END}\n`)
  const service = await startConsole(t, { settings: { ...aSchool, content }, edits: true })
  const manager = await service.client('manager')
  match((await manager.get(editPath(DAY_1))).text, /In force: a file in your content folder/)
  await save(manager, DAY_1, { subject: 'From the console' })
  match((await manager.get('/emails')).text, /From the console/)
  await save(manager, DAY_1, { do: 'file' })
  match((await manager.get('/emails')).text, /Our own file/)
})
