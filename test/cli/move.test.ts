import { deepEqual, equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openStore } from '../../src/store/open-store.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { countRows, newDatabase, sql, urlOf } from '../support/engines.ts'
import { aLargeDatabase } from '../support/large-database.ts'
import { mailFiles, startProcess, until } from '../support/process.ts'
import { program } from '../support/program.ts'
import { anArrival, startStore } from '../support/store.ts'
import { frontdeskIn, type Run, spawnedFrontdeskIn } from './frontdesk.ts'

const SECRET = 'the-secret-of-this-installation-0123456789'

async function post(origin: string, path: string, body: unknown) {
  const headers = { 'Content-Type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  equal((await fetch(`${origin}${path}`, init)).status, 200)
}

const refused = ({ code, err }: Run, expected: number, words: RegExp) => {
  match(err, words)
  equal(code, expected)
}

/** A closed SQLite database, with the secret that signs its links, and the command that moves it. */
async function anInstallation(t: TestContext, submissions: number) {
  const database = await aLargeDatabase(t, submissions)
  const dataDir = dirname(database.file)
  await sql(database, `update secrets set value = '${SECRET}' where name = 'links'`)
  const from = 'sqlite:frontdesk.db'
  return { database, dataDir, from, frontdesk: frontdeskIn(dataDir) }
}

describe('frontdesk move', () => {
  test('moves a service from SQLite to PostgreSQL, once it is stopped', async t => {
    const old = await startProcess(t)
    const { dataDir } = old
    const student = aStudent({ firstName: 'Zoë' })
    await post(old.origin.learn, '/api/admissions/interest', student)
    await post(old.origin.site, '/api/site-interest', aSite({ startedAt: Date.now() - 60_000 }))
    await until(() => mailFiles(dataDir).length === 3)
    const target = await newDatabase(t, 'postgres')
    const url = new URL(urlOf(target))
    const move = () => spawnedFrontdeskIn(dataDir)('move', '--from', 'sqlite:frontdesk.db', '--to', url.href)

    refused(await move(), 1, /^The service is still running on .*frontdesk\.db: stop it first\.\n$/)
    await old.kill('SIGTERM')
    const beside = new DatabaseSync(join(dataDir, 'frontdesk.db'), { readOnly: true })
    const secret = beside.prepare(`select value from secrets where name = 'links'`).get()?.['value']
    beside.close()
    const { code, out, err } = await move()
    deepEqual([code, err], [0, ''])
    match(out, /^copied +submissions: 2 of 2$/m)
    match(out, /^verified +leads: 2$/m)
    match(out, /frontdesk\.db is now in postgres:.*\n.*Set DATABASE_URL.*\n.*Start the service\.\n.*Keep/)
    equal(`${out}${err}`.includes(url.password), false)
    deepEqual(await sql(target, `select * from secrets where name <> 'addresses'`), [{ name: 'links', value: secret }])
    const back = await spawnedFrontdeskIn(dataDir)('leads', 'list')
    equal(back.code, 2)
    match(
      back.err,
      /^The database .*frontdesk\.db cannot be opened: it was moved to postgres:.* on \d{4}-\d\d-\d\d\. Set DATABASE_URL/,
    )
    equal(`${back.out}${back.err}`.includes(url.password), false)

    const moved = await startProcess(t, { dataDir, env: { DATABASE_URL: url.href } })
    await post(moved.origin.learn, '/api/admissions/interest', student)
    await post(moved.origin.learn, '/api/admissions/interest', aStudent())
    await until(() => mailFiles(dataDir).length === 5)
    equal(await countRows(target, 'submissions'), 3)
    equal(mailFiles(dataDir).length, 5)
    refused(await move(), 1, /^A service is running on the database postgres.*: stop it first\.\n$/)
    await moved.kill('SIGTERM')
    refused(await move(), 1, /^The database postgres.* already holds 3 submissions\. Move into a new/)
  })

  test('continues after it was killed, however often', async t => {
    const { database, dataDir, from, frontdesk } = await anInstallation(t, 10_000)
    const target = await newDatabase(t, 'postgres')
    const args = ['move', '--from', from, '--to', urlOf(target)]
    const holds = (table: string) => async () => (await countRows(target, table)) > 0
    const moments: ((out: string) => Promise<boolean>)[] = [
      () => holds('submissions')().catch(() => false),
      holds('leads'),
      holds('tasks'),
      async out => out.includes('verified'),
    ]
    for (const [i, moment] of moments.entries()) {
      const child = spawn(process.execPath, [program(), ...args], {
        cwd: dataDir,
        env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const exit = once(child, 'exit')
      let out = ''
      child.stdout.on('data', chunk => {
        out += chunk
      })
      while (child.exitCode === null && !(await moment(out))) await wait(5)
      child.kill('SIGKILL')
      deepEqual(await exit, [null, 'SIGKILL'], `it ended before moment ${i}`)
      refused(
        await frontdeskIn(dataDir, { DATABASE_URL: urlOf(target) })('leads', 'list'),
        2,
        /the move from .*frontdesk\.db into it is unfinished: run npx frontdesk move again/,
      )
    }
    const { code, out, err } = await frontdesk(...args)
    deepEqual([code, err], [0, ''])
    match(out, /^verified +submissions: 10000$/m)
    const look = 'select * from tasks order by id'
    deepEqual(
      await sql(target, look),
      (await sql(database, look)).map(row => ({ ...row })),
    )
    equal(await countRows(target, 'idempotency_keys'), 10_000)
  })

  test('does not copy the secret when the environment sets it', async t => {
    const { database, dataDir, from } = await anInstallation(t, 1)
    await sql(database, `delete from secrets where name = 'links'`)
    const target = await newDatabase(t, 'postgres')
    const frontdesk = frontdeskIn(dataDir, { SECRET_KEY: SECRET })
    equal((await frontdesk('move', '--from', from, '--to', urlOf(target))).code, 0)
    deepEqual(await sql(target, `select * from secrets where name = 'links'`), [])
  })

  test('says what is wrong, and moves nothing', async t => {
    const { database, from, frontdesk } = await anInstallation(t, 1)
    const empty = await newDatabase(t, 'postgres')
    const to = urlOf(empty)
    const wrong = new URL(to)
    wrong.password = 'canary'
    const { store, database: full } = await startStore(t, { engine: 'postgres' })
    await store.accept(anArrival())
    await store.close()
    const run = (from: string, to: string) => frontdesk('move', '--from', from, '--to', to)

    refused(await run('frontdesk.db', to), 1, /^--from must be sqlite:FILE\.\n$/)
    refused(await run(to, to), 1, /^--from must be sqlite:FILE\.\n$/)
    refused(await run(from, from), 1, /^--to must be postgres:\/\/user:password@host/)
    refused(await frontdesk('move', '--from', from), 1, /required option '--to <url>'/)
    refused(await run('sqlite:nowhere.db', to), 2, /nowhere\.db cannot be opened: the file does not exist\n$/)
    const password = await run(from, wrong.href)
    refused(password, 2, /cannot be opened: the server refuses the password of/)
    equal(password.err.includes('canary'), false)
    refused(await run(from, urlOf(full)), 1, /is not empty: it already holds 1 submissions\. Move/)
    await sql(database, `delete from secrets where name = 'links'`)
    refused(
      await run(from, to),
      2,
      /secret that signs its links is missing: set SECRET_KEY to the value that the service/,
    )
    const unused = await openStore(empty)
    equal((await unused.listLeads({ limit: 1 })).length, 0)
    await unused.close()
    const help = await frontdesk('move', '--help')
    equal(help.code, 0)
    match(help.out, /Stop the service first/)
  })
})
