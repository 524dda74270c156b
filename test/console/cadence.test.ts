/** The cadence in the console: managers see what happens when, change it knowing what that means, and go back. */
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { cadenceOf, queryOf, readDraft, rowsOf } from '../../src/console/cadence/draft.ts'
import { hoursInWords } from '../../src/console/cadence/month.ts'
import type { Step } from '../../src/follow-up/cadence.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { cadenceFields, remindAfter } from '../support/cadence-form.ts'
import { type ConsoleClient, fieldOn, startConsole } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'
import { readable } from '../support/forms.ts'

const service = await startConsole({ after } as TestContext, {
  settings: { school: { postalAddress: '100 Main Street, Springfield' } },
})
const { store } = service.app
const manager = await service.client('manager', { name: 'Dana Kim' })

const remind = remindAfter('10 minutes')
const write: Step = { name: 'day-1', after: '1 day', clock: 'student', to: 'student', message: 'letters/day-1.md' }
const end: Step = { name: 'no-reply', after: '14 days', clock: 'student', close: 'no reply' }

const newest = async () => (await store.listEditedSettings('cadence', { limit: 1 }))[0]
const inForce = async () => (await newest())?.id ?? 0
const put = async (client: ConsoleClient, steps: readonly Step[], over: { kind?: string; note?: string } = {}) =>
  client.post('/cadence', cadenceFields(steps, { replaces: await inForce(), ...over }))

async function stepsOfNewLead(): Promise<string[]> {
  await service.postStudent(aStudent())
  await service.settle()
  const [lead] = (await store.listLeads({ limit: 1 })).slice(0, 1)
  const followUp = await store.readFollowUp(lead?.id ?? 0)
  return followUp?.cadence.map(({ name }) => name) ?? []
}

describe('the page of the cadence', () => {
  test('shows the steps of each kind with their times, recipients and messages', async () => {
    const { text } = await manager.get('/cadence')
    const words = readable(text)
    match(words, /After 5 minutes of school hours The counselor gets “Reminder: Ana Ruiz is/)
    match(words, /After 60 minutes of school hours The team \(there is no manager\) gets/)
    match(words, /After 1 day The student gets “When is a good time to call you\?” Preview/)
    match(
      words,
      /After 14 days The lead is closed as “no reply”\. If no one has tried to reach the person by then, we warn the team \(there is no manager\) on the morning of the next school day, and close the lead as “never called” one school day later, unless someone has tried\./,
    )
    match(words, /The backup gets “/)
    doesNotMatch(words, /\.md/)
    doesNotMatch(words, /stand-in/)
    match(words, /The settings file in force No one has edited the cadence here yet/)
    const site = readable((await manager.get('/cadence?kind=site')).text)
    match(site, /After 1 school day The team gets/)
    doesNotMatch(site, /The student gets/)
  })

  test('shows each message as its recipient sees it, in the languages of the school', async () => {
    const page = await manager.get('/cadence')
    const urls = [...page.text.matchAll(/(?:src|href)="(\/cadence\/message[^"]*)"/g)].map(([, url = '']) =>
      url.replaceAll('&amp;', '&'),
    )
    ok(urls.length >= 6 + 2 * 3)
    const letter = await manager.get('/cadence/message?kind=student&file=letters/day-1.md')
    match(letter.text, /When is a good time to call you\?[\s\S]*100 Main Street, Springfield/)
    equal(letter.headers.get('x-frame-options'), 'SAMEORIGIN')
    match(letter.headers.get('content-security-policy') ?? '', /sandbox/)
    const spanish = urls.find(url => url.includes('day-1') && url.includes('language=es')) ?? ''
    match((await manager.get(spanish)).text, /lang="es"/)
    for (const file of ['letters/gone.md', '../.env', 'notifications/../../.env', 'pages/home.md'])
      match(
        (await manager.get(`/cadence/message?${new URLSearchParams({ file })}`)).text,
        /This message does not exist|cannot be sent/,
      )
  })
})

