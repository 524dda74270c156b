/** Nightly exports: the leads of a saved view as a file, every night. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { nextAt } from '../../src/tasks/nightly-exports.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { signInAgain, startConsole } from '../support/console.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { readable } from '../support/forms.ts'
import { at } from '../tasks/school.ts'

/** It is 11:30 at the school. */
const MORNING = at('11-23 16:30')

async function aDesk(t: TestContext, engine: Engine, env: Record<string, string> = {}) {
  const service = await startConsole(t, { engine, env, clock: testClock(MORNING) })
  const { store } = service.app
  await service.postStudent(aStudent({ firstName: 'Ana', lastName: '=Ruiz' }))
  await service.postSite(aSite({}, MORNING))
  await service.settle()
  const admin = await service.client('admin')
  const views = { all: '', students: 'kind=student&stage=any', search: 'q=Ana', mine: 'who=me' }
  for (const [name, filter] of Object.entries(views))
    await store.saveView(admin.operator, { name, filter, shared: false, now: MORNING })
  const saved = await store.listViews(admin.operator)
  const idOf = (name: keyof typeof views) => String(saved.find(one => one.name === name)?.id)
  const add = (more: Record<string, string> = {}) =>
    admin.post('/export/nightly', { view: idOf('students'), name: 'students', hour: '2', keepDays: '3', ...more })
  const folder = join(service.dataDir, 'exports')
  const until = async (moment: number) => {
    service.clock.advance(moment - service.clock.now())
    await service.settle()
    await signInAgain({ store, clock: service.clock }, admin)
  }
  const page = async () => readable((await admin.get('/export/nightly')).text)
  return { ...service, admin, add, idOf, folder, until, page, store }
}

const NIGHT = at('11-24 07:00')

