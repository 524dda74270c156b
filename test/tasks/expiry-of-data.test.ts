/** What bounds the tables and files that grow, and which clock may decide that something is too old. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import pino from 'pino'
import { checkSettings } from '../../src/config/settings.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import type { TaskKind } from '../../src/store/tables/task-kinds.ts'
import { deleteWhatIsOld } from '../../src/tasks/expiry-of-data.ts'
import { startApp, type TestApp, type TestOptions, withoutFollowUp } from '../support/app.ts'
import { aSite } from '../support/bodies.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { asked } from '../support/store.ts'

const open = new AbortController().signal

/** A service whose worker files and sends when it is told to, and what it deletes in one round. */
async function aService(t: TestContext, engine: Engine, options: TestOptions = {}) {
  const service = await startApp(t, { engine, settings: withoutFollowUp, ...options })
  const { app, clock, database, dataDir } = service
  const { settings } = checkSettings(options.settings ?? withoutFollowUp)
  const config = { settings, dataDir, database }
  const log = pino({ level: 'silent' })
  const sweep = ({ daily = true } = {}) =>
    deleteWhatIsOld({ store: app.store, clock, config, settings, log }, open, { daily })
  return { ...service, store: app.store, sweep }
}

/** The clock goes on for so many days, with a look at what is old on each. */
async function live({ clock, sweep }: Pick<TestApp, 'clock'> & { sweep: () => Promise<void> }, days: number) {
  for (let day = 0; day < days; day++) {
    clock.advance(DAY)
    await sweep()
  }
}

const kindsIn = async ({ database }: TestApp): Promise<TaskKind[]> =>
  (await sql(database, 'select distinct kind from tasks order by kind')).map(row => String(row['kind']) as TaskKind)

const suspicious = (startedAt: number) =>
  aSite({ startedAt, message: 'https://a.example https://b.example https://c.example https://d.example' })

const YEAR = 400 * DAY

onEachEngine(engine => {
  describe('finished tasks', () => {
    test('of filing are deleted after 30 days; those about a lead stay with it, and go a year after it', async t => {
      const service = await aService(t, engine)
      await service.postSite(aSite({ email: 'ana@mercy.example' }))
      await service.settle()
      await service.sweep()
      await live(service, 30)
      deepEqual(await kindsIn(service), ['file', 'notify'])
      await live(service, 1)
      deepEqual(await kindsIn(service), ['notify'])

      const now = service.clock.now()
      await service.store.erasePerson('ana@mercy.example', { ...asked, addressHash: undefined, now })
      await service.sweep()
      deepEqual(await kindsIn(service), ['notify'], 'by which an email in a file is known to be about them')
      await live(service, 400)
      deepEqual(await kindsIn(service), [])
    })

    test('stay while they wait or failed, whatever they are about', async t => {
      const service = await aService(t, engine)
      const now = service.clock.now()
      for (const [subject, state] of (['due', 'dead', 'done', 'skipped'] as const).entries())
        await sql(
          service.database,
          `insert into tasks (lane, kind, subject, due_at, state, attempts, created_at, finished_at)
            values ('mail', 'digest', ${subject + 900}, ${now + 10 * YEAR}, '${state}', 1, ${now - YEAR}, ${now - YEAR - 1})`,
        )
      await service.sweep()
      const left = await sql(service.database, `select state from tasks order by id`)
      deepEqual(
        left.map(({ state }) => state),
        ['due', 'dead'],
      )
    })

    test('are read a portion at a time', async t => {
      const { store, clock, postSite, settle, ...service } = await aService(t, engine)
      for (const name of ['one', 'two', 'three']) {
        await postSite(aSite({ email: `${name}@mercy.example` }))
        await settle()
      }
      const before = clock.now() + 1
      let [portions, after]: [number, number | undefined] = [0, 0]
      while (after !== undefined) {
        after = await store.expireTasks({ after, filedBefore: before, before, limit: 2 })
        portions++
      }
      equal(portions, 4)
      deepEqual(
        (await sql(service.database, 'select kind from tasks')).map(({ kind }) => kind),
        ['notify', 'notify', 'notify'],
      )
    })
  })

  test('links that ended a month ago are deleted, and no others', async t => {
    const service = await aService(t, engine)
    const { store, clock } = service
    const invite = (email: string) =>
      store.inviteOperator(
        { name: 'Ana', email, role: 'manager', now: clock.now() },
        { nonce: email, now: clock.now(), mail: false },
      )
    const left = async () => (await sql(service.database, 'select nonce from operator_links')).map(({ nonce }) => nonce)
    await invite('one@school.example')
    await service.sweep()
    await live(service, 30)
    await invite('two@school.example')
    await live(service, 7)
    deepEqual(await left(), ['one@school.example', 'two@school.example'])
    await live(service, 1)
    deepEqual(await left(), ['two@school.example'])
  })

  describe('a clock that is suddenly far ahead', () => {
    const settings = { ...withoutFollowUp, quarantine: { days: 30 } }

    async function withOneInQuarantine(t: TestContext) {
      const service = await aService(t, engine, { settings })
      const { store, clock } = service
      await service.postSite(suspicious(clock.now()))
      await service.settle()
      const held = async () => (await store.listQuarantine({ state: 'held', limit: 9 })).length
      equal(await held(), 1)
      const expire = () => store.expireQuarantine(clock.now(), { days: 30, capacity: 9 })
      return { ...service, held, expire }
    }

    test('dismisses nothing from quarantine before it is set right', async t => {
      const { clock, settle, expire, held, postSite } = await withOneInQuarantine(t)
      clock.advance(YEAR)
      await settle()
      await postSite(suspicious(clock.now()))
      await settle()
      for (let hour = 0; hour < 20; hour++) {
        await expire()
        clock.advance(HOUR)
      }
      clock.advance(-YEAR)
      await expire()
      equal(await held(), 2)
      clock.advance(YEAR)
      await expire()
      equal(await held(), 2, 'a second jump is one more, not the end of the first')
    })

    test('is believed once it has gone on for a day', async t => {
      const { clock, expire, held } = await withOneInQuarantine(t)
      clock.advance(YEAR)
      await expire()
      clock.advance(DAY - MINUTE)
      await expire()
      equal(await held(), 1)
      clock.advance(MINUTE)
      await expire()
      equal(await held(), 0)
    })

    test('deletes nothing for its age, in any table, and not after a restart either', async t => {
      const { clock, sweep, store, close, dataDir, database } = await aService(t, engine)
      await sweep()
      await store.recordAudit({ at: clock.now(), operatorId: null, actor: 'Ana', action: 'looked' })
      clock.advance(2 * YEAR)
      await sweep()
      await close()
      const again = await aService(t, engine, { clock, dataDir, database })
      await again.sweep()
      const left = async () => (await sql(database, `select id from audit_log where action = 'looked'`)).length
      equal(await left(), 1)
      clock.advance(DAY)
      await again.sweep()
      equal(await left(), 0)
    })
  })
})

