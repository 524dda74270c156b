/** Undoing a hand-over puts everything back as it was: reminders, and a person who was removed from the team. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import type { ImportPlan } from '../../src/leads/import/inquiry-of-row.ts'
import { MINUTE } from '../../src/platform/time.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, fieldOn, startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { aSchool, MONDAY } from '../tasks/school.ts'

const start = (t: Parameters<typeof startConsole>[0], engine?: 'sqlite' | 'postgres') =>
  startConsole(t, { settings: aSchool, edits: true, clock: testClock(MONDAY), ...(engine && { engine }) })

async function handOver(client: ConsoleClient, fields: [string, string][]) {
  const path = '/team/people/maria/hand-over'
  const { text } = await client.get(path)
  return client.post(path, new URLSearchParams([['version', fieldOn(text, 'version')], ...fields]))
}

const TO_SAM: [string, string][] = [
  ['to', 'one'],
  ['person', 'sam'],
]

/** Leads of Maria: one wrote in, and one was imported with the agreement to emails. */
async function importAndWriteIn({ app, clock, postStudent, settle }: TestConsole) {
  await postStudent(aStudent({ email: 'ana@mail.example' }))
  await settle()
  const { store } = app
  const csv = 'Name,Email,Phone\nBen Okafor,ben@mail.example,512 555 0199\n'
  const now = clock.now()
  const file = { bytes: Buffer.from(csv), fileName: 'fair.csv', by: 'Jo Manager' }
  const id = await storeList(store, { ...file, now })
  const plan: ImportPlan = {
    kind: 'student',
    columns: ['fullName', 'email', 'phone'],
    source: 'Fair Austin',
    language: 'en',
    mayWrite: true,
    owner: 'maria',
  }
  await store.checkImport(id, { plan, now })
  await settle()
  await store.startImport(id, { now })
  await settle()
}

const stepsOf = ({ database }: TestConsole) =>
  sql(
    database,
    `select subject, step, lane, state, due_at, created_at, finished_at from tasks
     where kind = 'step' and lane = 'follow-up' order by subject, step`,
  )

onEachEngine(engine => {
  test('undoing a hand-over puts the reminders back, and begins none about people who had none', async t => {
    const service = await start(t, engine)
    const { clock, settle, sent } = service
    await importAndWriteIn(service)
    clock.advance(6 * MINUTE)
    await settle()
    const before = await stepsOf(service)
    deepEqual(
      before.filter(({ lane, subject }) => lane === 'follow-up' && subject === 1).map(({ state }) => state),
      ['done', 'due', 'due'],
    )
    const manager = await service.client('manager')
    await handOver(manager, TO_SAM)
    await settle()
    const ofImported = (rows: Record<string, unknown>[]) => rows.filter(one => one['subject'] !== 1)
    const after = await stepsOf(service)
    deepEqual(ofImported(after), ofImported(before))
    deepEqual(after.filter(({ subject, created_at }) => subject === 1 && created_at === clock.now()).length, 1)
    sent.length = 0
    clock.advance(MINUTE)
    await manager.post('/team/hand-overs/1/undo')
    await settle()
    deepEqual(await stepsOf(service), before)
  })

  test('reminders about a person who wrote again since begin again when a hand-over is undone', async t => {
    const service = await start(t, engine)
    const { clock, settle, postStudent } = service
    await importAndWriteIn(service)
    const manager = await service.client('manager')
    await handOver(manager, TO_SAM)
    clock.advance(MINUTE)
    await postStudent(aStudent({ email: 'ana@mail.example', message: 'Are you there?' }))
    await settle()
    clock.advance(MINUTE)
    await manager.post('/team/hand-overs/1/undo')
    const [reminder] = await stepsOf(service)
    equal(reminder?.['created_at'], clock.now())
  })
})

test('undoing puts the person who was removed back on the team, and keeps what was edited since', async t => {
  const service = await start(t)
  await importAndWriteIn(service)
  const manager = await service.client('manager')
  await handOver(manager, [...TO_SAM, ['remove', 'on']])
  const { text } = await manager.get('/team/add')
  await manager.post('/team/add', {
    version: fieldOn(text, 'version'),
    name: 'Kim Lee',
    email: 'kim@school.example',
    weight: '1',
  })
  const page = (await manager.get('/team/hand-overs/1')).text
  match(page, /Undo all of it, and put Maria Example back on the team/)
  const version = fieldOn(page, 'version')
  const stale = await manager.post('/team/hand-overs/1/undo', { version: '0' })
  match(stale.text, /Nothing was changed: .* was faster and saved: added Kim Lee/)
  const undone = await manager.post('/team/hand-overs/1/undo', { version })
  match(undone.text, /The leads are back/)
  const [newest] = await service.app.store.listEditedSettings('team', { limit: 1 })
  deepEqual(newest?.note, 'put Maria Example back')
  const team = newest?.value as { counselors: Record<string, unknown>[] }
  deepEqual(
    team.counselors.map(({ id, backup, states }) => [id, backup, states]),
    [
      ['maria', 'sam', ['TX']],
      ['sam', undefined, undefined],
      ['kim-lee', undefined, undefined],
    ],
  )
  const owners = await sql(service.database, 'select distinct owner from leads')
  deepEqual(
    owners.map(({ owner }) => owner),
    ['maria'],
  )
  equal((await manager.post('/team/hand-overs/1/undo')).status, 409)
})
