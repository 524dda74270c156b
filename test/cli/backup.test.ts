import { deepEqual, equal, match } from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { DAY } from '../../src/platform/time.ts'
import { startApp, type TestApp, type TestOptions } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { countRows, newDatabase, sql, urlOf } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { frontdeskBeside, frontdeskIn, spawnedFrontdeskIn } from './frontdesk.ts'

/** A service that has accepted one student and sent the messages. */
async function aService(t: TestContext, options: TestOptions = {}): Promise<TestApp> {
  const service = await startApp(t, options)
  equal((await service.postStudent(aStudent())).status, 200)
  await service.settle()
  return service
}

/** The service with a backup of it. */
async function aBackup(t: TestContext, options: TestOptions = {}) {
  const service = await aService(t, options)
  const file = join(temporaryFolder(t), 'backup.db')
  const run = await frontdeskBeside(service)('backup', file)
  equal(run.code, 0, run.err)
  return { service, file, run }
}

const changed = (file: string, statement: string) => {
  const db = new DatabaseSync(file)
  db.exec(statement)
  db.close()
}

describe('frontdesk backup', () => {
  test('copies a running service, so that an earlier link works after restoring it elsewhere', async t => {
    const { service, file, run } = await aBackup(t)
    match(run.out, /^Copied .*frontdesk\.db to .*backup\.db and verified the copy: 1 submission and 1 lead/)
    equal(statSync(file).mode & 0o777, 0o600)
    deepEqual(readdirSync(join(file, '..')), ['backup.db'])
    equal((await service.postSite(aSite())).status, 200)
    const { pathname, search } = new URL(service.sent[1]?.unsubscribe ?? '')

    const dataDir = join(temporaryFolder(t), 'data')
    const restored = await spawnedFrontdeskIn(temporaryFolder(t), { DATA_DIR: dataDir })('restore', file)
    deepEqual([restored.code, restored.err], [0, ''])
    match(restored.out, /^Restored .*backup\.db to .*data.frontdesk\.db: 1 submission and 1 lead/)
    deepEqual(readdirSync(dataDir), ['frontdesk.db'])
    equal(statSync(join(dataDir, 'frontdesk.db')).mode & 0o777, 0o600)
    const elsewhere = await startApp(t, { dataDir })
    equal((await elsewhere.request(`${elsewhere.origin.learn}${pathname}${search}`)).status, 200)
    equal(await countRows(elsewhere.database, 'submissions'), 1)
  })

  test('names the file itself in a folder, removes what a killed one has left there, and never writes over one', async t => {
    const service = await aService(t)
    const folder = temporaryFolder(t)
    const frontdesk = frontdeskBeside(service)
    const killed = join(folder, 'frontdesk-20260101T020000Z.db.unfinished')
    writeFileSync(killed, '')
    utimesSync(killed, 0, 0)
    equal((await frontdesk('backup', folder)).code, 0)
    const [name = '', ...others] = readdirSync(folder)
    deepEqual(others, [])
    match(name, /^frontdesk-\d{8}T\d{6}Z\.db$/)
    const again = await frontdesk('backup', join(folder, name))
    equal(again.code, 1)
    match(again.err, /exists already\. Name a new file\./)
    const missing = await frontdesk('backup', join(folder, 'backups/'))
    equal(missing.code, 1)
    match(missing.err, /The folder .*backups does not exist\. Make it, .*: mkdir -m 700 .*backups/)
    const nowhere = await frontdesk('backup', join(folder, 'no', 'such.db'))
    equal(nowhere.code, 1)
    match(nowhere.err, /^The folder .*no does not exist\. Make it, .*: mkdir -m 700 .*no\n/)
  })

  test('says how to back up and restore PostgreSQL, without the password', async t => {
    const DATABASE_URL = urlOf(await newDatabase(t, 'postgres'))
    const folder = temporaryFolder(t)
    const frontdesk = frontdeskIn(folder, { DATABASE_URL })
    const { password } = new URL(DATABASE_URL)
    for (const [command, target, words] of [
      ['backup', join(folder, 'x.dump'), /pg_dump --format=custom --file='\/.*\/x\.dump' 'postgres:/],
      ['backup', folder, /pg_dump --format=custom --file='\/.*\/frontdesk-\d.*\.dump' 'postgres:/],
      [
        'restore',
        join(folder, 'x.dump'),
        /pg_restore --clean .*'\/.*x\.dump'\n {2}npx frontdesk follow-up skip-overdue/,
      ],
    ] as const) {
      const { code, err } = await frontdesk(command, target)
      equal(code, 1)
      match(err, words)
      equal(password !== '' && err.includes(password), false)
    }
  })
})

describe('frontdesk restore', () => {
  test('refuses while a service runs, then puts the database aside and says what only that one has', async t => {
    const { service, file } = await aBackup(t)
    equal((await service.postSite(aSite())).status, 200)
    const frontdesk = frontdeskBeside(service)
    const refusals: [string[], RegExp][] = [
      [[file], /There is a database at .* already\. .* add --replace\./],
      [[file, '--replace'], /cannot be replaced: a service or a command is still using it; stop/],
    ]
    for (const [args, words] of refusals) {
      const { code, out, err } = await frontdesk('restore', ...args)
      deepEqual([code, out], [1, ''])
      match(err, words)
    }
    await service.close()
    equal(await countRows(service.database, 'submissions'), 2)

    const { code, out, err } = await frontdesk('restore', file, '--replace')
    equal(code, 0, err)
    match(out, /The previous database is now .*replaced-.*\. It has 1 submission that the backup/)
    equal(/erased since|suppressed since/.test(out), false)
    equal(await countRows(service.database, 'submissions'), 1)
    const kept = readdirSync(service.dataDir).filter(name => name.includes('replaced'))
    equal(kept.length, 1)
    const aside = join(service.dataDir, kept[0] ?? '')
    equal(await countRows({ engine: 'sqlite', file: aside }, 'submissions'), 2)
  })

  test('keeps the addresses suppressed that were suppressed since the backup, and says how many people were erased', async t => {
    const service = await aService(t)
    equal((await service.postStudent(aStudent({ email: 'rosa@mail.example' }))).status, 200)
    equal((await service.postStudent(aStudent({ email: 'eve@mail.example' }))).status, 200)
    await service.settle()
    const frontdesk = frontdeskBeside(service)
    equal((await frontdesk('suppressions', 'add', 'before@mail.example')).code, 0)
    equal((await frontdesk('leads', 'erase', 'eve@mail.example', '--yes')).code, 0)
    const file = join(temporaryFolder(t), 'backup.db')
    equal((await frontdesk('backup', file)).code, 0)
    equal((await frontdesk('suppressions', 'add', 'after@mail.example')).code, 0)
    equal((await frontdesk('leads', 'erase', 'rosa@mail.example', '--yes')).code, 0)
    await service.close()

    const { out } = await frontdesk('restore', file, '--replace')
    match(out, /\n1 person was erased since the backup, and is in it\. Erase them again: .*leads erase/)
    match(out, /\n2 addresses were suppressed since the backup, and stay suppressed\./)
    for (const address of ['before@mail.example', 'after@mail.example', 'rosa@mail.example'])
      match((await frontdesk('suppressions', 'check', address)).out, /suppressed since/, address)
  })

  test('names who wrote to a service that ran on an empty database in between, under the same ids', async t => {
    const { file } = await aBackup(t)
    const dataDir = temporaryFolder(t)
    const between = await startApp(t, { dataDir })
    const late = aStudent({ firstName: 'Rosa', lastName: 'Late', email: 'rosa@mail.example' })
    equal((await between.postStudent(late)).status, 200)
    await between.close()
    const { code, out, err } = await frontdeskBeside(between)('restore', file, '--replace')
    equal(code, 0, err)
    match(out, /has 1 submission that the backup does not have\. .*\n {2}Rosa Late, rosa@mail\.example\n/)
    equal(await countRows(between.database, 'submissions'), 1)
  })

  test('sends nothing again that came due since the backup, and goes on with what follows', async t => {
    const clock = testClock(Date.now() - 5 * DAY)
    const settings = {
      school: { postalAddress: '1 Main Street, Austin' },
      followUp: { quietHours: { from: '00:00', to: '00:00' } },
    }
    const { service, file } = await aBackup(t, { clock, settings })
    await service.close()
    const dataDir = temporaryFolder(t)
    const run = await frontdeskIn(dataDir)('restore', file)
    equal(run.code, 0, run.err)
    match(run.out, /Skipped 5 reminders and follow-up emails that were due\. Ask .*: 1 \(/)

    clock.advance(5 * DAY)
    const restored = await startApp(t, { dataDir, clock, settings })
    await restored.settle()
    equal(restored.sent.length, 0)
    clock.advance(4 * DAY)
    await restored.settle()
    deepEqual(
      restored.sent.map(({ id }) => id.replace(/\.\w+@.*/, '')),
      ['step.1.5'],
    )
  })

  test('refuses what is not a whole backup that this version can use', async t => {
    const { file } = await aBackup(t)
    const folder = temporaryFolder(t)
    const frontdesk = frontdeskIn(folder)
    const other = join(folder, 'other.db')
    changed(other, 'create table t (x)')
    writeFileSync(join(folder, 'text.db'), 'Not a database, but long enough to be one. '.repeat(40))
    changed(file, 'insert into schema_versions values (99, 0)')
    const refusals: [string, RegExp][] = [
      [other, /other\.db cannot be restored: it is not a database of Frontdesk\./],
      [join(folder, 'text.db'), /cannot be restored: file is not a database\./],
      [join(folder, 'none.db'), /The file .*none\.db does not exist/],
      [folder, /is a folder\. Name a file in it\./],
      [file, /it has schema version 99, and this program knows \d+: install the version/],
    ]
    for (const [backup, words] of refusals) {
      const { code, err } = await frontdesk('restore', backup)
      equal(code, 1)
      match(err, words)
    }
    equal(existsSync(join(folder, 'frontdesk.db')), false)
  })

  test('brings a file back that was moved to PostgreSQL', async t => {
    const { service } = await aBackup(t)
    await service.close()
    const { dataDir } = service
    const file = join(dataDir, 'frontdesk.db')
    changed(file, `create table moved (name text, at integer); insert into moved values ('pg', 0)`)
    const frontdesk = frontdeskIn(dataDir)
    const refused = await frontdesk('leads', 'list')
    equal(refused.code, 2)
    match(refused.err, /it was moved to pg on 1970-01-01\. .* run: npx frontdesk restore .* --replace/)
    equal((await frontdesk('restore', file, '--replace')).code, 0)
    equal((await frontdesk('leads', 'list')).code, 0)
  })

  test('leaves the log of a crashed service to the database that it belongs to', async t => {
    const { file } = await aBackup(t)
    const dataDir = join(temporaryFolder(t), 'data')
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'frontdesk.db-wal'), 'what another database has not yet written')
    equal((await frontdeskIn(dataDir)('restore', file)).code, 0)
    deepEqual(
      readdirSync(dataDir)
        .map(name => name.replace(/\d{8}T\d{6}Z/, 'time'))
        .sort(),
      ['frontdesk.db', 'frontdesk.db.replaced-time-wal'],
    )
    equal((await sql({ engine: 'sqlite', file: join(dataDir, 'frontdesk.db') }, 'select * from leads')).length, 1)
  })
})