describe('files in the data folder', () => {
  test('are deleted after 30 days if they are captured emails, or databases that were moved aside', async t => {
    const service = await aService(t, 'sqlite')
    if (service.database.engine !== 'sqlite') throw new Error('this test is about SQLite')
    const folder = dirname(service.database.file)
    const mail = join(service.dataDir, 'mail')
    mkdirSync(mail, { recursive: true })
    const at = (days: number) => new Date(service.clock.now() - days * DAY).toISOString().replace(/[-:]|\.\d+/g, '')
    const [old, young] = [31, 29].map(at)
    const name = service.database.file.slice(folder.length + 1)
    for (const file of [
      `${name}.replaced-${old}`,
      `${name}.replaced-${old}-wal`,
      `${name}.replaced-${young}`,
      `other.replaced-${old}`,
    ])
      writeFileSync(join(folder, file), '')
    for (const file of [
      `${old}-notify.1.eml`,
      `.${old}-notify.1.eml.5f`,
      `${young}-notify.2.eml`,
      '.gitkeep',
      '1-notes.txt',
    ])
      writeFileSync(join(mail, file), '')
    await service.sweep({ daily: false })
    equal(readdirSync(mail).length, 5, 'once a day')
    await service.sweep()
    deepEqual(readdirSync(mail).sort(), ['.gitkeep', '1-notes.txt', `${young}-notify.2.eml`])
    deepEqual(
      readdirSync(folder)
        .filter(file => file.includes('.replaced-'))
        .sort(),
      [`${name}.replaced-${young}`, `other.replaced-${old}`],
    )
  })

  test('are deleted after a day if they are copies that a killed restore has left', async t => {
    const service = await aService(t, 'sqlite')
    if (service.database.engine !== 'sqlite') throw new Error('this test is about SQLite')
    const { file } = service.database
    const yesterday = new Date(service.clock.now() - DAY - HOUR)
    for (const end of ['restored', 'restored.unfinished', 'restored.unfinished-journal', 'kept']) {
      writeFileSync(`${file}.${end}`, '')
      utimesSync(`${file}.${end}`, yesterday, yesterday)
    }
    writeFileSync(`${file}.unfinished`, '')
    utimesSync(`${file}.unfinished`, yesterday, new Date(service.clock.now() - HOUR))
    await service.sweep()
    const left = readdirSync(dirname(file)).filter(name => name.startsWith(`${basename(file)}.`))
    deepEqual(left.sort(), [`${basename(file)}.kept`, `${basename(file)}.unfinished`])
  })

  test('keep nothing of someone who was erased beside a reader, an hour after it has ended', async t => {
    const service = await aService(t, 'sqlite')
    const { database, store, clock } = service
    if (database.engine !== 'sqlite') throw new Error('this test is about SQLite')
    await service.postSite(aSite({ email: 'canary@mercy.example' }))
    await service.settle()
    const reader = new DatabaseSync(database.file, { readOnly: true })
    reader.exec('begin')
    reader.prepare('select count(*) from submissions').get()
    const { overwritten } = await store.erasePerson('canary@mercy.example', {
      ...asked,
      addressHash: undefined,
      now: clock.now(),
    })
    equal(overwritten, false)
    const traces = () =>
      ['', '-wal'].filter(log => readFileSync(`${database.file}${log}`, 'latin1').includes('canary@mercy.example'))
    ok(traces().length > 0)
    await service.sweep({ daily: false })
    ok(traces().length > 0, 'the reader keeps it')
    reader.close()
    await service.sweep({ daily: false })
    deepEqual(traces(), [])
  })
})
