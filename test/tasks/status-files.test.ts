/** Status lists from a folder: each file becomes one list, whenever a process dies. */
import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { checkSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import type { StatusPlan } from '../../src/leads/import/status-list.ts'
import { DAY, MINUTE } from '../../src/platform/time.ts'
import type { StatusFileServices } from '../../src/tasks/status-files.ts'
import { takeStatusFiles } from '../../src/tasks/status-folder.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { aSchool, ben, startSchool } from './school.ts'

const HEADERS = 'Email,Status\n'
const plan: StatusPlan = { columns: ['email', 'stage'], meanings: { enr: 'enrolled', prospect: '' } }

async function aFolder(t: TestContext, engine: Engine, { sample = true } = {}) {
  const school = await startSchool(t, { engine, settings: aSchool })
  const { store } = school.app
  const { clock, dataDir } = school
  for (const name of ['ana', 'bea']) {
    await school.postStudent({ ...ben(), email: `${name}@mail.example` })
    await school.settle()
  }
  const byHand = async (rows: string) => {
    const now = clock.now()
    const file = { bytes: Buffer.from(HEADERS + rows), fileName: 'sample.csv', by: 'jo', now }
    const id = await storeList(store, { ...file, purpose: 'status' })
    await store.checkImport(id, { plan, now })
    await school.settle()
    await store.startImport(id, { now })
    await school.settle()
    return id
  }
  if (sample) await byHand('no-one@mail.example,ENR')
  const folder = join(dataDir, 'status')
  mkdirSync(folder)
  const put = (name: string, text: string, { age = 5 * MINUTE } = {}) => {
    writeFileSync(join(folder, name), text)
    const seconds = (clock.now() - age) / 1000
    utimesSync(join(folder, name), seconds, seconds)
  }
  const deps: StatusFileServices = {
    store,
    clock,
    calendar: createCalendar(checkSettings(aSchool).settings),
    changed: () => {},
    config: { statusDir: folder },
    log: pino({ level: 'silent' }),
  }
  const look = async (over: Partial<StatusFileServices> = {}) => {
    await takeStatusFiles({ ...deps, ...over })
    await school.settle()
  }
  const stages = async () => [(await store.findLead(1))?.stage, (await store.findLead(2))?.stage]
  const files = (place = '') =>
    readdirSync(join(folder, place))
      .filter(name => name.endsWith('.csv'))
      .map(name => name.replace(/^\d{4}-\d\d-\d\d-\w{8}-/, ''))
  const lists = async () =>
    (await store.readImportsPage(9)).lists.map(one => [one.fileName, one.state, one.counts.moved])
  const alarm = async () => (await store.listAlarms())[0]?.text
  return { ...school, store, folder, put, look, stages, files, lists, alarm, byHand, deps }
}

onEachEngine(engine => {
  test('a file is imported as someone has imported one by hand before, and moved to done', async t => {
    const { put, look, stages, files, lists, alarm, store } = await aFolder(t, engine)
    put('night.csv', `${HEADERS}ana@mail.example,Enr\nbea@mail.example,Prospect\n`)
    await look()
    deepEqual(await stages(), ['enrolled', 'new'])
    deepEqual([files(), files('done')], [[], ['night.csv']])
    deepEqual((await lists())[0], ['night.csv', 'done', 1])
    equal(await alarm(), undefined)
    const [entry] = await store.listAudit({ limit: 1 })
    deepEqual([entry?.action, entry?.detail], ['imported a status list', 'list 2: 1 moved'])
  })

  test('a file with the longest name that a folder allows is moved, with the beginning of its name', async t => {
    const { put, look, stages, files } = await aFolder(t, engine)
    for (const [place, content] of [
      ['done', `${HEADERS}ana@mail.example,Enr\n`],
      ['failed', ''],
    ] as const)
      for (const letter of ['a', 'é']) {
        const name = `${letter.repeat(Math.floor(251 / Buffer.byteLength(letter)))}.csv`
        put(name, content)
        await look()
        deepEqual(files(), [])
        const [moved = ''] = files(place).filter(one => one.startsWith(letter))
        equal(name.startsWith(moved.slice(0, -'.csv'.length)) && moved.length > 100, true)
      }
    deepEqual(await stages(), ['enrolled', 'new'])
  })

  test('a file is left until it is quiet and has its own name, and links are never followed', async t => {
    const { put, look, files, folder, stages } = await aFolder(t, engine)
    const text = `${HEADERS}ana@mail.example,Enr\n`
    put('young.csv', text, { age: MINUTE })
    put('.hidden.csv', text)
    put('still.csv.part', text)
    put('target.txt.bak', text)
    symlinkSync(join(folder, 'target.txt.bak'), join(folder, 'link.csv'))
    await look()
    deepEqual(await stages(), ['new', 'new'])
    deepEqual(files().toSorted(), ['.hidden.csv', 'link.csv', 'young.csv'])
  })

  test('a file that is read again before it was put aside moves no one twice', async t => {
    const { put, look, files, folder, lists, store, stages, clock } = await aFolder(t, engine)
    put('night.csv', `${HEADERS}ana@mail.example,Enr\n`)
    await look()
    // As if the process had died before it moved the file.
    const [moved = ''] = readdirSync(join(folder, 'done'))
    renameSync(join(folder, 'done', moved), join(folder, 'night.csv'))
    await store.changeStage(1, { stage: 'contacted', closedReason: null, actor: 'maria', now: clock.now() })
    await look()
    deepEqual(await stages(), ['contacted', 'new'])
    deepEqual([files(), files('done')], [[], ['night.csv']])
    equal((await lists()).length, 2)
  })

  test('a list that a process has half stored is stored again, once that process must be dead', async t => {
    const { put, look, stages, lists, store, clock } = await aFolder(t, engine)
    put('night.csv', `${HEADERS}ana@mail.example,Enr\nbea@mail.example,Enr\n`)
    const dies = new Proxy(store, {
      get: (target, name, receiver) =>
        name === 'endUpload' || name === 'discardImport'
          ? () => Promise.reject(new Error('killed'))
          : Reflect.get(target, name, receiver),
    })
    await look({ store: dies })
    deepEqual(await stages(), ['new', 'new'])
    await look()
    deepEqual(await stages(), ['new', 'new'], 'another process may still be storing it')
    clock.advance(31 * MINUTE)
    await look()
    deepEqual(await stages(), ['enrolled', 'enrolled'])
    deepEqual(
      (await lists()).filter(([name]) => name === 'night.csv'),
      [['night.csv', 'done', 2]],
    )
  })

  test('a list that was stored and not checked yet is checked at the next look', async t => {
    const { put, look, stages, files, store } = await aFolder(t, engine)
    put('night.csv', `${HEADERS}ana@mail.example,Enr\n`)
    const dies = new Proxy(store, {
      get: (target, name, receiver) =>
        name === 'checkImport' ? () => Promise.reject(new Error('killed')) : Reflect.get(target, name, receiver),
    })
    await look({ store: dies })
    deepEqual([await stages(), files()], [['new', 'new'], ['night.csv']])
    await look()
    deepEqual([await stages(), files()], [['enrolled', 'new'], []])
  })

  test('two processes that look at the same moment make one list of a file', async t => {
    const { put, deps, lists, stages, settle } = await aFolder(t, engine)
    put('night.csv', `${HEADERS}ana@mail.example,Enr\n`)
    await Promise.all([takeStatusFiles(deps), takeStatusFiles(deps)])
    await settle()
    await takeStatusFiles(deps)
    deepEqual(await stages(), ['enrolled', 'new'])
    deepEqual(
      (await lists()).filter(([name]) => name === 'night.csv'),
      [['night.csv', 'done', 1]],
    )
  })

  test('columns that no one has chosen, and files that are not CSV, go to failed, and admins are told once', async t => {
    const { put, look, files, alarm, stages, store, sent } = await aFolder(t, engine, { sample: false })
    put('night.csv', `${HEADERS}ana@mail.example,Enr\n`)
    put('empty.csv', '')
    await look()
    deepEqual(await stages(), ['new', 'new'])
    deepEqual(files('failed').toSorted(), ['empty.csv', 'night.csv'])
    match((await alarm()) ?? '', /^(?:night|empty)\.csv: .*The file is in the folder “failed”\.$/)
    equal((await store.listAlarms()).length, 1)
    equal(sent.filter(({ subject }) => /status list/i.test(subject)).length <= 1, true)
    deepEqual((await store.readImportsPage(9)).lists, [])
  })

  test('a folder that cannot be read is told to the admins', async t => {
    const { folder, look, put, alarm, stages } = await aFolder(t, engine)
    rmdirSync(folder)
    writeFileSync(folder, 'not a folder')
    await rejects(look(), /ENOTDIR/)
    match((await alarm()) ?? '', /^\/.*status: The service cannot read this folder \(ENOTDIR\)\. It tries again/)
    rmSync(folder)
    mkdirSync(folder)
    put('night.csv', `${HEADERS}ana@mail.example,Enr\n`)
    await look()
    deepEqual([await alarm(), await stages()], [undefined, ['enrolled', 'new']])
  })

  test('words that no one knows are told to the admins, and the other rows are imported', async t => {
    const { put, look, stages, alarm } = await aFolder(t, engine)
    put('night.csv', `${HEADERS}ana@mail.example,Enr\nbea@mail.example,Matriculated\n`)
    await look()
    deepEqual(await stages(), ['enrolled', 'new'])
    match((await alarm()) ?? '', /Upload the file by hand/)
    put('next.csv', `${HEADERS}ana@mail.example,Enr\n`)
    await look()
    equal(await alarm(), undefined, 'it is over')
  })

  test('after a list was undone, the folder waits until someone has imported one by hand again', async t => {
    const { put, look, stages, store, clock, settle, alarm, byHand } = await aFolder(t, engine)
    put('night.csv', `${HEADERS}ana@mail.example,Enr\n`)
    await look()
    equal(await store.undoImport(2, { now: clock.now() }), 'done')
    await settle()
    put('next.csv', `${HEADERS}ana@mail.example,Enr\n`)
    await look()
    deepEqual(await stages(), ['new', 'new'])
    match((await alarm()) ?? '', /was undone/)
    await byHand('no-one@mail.example,ENR')
    put('third.csv', `${HEADERS}ana@mail.example,Enr\n`)
    await look()
    deepEqual(await stages(), ['enrolled', 'new'])
  })

  test('files that were moved a week ago are deleted, and others stay', async t => {
    const { put, look, files, folder, clock } = await aFolder(t, engine)
    put('night.csv', `${HEADERS}ana@mail.example,Enr\n`)
    await look()
    writeFileSync(join(folder, 'done', 'notes.csv'), '')
    clock.advance(6 * DAY)
    await look()
    equal(files('done').length, 2)
    clock.advance(DAY)
    await look()
    deepEqual(files('done'), ['notes.csv'])
  })
})