describe('the editor', () => {
  test('keeps a draft in its URL, in the order of the times, and changes nothing', async () => {
    const fields = cadenceFields([end, write, remind], { replaces: await inForce() })
    const { text, status } = await manager.get(`/cadence/edit?${fields}`)
    equal(status, 200)
    deepEqual(
      [...text.matchAll(/name="name" value="([^"]*)"/g)].map(([, name]) => name),
      ['remind', 'day-1', 'no-reply'],
    )
    match(readable(text), /Removed: the reminder to the counselor after 5 minutes of school hours\./)
    equal(await inForce(), 0)
  })

  test('adds and removes steps, and what it adds can be put in force', async () => {
    const base = cadenceFields([remind, write, end], { replaces: await inForce() })
    for (const [add, name] of [
      ['reminder', 'reminder-4'],
      ['chat', 'chat-4'],
      ['email', 'email-4'],
    ] as const) {
      const added = await manager.get(`/cadence/edit?${base}&add=${add}`)
      match(added.path, /^\/cadence\/edit\?(?!.*add=)/)
      ok(added.text.includes(`value="${name}"`), name)
      doesNotMatch(added.text, /cannot be put in force/)
    }
    const removed = await manager.get(`/cadence/edit?${base}&remove=2`)
    ok(!removed.text.includes('value="day-1"'))
    const empty = cadenceFields([], { replaces: await inForce() })
    match((await manager.get(`/cadence/edit?${empty}&add=end`)).text, /value="no-reply"/)
  })

  test('says in the sentences of the settings what is wrong, and keeps what was typed', async () => {
    const wrong = [
      { ...remind, after: 'ten minutes' },
      { ...write, clock: 'school' as const, message: 'notifications/reminder.md' },
    ]
    const { text, status } = await put(manager, wrong)
    equal(status, 422)
    const words = readable(text)
    match(words, /The reminder to the counselor after ten minutes must have a delay such as '15 minutes'/)
    match(
      words,
      /The email to the student after 1 school day goes to the student, so it must be counted in calendar time/,
    )
    match(words, /The message of the email to the student after 1 school day must be in letters\//)
    ok(text.includes('value="ten"'))
    const named = readable((await put(manager, [{ ...remind, name: 'Call Me' }])).text)
    match(named, /Step 1: name must be a short name such as maria-lopez/)
    const missing = readable((await put(manager, [{ ...write, message: 'letters/gone.md' }])).text)
    match(missing, /letters\/gone\.md: is missing/)
    equal(await inForce(), 0)
  })

  test('names messages by what they say, and neither files nor names of the settings', async () => {
    const { text } = await manager.get('/cadence/edit?kind=student')
    doesNotMatch(readable(text), /\.md|Name in the settings/)
    match(text, /<option value="letters\/day-1\.md"[^>]*>When is a good time to call you\?</)
  })

  test('warns of what is allowed but unwise', async () => {
    const fields = cadenceFields([write], { replaces: await inForce() })
    const words = readable((await manager.get(`/cadence/edit?${fields}`)).text)
    match(words, /Please consider No one at the school is reminded:/)
    match(words, /Nothing closes the lead:/)
  })

  test('shows what the draft means for a month beside what is in force', async () => {
    const fields = cadenceFields([remind, end], { replaces: await inForce() })
    const { text } = await manager.get(`/cadence/edit?${fields}`)
    const row = (title: string) =>
      [...(text.match(new RegExp(`${title}</th>(.*?)</tr>`, 's'))?.[1] ?? '').matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(
        ([, cell = '']) => readable(cell).trim(),
      )
    match(readable(text), /20 invented students write in within 30 days/)
    const [now, then] = row('Follow-up emails to a student')
    match(now ?? '', /^\d+ in all/)
    equal(then, 'none')
    match(row('Hours of emails, where the student lives')[0] ?? '', /^9:00 AM to [1-8]:00 PM, most at/)
    equal(row('Half of them closed within').length, 2)
    equal(row('Still open after the last step')[1], 'the same')
  })

  test('lets a form that ends with its session go on after signing in', async () => {
    const out = await service.client()
    const draft = `/cadence/edit?${cadenceFields([remind, end], { replaces: 0 })}`
    const { text, path } = await out.get(draft)
    match(path, /^\/sign-in/)
    ok(text.includes('value="/cadence/edit?kind=student'), 'the sign-in page leads back to the draft')
    const sent = await put(out, [remind, end])
    match(sent.text, /name="resume" value="[^"]*10/)
  })
})

describe('a change', () => {
  test('is in force for new leads at once, in the list with who, when and why, and in the audit log', async () => {
    deepEqual((await stepsOfNewLead()).slice(0, 2), ['remind-counselor', 'remind-backup'])
    const { text } = await put(manager, [remind, end], { note: 'Fewer emails' })
    match(text, /The new steps are in force\. Leads that have begun keep theirs\./)
    deepEqual(await stepsOfNewLead(), ['remind', 'no-reply'])
    const words = readable(text)
    match(
      words,
      /, Dana Kim in force Fewer emails Students: Removed: the reminder to the counselor after 5 minutes of school hours\./,
    )
    const page = readable((await manager.get('/cadence')).text)
    match(page, /1 lead follows these steps\. .* 1 lead follows earlier steps/)
    const [entry] = await store.listAudit({ limit: 1 })
    equal(entry?.action, 'edited the cadence')
    match(entry?.detail ?? '', /^Students: Removed: the reminder to the counselor after 5 minutes of school hours\./)
  })

  test('of one kind leaves the other as it is', async () => {
    const site = (await newest())?.value as { site: Step[] }
    const remindTeam: Step = { ...remind, to: 'team', message: 'notifications/site-reminder.md' }
    await put(manager, [remindTeam], { kind: 'site' })
    const value = (await newest())?.value as { student: Step[]; site: Step[] }
    deepEqual(value.student, [remind, end])
    deepEqual([site.site.length, value.site], [2, [remindTeam]])
  })

  test('that comes after someone else’s is shown beside theirs, and can then replace it', async () => {
    const other = await service.client('admin', { name: 'Tom Reed' })
    const replaces = await inForce()
    await put(other, [remind, write, end])
    const late = await manager.post('/cadence', cadenceFields([{ ...remind, after: '20 minutes' }, end], { replaces }))
    equal(late.status, 409)
    match(readable(late.text), /Tom Reed changed the cadence while you were editing/)
    match(readable(late.text), /Removed: the email to the student after 1 day\./)
    const current = await inForce()
    match(late.text, new RegExp(`name="replaces" value="${current}"`))
    const draft = cadenceFields([remind, end], { replaces })
    match((await manager.get(`/cadence/edit?${draft}`)).text, /Tom Reed changed the cadence/)
    equal((await put(manager, [{ ...remind, after: '20 minutes' }, end])).status, 200)
    ok((await inForce()) > current)
  })

  test('that changes nothing, or was sent twice, makes no version', async () => {
    const before = await inForce()
    match((await put(manager, [{ ...remind, after: '20 minutes' }, end])).text, /already in force/)
    const twice = cadenceFields([{ ...remind, after: '20 minutes' }, end], { replaces: before - 1 })
    match((await manager.post('/cadence', twice)).text, /already in force/)
    equal(await inForce(), before)
  })

  test('can be undone, and any version, also the settings file, can be in force again', async () => {
    const before = await newest()
    const { text } = await put(manager, [remind, write, end])
    const undo = { version: fieldOn(text, 'version'), replaces: fieldOn(text, 'replaces') }
    match((await manager.post('/cadence/back', undo)).text, /That version is in force again/)
    deepEqual((await newest())?.value, before?.value)
    match((await newest())?.note ?? '', /^Back to the version of /)
    equal((await manager.post('/cadence/back', undo)).status, 409)

    const page = await manager.get('/cadence/versions/0')
    match(
      readable(page.text),
      /Students: New: after 5 minutes of school hours, the counselor gets “Reminder: .* Put in force again/,
    )
    const edited = await manager.get('/cadence/edit?kind=student&version=0')
    match(edited.text, /name="name" value="remind-counselor"/)
    await manager.post('/cadence/back', { version: '0', replaces: String(await inForce()) })
    equal((await newest())?.value, null)
    deepEqual((await stepsOfNewLead()).slice(0, 2), ['remind-counselor', 'remind-backup'])
    equal((await manager.get('/cadence/versions/4711')).status, 404)
    equal((await manager.post('/cadence/back', {})).status, 422)
  })
})

onEachEngine(engine => {
  test('only leads that no one has reached count as following the steps', async t => {
    const { app, postStudent, settle, clock, client } = await startConsole(t, { engine })
    for (const email of ['ana@mail.example', 'ben@mail.example', 'cem@mail.example'])
      await postStudent(aStudent({ email }))
    await settle()
    const kim = await client('manager')
    const followers = async () => readable((await kim.get('/cadence')).text)
    match(await followers(), /3 leads follow these steps\./)
    const reached = { stage: 'contacted', closedReason: null, actor: 'Kim' } as const
    await app.store.changeStage(1, { ...reached, now: clock.now() })
    await app.store.changeStage(2, { ...reached, now: clock.now() })
    match(await followers(), /1 lead follows these steps\./)
    await app.store.changeStage(3, { ...reached, now: clock.now() })
    match(await followers(), /No lead follows these steps at the moment\./)
  })
})

test('without a postal address, the cadence and its drafts say that its emails to students are not sent', async t => {
  const client = await (await startConsole(t, {})).client('manager')
  const unsent = /Please consider The emails to the student are not sent: [^.]*postal address/
  const onPage = async (path: string) => readable((await client.get(path)).text)
  match(await onPage('/cadence'), unsent)
  match(await onPage('/cadence/edit?kind=student'), unsent)
  doesNotMatch(await onPage('/cadence?kind=site'), unsent)
  const reminderOnly = cadenceFields([remind, end], { replaces: 0 })
  doesNotMatch(await onPage(`/cadence/edit?${reminderOnly}`), unsent)
})

test('a timeline names a skipped step in words, and what the settings call it stays in its entry', async () => {
  await stepsOfNewLead()
  const [lead] = await store.listLeads({ limit: 1 })
  const path = `/leads/${lead?.id}`
  const { text } = await manager.get(path)
  const fields = { do: 'skip', step: fieldOn(text, 'step'), seen: fieldOn(text, 'seen') }
  const page = readable((await manager.post(path, fields)).text)
  match(page, /Skipped the email to Ben Okafor by Dana Kim/)
  doesNotMatch(page, /day-1|Skipped a step/)
  const [entry] = (await store.readLead(lead?.id ?? 0))?.timeline.slice(-1) ?? []
  deepEqual([entry?.kind, entry?.detail], ['skipped', 'day-1'])
  const undone = await manager.post(`${path}/undo`, { entry: String(entry?.id) })
  match(readable(undone.text), /Skipped the email to Ben Okafor \(undone\)/)
})

test('a timeline names what was sent by the steps that its lead follows, not by those in force', async () => {
  await stepsOfNewLead()
  const [lead] = await store.listLeads({ limit: 1 })
  await put(manager, [remind, end])
  service.clock.advance(DAY + HOUR)
  await service.settle()
  const later = await service.client('manager')
  match(readable((await later.get(`/leads/${lead?.id}`)).text), /Email to Ben Okafor sent/)
})

test('hours in words name the first, the last and the busiest', () => {
  const hours = Array.from({ length: 24 }, (_, hour) => (hour === 23 || hour === 11 ? hour : 0))
  equal(hoursInWords(hours, { country: 'US' }), '11:00 AM to 12:00 AM, most at 11:00 PM')
  equal(
    hoursInWords(
      hours.map(() => 0),
      { country: 'US' },
    ),
    'never',
  )
})

test('a draft that goes through its URL has the same steps', () => {
  const steps: Step[] = [...defaultSettings.followUp.student]
  const draft = { kind: 'student', replaces: 7, people: '50', note: 'Why?', rows: rowsOf(steps) } as const
  const query = new URLSearchParams(queryOf(draft))
  const read = readDraft(name => query.getAll(name))
  deepEqual(read, draft)
  deepEqual(cadenceOf(read?.rows ?? []), steps)
})
