/** Managers at the consoles of two replicas: each sees what the other did, and overwrites none of it. */
import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { aStudent } from '../support/bodies.ts'
import { type ConsoleClient, fieldOn, signIn } from '../support/console.ts'
import type { Service } from '../support/process.ts'
import { eventually } from './faults.ts'
import { aSchool, type School } from './managers.ts'

const kim = { name: 'Kim Lee', email: 'kim@school.example', states: 'OK', weight: '1', backup: '' }
const reed = { name: 'Tom Reed', email: 'tom@school.example' }

/** Submits an inquiry, and returns its lead once it is filed. */
async function submit({ run }: School, { origin }: Service, over: Record<string, unknown>): Promise<number> {
  const body = aStudent(over)
  const response = await fetch(`${origin.learn}/api/admissions/interest`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  equal(response.status, 200)
  const find = async () => (await run(`select id from leads where email = '${body.email}'`))[0]?.['id']
  await eventually(async () => (await find()) !== undefined, 'the inquiry was not filed')
  return Number(await find())
}

const settingsSay = (client: ConsoleClient, words: RegExp) =>
  eventually(async () => words.test((await client.get('/settings')).text), `${words} is not in force`)

test('what a manager does at one of two replicas is in force in the other, and of two edits the second is not saved', async t => {
  const school = await aSchool(t, 'postgres')
  // All leads are filed by the other replica.
  const one = await school.start('serve', '--http-only')
  const other = await school.start()
  const ana = await school.manager(one)
  const place = { store: school.store, clock: Date, origin: other.origin.console }
  const lee = await signIn(place, 'manager', { name: 'Lee Chan' })

  const version = fieldOn((await lee.get('/team/add')).text, 'version')
  equal((await ana.post('/team/add', { version, ...kim })).path, '/team')
  await settingsSay(lee, /Kim Lee/)
  const assigned = await submit(school, one, { state: 'OK' })
  const [lead] = await school.run(`select owner from leads where id = ${assigned}`)
  equal(lead?.['owner'], 'kim-lee')

  const late = await lee.post('/team/manager', { version, ...reed })
  equal(late.status, 409)
  match(late.text, /Not saved: Ana Ruiz was faster.*they saved: added Kim Lee/)
  const again = { version: fieldOn(late.text, 'version'), ...reed }
  equal((await lee.post('/team/manager', again)).path, '/team')
  const team = await ana.get('/team')
  match(team.text, /Kim Lee/)
  match(team.text, /Tom Reed/)

  const step = { name: 'call-soon', count: '2', unit: 'hours', clock: 'school', to: 'counselor' }
  const draft = { ...step, message: 'notifications/reminder.md', kind: 'student', replaces: '0' }
  equal((await ana.post('/cadence', { ...draft, people: '20' })).path, '/cadence?kind=student')
  await settingsSay(lee, /After 2 hours of school hours/)
  const followed = await submit(school, one, {})
  const [cadence] = await school.run(
    `select steps from cadences c join leads l on l.cadence_id = c.id where l.id = ${followed}`,
  )
  match(String(cadence?.['steps']), /call-soon/)
  const slower = await lee.post('/cadence', { ...draft, name: 'call-late', people: '20' })
  equal(slower.status, 409)
  match(slower.text, /Ana Ruiz changed the cadence while you were editing/)
  equal(await school.count(`select count(*) as n from edited_settings where part = 'cadence'`), 1)

  const events = await lee.fetch('/live')
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
  const moved = { lead: String(followed), from: 'new', to: 'qualified' }
  match((await ana.post('/board/move', moved)).text, /is now qualified/)
  for (let heard = ''; !heard.includes('event: leads'); ) {
    const { value = '', done } = (await reader?.read()) ?? { done: true }
    equal(done, false, 'the page hears of it')
    heard += value
  }
  await reader?.cancel()
  const column = (await lee.get('/board')).text.split('data-drop="qualified"')[1] ?? ''
  match(column.split('data-drop=')[0] ?? '', new RegExp(`data-lead="${followed}"`))
  const twice = await lee.post('/board/move', { ...moved, to: 'applied' })
  match(twice.text, /Nothing changed: .* is in Qualified by now\. Ana Ruiz moved it there\./)
})
