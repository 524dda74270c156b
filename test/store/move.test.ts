import { deepEqual, equal, match, notEqual, ok, rejects, throws } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { openSecret, sealSecret } from '../../src/console/sign-in/sealed-secret.ts'
import { MailRefused } from '../../src/mail/transport/mailer.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { move, type Progress } from '../../src/store/move/move.ts'
import { openSource } from '../../src/store/move/source.ts'
import { tables } from '../../src/store/move/tables.ts'
import { openTarget } from '../../src/store/move/target.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startApp } from '../support/app.ts'
import { replyWith } from '../support/attachments.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { countRows, newDatabase, sql } from '../support/engines.ts'
import { aForm } from '../support/form-details.ts'
import { aLargeDatabase } from '../support/large-database.ts'
import { anArrival, startStore } from '../support/store.ts'

type Sqlite = Extract<DatabaseAddress, { engine: 'sqlite' }>
type Postgres = Extract<DatabaseAddress, { engine: 'postgres' }>

const silent: Progress = { copied: () => {}, verified: () => {} }

async function moveAll(from: Sqlite, to: Postgres, report: Partial<Progress> = {}, batch?: number): Promise<void> {
  const source = await openSource(from.file, { complete: true, batch }, 0)
  try {
    const target = await openTarget(to.url, 'the-target', batch)
    try {
      await move(source, target, { ...silent, ...report })
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

const newTarget = (t: TestContext) => newDatabase(t, 'postgres') as Promise<Postgres>

/** Every row of every table, compared by the test's own means. */
async function contents(database: DatabaseAddress) {
  const found: Record<string, unknown> = {}
  for (const { name, key } of tables) {
    if (name === 'secrets' || name === 'idempotency_keys') continue
    const order = key.map(({ column }) => column).join(', ')
    const rows = await sql(database, `select * from ${name} order by ${order}`)
    const plain = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)
    found[name] = rows.map(row =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [column, plain(value)])),
    )
  }
  return found
}

/** An installation that has seen everything, stopped in the middle of its work. */
async function anInstallation(t: TestContext) {
  let mail: Error | undefined
  const service = await startApp(t, {
    mail: async () => {
      if (mail) throw mail
    },
  })
  const { clock } = service
  const site = (over = {}) => aSite({ startedAt: clock.now() - MINUTE, ...over }, clock.now())
  const bodies = {
    reused: site({ company: 'Ärztehaus „Süd“ 🏥', message: 'Größe\nzwei Zeilen 字 \\u0000 "quoted"' }),
    student: aStudent({ firstName: 'Zoë', lastName: "O'Öztürk", idempotencyKey: 'the-key-of-zoe' }),
    newest: aStudent({ idempotencyKey: 'not-indexed-yet' }),
  }
  const post = async (answer: Promise<{ status: number }>) => equal((await answer).status, 200)
  await post(service.postSite(bodies.reused))
  await post(service.postStudent(bodies.student))
  await service.settle()
  clock.advance(2 * DAY)
  await post(service.postSite(bodies.reused))
  mail = new MailRefused('550 no such user')
  await post(service.postSite(site()))
  await service.settle()
  await sql(service.database, `update tasks set state = 'dead' where note like '55%'`)
  mail = new Error('421 try later')
  await post(service.postStudent(aStudent({ email: 'zoe@mail.example' })))
  await service.settle()
  mail = undefined
  await post(service.postStudent(aStudent({ email: 'zoe@mail.example' })))
  for (const company of ['One', 'Two', 'Three']) {
    await service.postSite(site({ company, website: 'https://x.example' }))
  }
  await service.settle()
  const held = await service.app.store.listQuarantine({ state: 'held', limit: 9 })
  await service.app.store.releaseQuarantined(held[0]?.submission.id ?? 0, { now: clock.now() })
  await service.app.store.dismissQuarantined(held[1]?.submission.id ?? 0, { now: clock.now() })
  const form = aForm({ campaign: { campaign: 'Größe' }, consent: { given: true, at: clock.now() } })
  await service.app.store.accept(anArrival({ form, receivedAt: clock.now() }))
  await service.settle()
  await post(service.postStudent(bodies.newest))
  await post(service.postSite(site()))
  await replyWith(service.app.store, 1, [{ name: 'zeugnis.pdf', bytes: randomBytes(300_000) }], clock.now())
  const logo = { name: `${'a'.repeat(40)}.png`, bytes: randomBytes(200_000) }
  const saving = {
    part: 'brand',
    value: { logoFile: logo.name },
    replaces: 0,
    by: 'Dana Kim',
    note: '',
    now: 1,
    files: [logo],
  }
  await service.app.store.saveEditedSettings(saving)
  await service.close()
  const database = service.database as Sqlite
  // As a crash leaves it: the index of keys ends before the key that was used again.
  await sql(database, 'update indexed_keys set through = 2')
  await sql(database, 'delete from idempotency_keys where submission_id > 3')
  await sql(database, 'update idempotency_keys set submission_id = 1 where submission_id = 3')
  await sql(database, 'delete from timeline where id = (select max(id) from timeline)')
  const highest = async (table: string) => {
    const [row] = await sql(database, `select seq from sqlite_sequence where name = '${table}'`)
    return Number(row?.['seq'])
  }
  return { service, clock, database, bodies, highest }
}

