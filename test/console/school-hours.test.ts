/** School hours and holidays, as managers edit them. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { fieldOn, startConsole } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { aSchool } from '../tasks/school.ts'

/** A Wednesday at 18:00 in New York, the evening before Thanksgiving. */
const EVENING = '2026-11-25T23:00:00Z'

const week = {
  ...Object.fromEntries(
    ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].flatMap(day => [
      [`${day}-0-from`, '09:00'],
      [`${day}-0-to`, '17:00'],
    ]),
  ),
}
const thanksgiving = {
  'holiday-0-name': 'Thanksgiving',
  'holiday-0-date': '2026-11-26',
  'holiday-0-until': '2026-11-27',
}
const saturday = {
  'saturday-0-from': '13:00',
  'saturday-0-to': '15:00',
  'saturday-1-from': '10:00',
  'saturday-1-to': '12:00',
}

onEachEngine(engine => {
  test('hours and holidays that a manager saves decide when a counselor is reminded, until they are undone', async t => {
    const service = await startConsole(t, {
      engine,
      settings: aSchool,
      clock: testClock(Date.parse(EVENING)),
      edits: true,
    })
    const manager = await service.client('manager', { name: 'Dana Kim' })
    const first = await manager.get('/hours')
    match(first.text, /From the settings file\. Your first change here replaces it/)
    match(first.text, /A student who writes on Wednesday at 6:00 PM is to be called on Thursday by 9:05 AM|Thursday/)
    const form = {
      ...week,
      ...thanksgiving,
      ...saturday,
      replaces: fieldOn(first.text, 'replaces'),
      note: 'Open house',
    }

    const preview = await manager.post('/hours', { ...form, do: 'preview' })
    match(preview.text, /New holiday: Thanksgiving \(November 26, 2026 to November 27, 2026\)\./)
    match(preview.text, /Saturday: 10 AM to 12 PM and 1 PM to 3 PM instead of closed\./)
    match(preview.text, /A student who writes on Friday at 6:00 PM is to be called on Saturday by 10:05 AM\./)
    match(preview.text, /name="holiday-0-name" value="Thanksgiving"/)
    equal(await newest(service), undefined)

    const saved = await manager.post('/hours', form)
    match(saved.text, /The new hours are in force/)
    match(saved.text, /Edited here, last by Dana Kim/)
    match(saved.text, /<blockquote>Open house<\/blockquote>/)
    await service.postStudent(aStudent({ state: 'NY' }))
    await service.settle()
    const steps = await sql(service.database, `select due_at from tasks where kind = 'step'`)
    const due = steps.map(step => new Date(Number(step['due_at'])).toISOString())
    ok(due.includes('2026-11-28T15:05:00.000Z'), `the counselor is reminded on Saturday: ${due}`)
    const [entry] = await service.app.store.listAudit({ limit: 1 })
    equal(entry?.action, 'edited the school hours')
    match(entry?.detail ?? '', /New holiday: Thanksgiving/)

    const undo = { version: fieldOn(saved.text, 'version'), replaces: String((await newest(service))?.id) }
    const back = await manager.post('/hours/back', undo)
    match(back.text, /That version is in force again/)
    match(back.text, /No longer a holiday: Thanksgiving/)
    equal((await manager.post('/hours/back', undo)).status, 409)
    const admin = await service.client('admin')
    match((await admin.get('/audit')).text, /went back to an earlier version of <a href="\/hours">the school hours/)
  })
})

type Service = Awaited<ReturnType<typeof startConsole>>
const newest = async ({ app }: Service) => (await app.store.listEditedSettings('hours', { limit: 1 }))[0]

test('impossible hours are rejected at their field, and change nothing', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager')
  const refused = async (fields: Record<string, string>, words: RegExp) => {
    const { status, text } = await manager.post('/hours', { ...week, replaces: '0', ...fields })
    equal(status, 422)
    match(text, words)
    match(text, /There is a problem/)
  }
  await refused(
    { 'monday-0-to': '' },
    /<legend>Monday<\/legend>\s*<p class="problem"[^>]*>Give an opening and a closing/,
  )
  await refused({ 'friday-1-from': '16:00', 'friday-1-to': '18:00' }, /<legend>Friday<\/legend>\s*<p class="problem"/)
  await refused({ 'holiday-0-name': 'Spring break' }, /<li id="holiday-0"><p class="problem">Choose a date\./)
  await refused(
    { 'holiday-0-date': '2026-12-24', 'holiday-0-until': '2026-12-20' },
    /<p class="problem">The last day must be 2026-12-24 or later/,
  )
  const never = Object.fromEntries(Object.keys(week).map(name => [name, '']))
  await refused(never, /The school must open at least once a year/)
  equal(await newest(service), undefined)
})

test('the buttons add and remove rows without saving, and a late edit keeps what was typed', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const [one, other] = [await service.client('manager', { name: 'Dana Kim' }), await service.client('admin')]
  const more = await one.post('/hours', { ...week, ...thanksgiving, do: 'add:monday', replaces: '0' })
  match(more.text, /name="monday-1-from" value=""/)
  const fewer = await one.post('/hours', { ...week, ...thanksgiving, do: 'remove:0', replaces: '0' })
  ok(!fewer.text.includes('value="Thanksgiving"'))
  equal((await one.post('/hours', { ...week, ...thanksgiving, replaces: '0' })).status, 200)
  const late = await other.post('/hours', { ...week, ...saturday, replaces: '0' })
  equal(late.status, 409)
  match(late.text, /Dana Kim changed the school hours while you were editing/)
  match(late.text, /name="saturday-0-from" value="10:00"/)
  const again = await other.post('/hours', { ...week, ...saturday, replaces: fieldOn(late.text, 'replaces') })
  match(again.text, /The new hours are in force/)
  const twice = await other.post('/hours', { ...week, ...saturday, replaces: fieldOn(late.text, 'replaces') })
  match(twice.text, /These hours and holidays are already in force/)
  const every = { 'holiday-0-date': '2027-12-24', 'holiday-0-until': '2027-01-02', 'holiday-0-yearly': 'on' }
  await other.post('/hours', { ...week, ...every, replaces: fieldOn(again.text, 'replaces') })
  deepEqual((await newest(service))?.value, {
    hours: {
      ...Object.fromEntries(['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map(day => [day, '09:00-17:00'])),
      saturday: 'closed',
      sunday: 'closed',
    },
    holidays: [{ date: '12-24', until: '01-02' }],
  })
})

test('nothing is saved when the audit log cannot be written', async t => {
  const service = await startConsole(t, { settings: aSchool, edits: true })
  const manager = await service.client('manager')
  await sql(service.database, 'alter table audit_log rename to lost_log')
  equal((await manager.post('/hours', { ...week, ...saturday, replaces: '0' })).status, 500)
  equal(await newest(service), undefined)
})