onEachEngine(engine => {
  test('the leads of a saved view are written every night, at the hour of the school, into one whole file', async t => {
    const { add, folder, until, page, admin } = await aDesk(t, engine)
    match((await add()).text, /will be written every night/)
    await until(NIGHT - 1)
    match(await page(), /students .*nothing was written yet/)
    await until(NIGHT)
    deepEqual(readdirSync(folder), ['students-2026-11-24.csv'])
    const text = readFileSync(join(folder, 'students-2026-11-24.csv'), 'utf8')
    equal(text.trim().split('\n').length, 2)
    match(text, /Ana,'=Ruiz/)
    equal(statSync(join(folder, 'students-2026-11-24.csv')).mode & 0o007, 0, 'others can read it')
    match(await page(), /students-2026-11-24\.csv , 1 lead/)
    match(readable((await admin.get('/delivery')).text), /Nightly exports students students-2026-11-24\.csv , 1 lead/)
    await until(NIGHT + DAY)
    deepEqual(readdirSync(folder).length, 2)
    match(readable((await admin.get('/audit')).text), /Frontdesk wrote a nightly export/)
  })

  test('files are deleted after the days that someone chose, and others in the folder stay', async t => {
    const { add, folder, until } = await aDesk(t, engine)
    await add()
    mkdirSync(folder)
    const others = [
      'students-2026-11-01.csv.bak',
      'students-2020.csv',
      'other-2020-01-01.csv',
      'new-students-2020-01-01.csv',
    ]
    // The last is what a process leaves if it dies while it writes.
    const old = ['students-2026-11-01.csv', '.students-2026-11-23.csv.part']
    for (const name of [...others, ...old]) writeFileSync(join(folder, name), '')
    for (let night = 0; night < 5; night++) await until(NIGHT + night * DAY)
    deepEqual(
      readdirSync(folder).toSorted(),
      [...others, ...['26', '27', '28'].map(day => `students-2026-11-${day}.csv`)].toSorted(),
    )
  })

  test('what cannot be written is tried again, shown with the reason, and told to the admins once', async t => {
    const { add, folder, until, page, admin, store } = await aDesk(t, engine)
    await add()
    writeFileSync(folder, 'a file in the place of the folder')
    await until(NIGHT)
    match(await page(), /It failed: there is a file where the folder should be\. It is tried again\./)
    deepEqual(await store.listAlarms(), [])
    for (let minute = 1; minute < 60; minute++) await until(NIGHT + minute * 60_000)
    const [alarm] = await store.listAlarms()
    match(alarm?.title ?? '', /The nightly export students fails/)
    equal((await store.listAlarms()).length, 1)
    rmSync(folder)
    await admin.post('/export/nightly/1/now')
    await until(NIGHT + HOUR)
    deepEqual(readdirSync(folder), ['students-2026-11-24.csv'])
    deepEqual(await store.listAlarms(), [])
    ok(!(await page()).includes('It failed'))
  })

  test('a file that cannot be sent stays in the folder, and is sent again', async t => {
    // No one listens there, even where the program is installed.
    const { add, folder, until, page } = await aDesk(t, engine, { EXPORT_SFTP: 'sftp://school@127.0.0.1:1/in' })
    await add()
    await until(NIGHT)
    deepEqual(readdirSync(folder), ['students-2026-11-24.csv'])
    match(await page(), /It failed: (?:it was written, but could not be sent|the program sftp)/)
  })

  test('while files cannot be sent or written, old ones are deleted anyway', async t => {
    const { add, folder, until, page } = await aDesk(t, engine, { EXPORT_SFTP: 'sftp://school@127.0.0.1:1/in' })
    await add()
    for (let night = 0; night < 5; night++) await until(NIGHT + night * DAY)
    deepEqual(
      readdirSync(folder).toSorted(),
      ['26', '27', '28'].map(day => `students-2026-11-${day}.csv`),
    )
    // Nothing can be renamed to the name of a folder.
    mkdirSync(join(folder, 'students-2026-11-29.csv'))
    await until(NIGHT + 5 * DAY)
    match(await page(), /It failed: /)
    ok(!readdirSync(folder).includes('students-2026-11-26.csv'))
  })

  test('one can be written at once, and the next night, too; a deleted one is not', async t => {
    const { add, folder, until, admin, page } = await aDesk(t, engine)
    await add()
    await admin.post('/export/nightly/1/now')
    await until(MORNING + 1000)
    deepEqual(readdirSync(folder), ['students-2026-11-23.csv'])
    await until(NIGHT)
    equal(readdirSync(folder).length, 2)
    match((await admin.post('/export/nightly/1/delete')).text, /is no longer written/)
    await until(NIGHT + 2 * DAY)
    equal(readdirSync(folder).length, 2)
    ok(!(await page()).includes('Write it now'))
    equal((await admin.post('/export/nightly/1/now')).status, 404)
  })

  test('a name that could be a path, a view that searches, and a view that does not exist are rejected', async t => {
    const { add, idOf, client } = await aDesk(t, engine)
    for (const [more, sentence] of [
      [{ name: '../students' }, /letters from a to z/],
      [{ name: '' }, /letters from a to z/],
      [{ view: idOf('search') }, /searches for words/],
      [{ view: idOf('mine') }, /shows your own leads/],
      [{ view: '99' }, /Choose a view/],
      [{ hour: '24' }, /Choose an hour/],
      [{ keepDays: '0' }, /1 to 365 days/],
    ] as const) {
      const { status, text } = await add(more)
      equal(status, 422)
      match(readable(text), sentence)
    }
    await add()
    match(readable((await add()).text), /Another nightly export has this name/)
    equal((await (await client('manager')).get('/export/nightly')).status, 403)
  })
})

test('the next night is at the same hour even when clocks change', () => {
  const hours = (from: string) => new Date(nextAt(2, Date.parse(from), 'America/Chicago')).toISOString()
  equal(hours('2026-11-24T08:00:00Z'), '2026-11-25T08:00:00.000Z')
  equal(hours('2026-11-24T07:59:59Z'), '2026-11-24T08:00:00.000Z')
  // 2:00 does not exist on this day.
  equal(hours('2026-03-08T07:00:00Z'), '2026-03-08T08:00:00.000Z')
  equal(hours('2026-03-08T08:00:00Z'), '2026-03-09T07:00:00.000Z')
})