describe('a move from SQLite to PostgreSQL', () => {
  test('takes over every table there is', async t => {
    const { database } = await startStore(t)
    const own = ['schema_versions', 'indexed_keys', 'write_probe', 'sqlite_sequence']
    const rows = await sql(database, `select name from sqlite_master where type = 'table'`)
    deepEqual(
      rows
        .map(row => String(row['name']))
        .filter(name => !own.includes(name) && !name.startsWith('lead_search'))
        .sort(),
      tables.map(({ name }) => String(name)).sort(),
    )
  })

  test('brings the same rows, the secret and every key to the other side', async t => {
    const { database } = await anInstallation(t)
    const secret = 'A'.repeat(32)
    const linkSecret = async (of: DatabaseAddress) =>
      String((await sql(of, `select value from secrets where name = 'links'`))[0]?.['value'])
    await sql(
      database,
      `insert into operators (email, email_key, name, role, created_at, totp_secret)
       values ('a@b.example', 'a@b.example', 'Ana', 'admin', 1, '${sealSecret(await linkSecret(database), 1, secret)}')`,
    )
    const before = await contents(database)
    const target = await newTarget(t)
    await moveAll(database, target)
    deepEqual(await contents(target), before)
    const [ana] = await sql(target, 'select totp_secret from operators where id = 1')
    equal(openSecret(await linkSecret(target), 1, String(ana?.['totp_secret'])), secret)
    deepEqual(await contents(database), before)
    const states = await sql(target, `select distinct state from tasks where lane = 'mail' order by 1`)
    deepEqual(
      states.map(({ state }) => state),
      ['dead', 'done', 'due', 'skipped'],
    )
    const own = await sql(database, 'select * from secrets order by name')
    deepEqual(
      await sql(target, 'select * from secrets order by name'),
      own.map(row => ({ ...row })),
    )
    deepEqual(
      await sql(target, 'select key, submission_id from idempotency_keys order by 2'),
      await sql(target, 'select key, max(id) as submission_id from submissions group by 1 order by 2'),
    )
  })

  test('lets the service go on where it stood', async t => {
    const { service, clock, database, bodies, highest } = await anInstallation(t)
    const lookAt = async ({ app: { store } }: typeof service) => ({
      leads: await store.listLeads({ limit: 50 }),
      quarantine: await store.listQuarantine({ state: 'held', limit: 50 }),
      mail: await store.listMail({ limit: 50 }),
    })
    const old = await startApp(t, { database, clock })
    const before = await lookAt(old)
    await old.close()
    const target = await newTarget(t)
    await moveAll(database, target)

    const moved = await startApp(t, { database: target, clock })
    deepEqual(await lookAt(moved), before)
    const rows = await countRows(target, 'submissions')
    equal((await moved.postStudent(bodies.student)).status, 200)
    equal((await moved.postStudent(bodies.newest)).status, 200)
    equal((await moved.postSite(bodies.reused)).status, 200)
    equal(await countRows(target, 'submissions'), rows)
    equal((await moved.postStudent({ ...bodies.student, firstName: 'Other' })).status, 422)

    clock.advance(HOUR)
    await moved.settle()
    equal((await moved.app.store.listLeads({ limit: 50 })).length, before.leads.length + 2)
    const sentBefore = before.mail.filter(task => task.state === 'done').map(task => task.id)
    const sent = await sql(target, `select id from tasks where lane <> 'filing' and state = 'done'`)
    equal(moved.sent.length, sent.length - sentBefore.length)
    ok(moved.sent.length >= 4)

    equal((await moved.postStudent(aStudent())).status, 200)
    await moved.settle()
    for (const table of ['submissions', 'tasks', 'timeline']) {
      const [row] = await sql(target, `select max(id) as last, count(*) as n from ${table}`)
      ok(Number(row?.['last']) > (await highest(table)), table)
    }
    const gone = await highest('timeline')
    equal((await sql(target, `select id from timeline where id = ${gone}`)).length, 0)
  })

  test('goes on after an interruption at any point', async t => {
    const [rows, batch] = [25, 10]
    const database = await aLargeDatabase(t, rows)
    const target = await newTarget(t)
    const steps = new Set<string>()
    for (let runs = 0; ; runs++) {
      notEqual(runs, 120, 'it never comes to an end')
      const once = (step: string) => {
        if (steps.has(step)) return
        steps.add(step)
        throw new Error('interrupted')
      }
      const report: Progress = {
        copied: (table, rows) => once(`${table} ${rows}`),
        verified: table => once(`verified ${table}`),
      }
      const end = await moveAll(database, target, report, batch).catch(({ message }) => message)
      if (end === undefined) break
      equal(end, 'interrupted')
      await rejects(openStore(target), /the move from .*frontdesk\.db into it is unfinished/)
    }
    equal(steps.size, 3 * 7 + 1 + tables.length)
    deepEqual(await contents(target), await contents(database))
    equal(await countRows(target, 'idempotency_keys'), rows)
    await (await openStore(target)).close()
  })

  test('notices changes in the target while it is unfinished', async t => {
    const { database } = await anInstallation(t)
    const changes = {
      submissions: `update submissions set body = replace(body, 'Zoë', 'Zoe')`,
      leads: `update leads set state = '' where state is null`,
      tasks: 'delete from tasks where id = 2',
      idempotency_keys: 'update idempotency_keys set submission_id = 1 where submission_id = 3',
      secrets: `update secrets set value = value || '.'`,
    }
    for (const [table, change] of Object.entries(changes)) {
      const target = await newTarget(t)
      const copied = () => {
        throw new Error('interrupted')
      }
      await rejects(moveAll(database, target, { verified: copied }), /interrupted/)
      await sql(target, change)
      for (let tries = 0; tries < 2; tries++) {
        await rejects(moveAll(database, target), (error: Error) => {
          match(error.message, new RegExp(`^The table ${table} is not the same on both sides`))
          return error.name === 'MoveRefused'
        })
      }
      await rejects(openStore(target), /unfinished/)
    }
  })

  test('refuses a database that holds something, and leaves it as it was', async t => {
    const database = await aLargeDatabase(t, 10)
    const { store, database: target } = await startStore(t, { engine: 'postgres' })
    await store.accept(anArrival())
    await store.close()
    await rejects(
      moveAll(database, target as Postgres),
      /^MoveRefused: The database the-target is not empty: it already holds 1 submissions\. Move into/,
    )
    const again = await startStore(t, { database: target })
    equal(await countRows(again.database, 'submissions'), 1)
    const disabled = await sql(
      target,
      `select tgname from pg_trigger where tgrelid = 'leads'::regclass and tgenabled = 'D'`,
    )
    deepEqual(disabled, [])
  })

  test('refuses the unfinished move of another file', async t => {
    const [one, other] = [await aLargeDatabase(t, 10), await aLargeDatabase(t, 10)]
    const target = await newTarget(t)
    const copied = () => {
      throw new Error('interrupted')
    }
    await rejects(moveAll(one, target, { copied }), /interrupted/)
    await rejects(moveAll(other, target), /holds the unfinished move of .*frontdesk\.db\. Move into/)
    await moveAll(one, target)
  })

  test('refuses while someone has the file open, or a service runs on the target', async t => {
    const { store, database } = await startStore(t)
    const target = await newTarget(t)
    await rejects(moveAll(database as Sqlite, target), /still running on .*frontdesk\.db: stop it/)
    await store.close()
    const running = await startStore(t, { database: target })
    await running.store.countBacklog(0)
    await rejects(moveAll(database as Sqlite, target), /A service is running on the database the-target: stop it first/)
    await running.store.close()
    await moveAll(database as Sqlite, target)
  })

  test('lets no one open the file while it runs', async t => {
    const database = await aLargeDatabase(t, 10)
    const target = await newTarget(t)
    let tries = 0
    const copied = () => {
      tries++
      const other = new DatabaseSync(database.file, { timeout: 0 })
      throws(() => other.prepare('select 1 from submissions').get(), /database is locked/)
      other.close()
    }
    await moveAll(database, target, { copied })
    notEqual(tries, 0)
  })
})
