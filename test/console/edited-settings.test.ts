/** Settings that are edited while the service runs: every process follows, and says so. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { frontdeskIn } from '../cli/frontdesk.ts'
import { aStudent } from '../support/bodies.ts'
import { startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine, sql, urlOf } from '../support/engines.ts'
import { aSchool } from '../tasks/school.ts'

const kim = { id: 'kim', name: 'Kim Lee', email: 'kim@school.example', states: ['TX'] }
const team = { counselors: [kim] }
const cadence = {
  student: [
    { name: 'call-now', after: '2 minutes', clock: 'school', to: 'counselor', message: 'notifications/reminder.md' },
  ],
  site: [],
}

const save = async ({ app: { store } }: TestConsole, part: string, value: unknown) => {
  const by = { by: 'Dana Kim', note: '', now: store.clock.now() }
  const [last] = await store.listEditedSettings(part, { limit: 1 })
  await store.saveEditedSettings({ part, value, replaces: last?.id ?? 0, ...by })
  store.announceSettings()
}

/** Opens the page of the settings until it says so. */
async function settingsSay(service: TestConsole, words: RegExp): Promise<void> {
  const manager = await service.client('manager')
  for (let text = ''; !words.test(text); ) ({ text } = await manager.get('/settings'))
}

onEachEngine(engine => {
  test('a service that starts has in force what was edited before, and so do the commands', async t => {
    const before = await startConsole(t, { engine, settings: aSchool })
    await save(before, 'team', team)
    await save(before, 'cadence', cadence)
    await before.close()
    const { dataDir, database } = before
    const service = await startConsole(t, { settings: aSchool, dataDir, database, edits: true })
    await service.postStudent(aStudent({ state: 'TX' }))
    await service.settle()
    ok(service.sent.some(({ to }) => to.address === 'kim@school.example'))
    const [{ steps } = {}] = await sql(database, 'select steps from cadences c join leads l on l.cadence_id = c.id')
    match(String(steps), /call-now/)
    const { text } = await (await service.client('manager')).get('/settings')
    match(text, /The team is edited in the console \(last on November 21, 2026 by Dana Kim\)/)
    match(text, /Change under Team<\/a><span[^>]*>, last edited on November 21, 2026.*<dt>Counselors<.*?<dd>.*Kim Lee/s)
    match(text, /<dt>Night<.*?<dd>From 20:00 to 09:00</s)

    const file = join(dataDir, 'settings.mjs')
    writeFileSync(file, `export default ${JSON.stringify(aSchool)}`)
    const env = { FRONTDESK_CONFIG: file, DATABASE_URL: urlOf(database) }
    const frontdesk = frontdeskIn(dataDir, env)
    const listed = await frontdesk('counselors', 'list')
    match(listed.out, /Kim Lee/)
    ok(!listed.out.includes('Maria'))
    match((await frontdesk('check')).out, /note {2}The team is edited in the console .*\n.*The cadence is edited/)
    match((await frontdesk('follow-up', 'simulate', '--leads', '10')).out, /Kim Lee/)
  })
})

test('on PostgreSQL, other replicas follow an edit at once, without a restart', async t => {
  const one = await startConsole(t, { engine: 'postgres', settings: aSchool, edits: true })
  const { dataDir, database, clock } = one
  const other = await startConsole(t, { settings: aSchool, dataDir, database, clock, edits: true })
  const link = /\/act\/(\S+)"/
  await save(one, 'team', team)
  await settingsSay(other, /Kim Lee/)
  await other.postStudent(aStudent({ state: 'TX' }))
  await other.settle()
  const notification = other.sent.find(({ to }) => to.address === 'kim@school.example')
  ok(notification)
  const url = link.exec(notification.html)?.[1] ?? ''
  const page = await other.request(`${other.origin.console}/act/${url}`)
  equal(page.status, 200)
  match(page.text, /Kim Lee/)

  // Their links go on to show and do nothing once they have left.
  await save(one, 'team', null)
  await settingsSay(other, /Maria Example/)
  const left = await other.request(`${other.origin.console}/act/${url}`)
  ok(!left.text.includes('512'), 'the details are gone')
  await save(one, 'cadence', cadence)
  await settingsSay(other, /After 2 minutes of school hours/)
  await other.postStudent(aStudent({ email: 'second@mail.example' }))
  await other.settle()
  const rows = await sql(database, 'select steps from cadences c join leads l on l.cadence_id = c.id order by l.id')
  match(String(rows[1]?.['steps']), /call-now/)
})

test('a form that knows more than the replica it is sent to takes nothing back', async t => {
  const one = await startConsole(t, { engine: 'postgres', settings: aSchool, edits: true })
  const { dataDir, database, clock } = one
  const other = await startConsole(t, { settings: aSchool, dataDir, database, clock, edits: true })
  const { store } = one.app
  const manager = await other.client('manager')
  await manager.get('/team')
  // No one announces these versions.
  const by = { by: 'Dana Kim', note: 'changed it', now: clock.now() }
  const teamSaved = await store.saveEditedSettings({ part: 'team', value: team, replaces: 0, ...by })
  const cadenceSaved = await store.saveEditedSettings({ part: 'cadence', value: cadence, replaces: 0, ...by })
  ok(teamSaved !== 'before' && cadenceSaved !== 'before')

  const reed = { name: 'Tom Reed', email: 'tom@school.example' }
  const added = await manager.post('/team/manager', { version: String(teamSaved.id), ...reed })
  equal(added.path, '/team')
  const draft = { kind: 'student', replaces: String(cadenceSaved.id), people: '20', note: '' }
  const end = { name: 'no-reply', count: '9', unit: 'days', clock: 'student' }
  const saved = await manager.post('/cadence', { ...draft, ...end, to: 'close', message: '' })
  equal(saved.path, '/cadence?kind=student')
  const newestOf = async (part: string) => (await store.listEditedSettings(part, { limit: 1 }))[0]?.value
  deepEqual(await newestOf('team'), { ...team, manager: reed })
  deepEqual(((await newestOf('cadence')) as typeof cadence).site, [])
})
