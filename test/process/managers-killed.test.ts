/** What managers do in one step takes many: a process that is killed in the middle leaves nothing half done. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { checkSettings } from '../../src/config/settings.ts'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import { DAY } from '../../src/platform/time.ts'
import type { Store } from '../../src/store/store.ts'
import { planRetention } from '../../src/tasks/retention-erasing.ts'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { type ConsoleClient, fieldOn } from '../support/console.ts'
import { onEachEngine } from '../support/engines.ts'
import { openDatabase } from '../support/process.ts'
import { anArrival } from '../support/store.ts'
import { eventually } from './faults.ts'
import { aSchool, assertCountsTrue, type School, settings } from './managers.ts'

const ROWS = 2000

/** Undoing takes longer. */
const FEWER = 500

const HEADERS = 'Name,Email,Phone,State,Notes'
const rowOf = (n: number) => `P${n} Okafor,p${n}@mail.example,(512) 555-0100,${n % 3 === 0 ? 'TX' : 'NY'},Came at ${n}`

/** A list in which five rows are not new leads: two are wrong, one is of someone who has a lead. */
function aList(length: number): string {
  const rows = Array.from({ length }, (_, n) => rowOf(n))
  for (const n of [50, length - 50]) rows[n] = `Cleo,cleo${n}@mail,555,TX,`
  // The same words as in another row, and more of the same person.
  rows[length - 40] = rowOf(10)
  rows[length - 30] = `${rowOf(20)} again`
  return [HEADERS, ...rows, ''].join('\n')
}
const EXPECTED = { done: ROWS, opened: ROWS - 5, joined: 2, repeated: 1, rejected: 2 }

/** One of the people in the list has a lead already. */
const KNOWN = 'p30@mail.example'

const PLAN = {
  kind: 'student',
  source: 'Fair Austin',
  'column-0': 'fullName',
  'column-1': 'email',
  'column-2': 'phone',
  'column-3': 'state',
  'column-4': 'message',
}

/** Leads of Maria, who have just written in, as the service files them. */
async function withLeads(t: Parameters<typeof startApp>[0], school: School, emails: string[]) {
  const { database, dataDir } = school
  const clock = testClock(Date.now())
  const app = await startApp(t, { database, dataDir, settings, clock })
  await acceptAll(app.app.store, emails, clock.now())
  await app.settle()
  return app
}

/** Stores an inquiry of each. On a machine that is too busy, the store says so, and the same is sent again. */
async function acceptAll(store: Store, emails: readonly string[], receivedAt: number) {
  for (const email of emails) {
    const { idempotencyKey: _, ...body } = aStudent({ email })
    const arrival = anArrival({ email, body: JSON.stringify(body), receivedAt })
    const accept = () =>
      store.accept(arrival).then(
        () => true,
        () => false,
      )
    await eventually(accept, 'the inquiry was not stored')
  }
}

/** Starts what serves the school: one process, or two replicas. Returns one of them. */
async function startAll(school: School) {
  const first = await school.start()
  if (school.engine === 'postgres') await school.start()
  return first
}

const stateOf = async ({ run }: School) => {
  const [row] = await run('select state, done, opened, joined, repeated, rejected from imports')
  return row as Record<string, unknown>
}

const untilImport = (school: School, state: string) =>
  eventually(async () => (await stateOf(school))['state'] === state, `the import was not ${state}`)

/** Waits until everything is done that follows at once. */
const untilQuiet = ({ count }: School) =>
  eventually(
    async () =>
      (await count(`select count(*) as n from tasks where state = 'due' and due_at <= ${Date.now()}`)) +
        (await count('select count(*) as n from changed_leads')) ===
      0,
    'not everything was done',
  )

const audited = ({ count }: School, action: string) =>
  count(`select count(*) as n from audit_log where action = '${action}'`)

describe('a process that is killed in the middle of', { concurrency: 3 }, () => {
  onEachEngine(engine => {
    test('an import: the next goes on where it was, every row is filed once, and each owner gets one email', async t => {
      const school = await aSchool(t, engine)
      const { run, count } = school
      await (await withLeads(t, school, [KNOWN])).close()
      const first = await startAll(school)
      const manager = await school.manager(first)
      const path = `/import/${await upload(school.store, aList(ROWS))}`
      await manager.post(`${path}/check`, PLAN)
      await untilImport(school, 'checked')

      const middle = `new.state = 'running' and new.done > ${ROWS / 2}`
      const next = await school.killAt({ on: 'update', table: 'imports', when: middle }, () =>
        manager.post(`${path}/start`),
      )
      deepEqual(
        await count('select count(*) as n from leads'),
        1 + Number((await stateOf(school))['opened']),
        'what is counted is filed',
      )
      await untilImport(school, 'done')
      await untilQuiet(school)

      deepEqual({ ...(await stateOf(school)) }, { state: 'done', ...EXPECTED })
      const filed = EXPECTED.opened + EXPECTED.joined + 1
      equal(await count('select count(distinct key) as n from submissions'), filed)
      equal(await count('select count(*) as n from submissions'), filed)
      equal(await count('select count(*) as n from leads'), 1 + EXPECTED.opened)
      equal(await count(`select count(*) as n from timeline where kind = 'submission'`), filed)
      const outcomes = await run('select outcome, count(*) as n from import_rows group by outcome order by outcome')
      deepEqual(
        outcomes.map(row => [row['outcome'], Number(row['n'])]),
        [
          ['joined', 2],
          ['opened', EXPECTED.opened],
          ['rejected', 2],
          ['repeated', 1],
        ],
      )
      const owners = await run('select owner, count(*) as n from leads group by owner')
      const mails = school.mails('imported')
      equal(mails.length, owners.length, 'one email for each owner')
      equal(await audited(school, 'imported leads'), 1)
      match((await (await school.manager(next)).get('/inbox?q=P1999')).text, /P1999 Okafor/)
      await next.kill('SIGTERM')
      await assertCountsTrue(school)
    })

    test('the undoing of an import: the next undoes the rest, and nothing else', async t => {
      const school = await aSchool(t, engine)
      const { run, count } = school
      const app = await withLeads(t, school, [KNOWN])
      const before = await count('select count(*) as n from timeline')
      const { store } = app.app
      const now = app.clock.now()
      const id = await upload(store, aList(FEWER))
      const columns = ['fullName', 'email', 'phone', 'state', 'message'] as const
      const plan = { kind: 'student', columns, source: 'Fair', language: 'en', mayWrite: false } as const
      await store.checkImport(id, { plan: { ...plan, columns: [...columns] }, now })
      await app.settle()
      await store.startImport(id, { now })
      await app.settle()
      // Someone has worked on one that is undone early, and on one that is undone late.
      const worked = await run(`select id from leads where email in ('p5@mail.example', 'p480@mail.example')`)
      for (const lead of worked) await store.addNote(Number(lead['id']), { text: 'Called', actor: 'sam', now })
      await app.close()

      const first = await startAll(school)
      const manager = await school.manager(first)
      const middle = `new.state = 'undoing' and new.done > ${FEWER / 2}`
      const next = await school.killAt({ on: 'update', table: 'imports', when: middle }, () =>
        manager.post(`/import/${id}/undo`),
      )
      await untilImport(school, 'undone')
      await untilQuiet(school)

      const emails = await run('select email from leads order by id')
      deepEqual(
        emails.map(({ email }) => email),
        [KNOWN, 'p5@mail.example', 'p480@mail.example'],
      )
      equal(await count('select kept as n from imports'), 2)
      equal(await count('select count(*) as n from submissions'), 3)
      equal(
        await count('select count(*) as n from timeline where lead_id = 1'),
        before,
        'the lead that was there is as it was',
      )
      equal(await audited(school, 'undid an import'), 1)
      const page = await (await school.manager(next)).get(`/import/${id}`)
      match(page.text, /2 leads kept/)
      await next.kill('SIGTERM')
      await assertCountsTrue(school)
    })

    test('a hand-over: the others move, too, in the same turns, and everyone gets one email', async t => {
      const school = await aSchool(t, engine)
      const { run, count } = school
      const people = Array.from({ length: 60 }, (_, n) => `s${n}@mail.example`)
      await (await withLeads(t, school, people)).close()
      const steps = `select count(*) as n from tasks where kind = 'step' and state = 'due'`
      const planned = await count(steps)
      const first = await startAll(school)
      const manager = await school.manager(first)
      const path = '/team/people/maria/hand-over'
      const version = fieldOn((await manager.get(path)).text, 'version')
      const form = [
        ['to', 'turns'],
        ['among', 'sam'],
        ['among', 'jo'],
        ['version', version],
      ]
      // The portions are of 25.
      const middle = { on: 'insert', table: 'hand_over_leads', when: 'new.lead_id = 40' } as const
      const next = await school.killAt(middle, () => manager.post(path, new URLSearchParams(form)))
      await eventually(
        async () => (await count(`select count(*) as n from hand_overs where state = 'done'`)) === 1,
        'the hand-over was not done',
      )
      await untilQuiet(school)

      const owners = await run('select owner, count(*) as n from leads group by owner order by owner')
      deepEqual(
        owners.map(({ owner, n }) => [owner, Number(n)]),
        [
          ['jo', 40],
          ['sam', 20],
        ],
      )
      const moves = `from timeline where kind = 'assigned' and was is not null`
      equal(await count(`select count(*) as n ${moves}`), 60)
      equal(await count(`select count(distinct lead_id) as n ${moves}`), 60)
      equal(await count('select count(*) as n from hand_over_leads'), 60)
      equal(await count(steps), planned, 'reminders begin again once')
      const tos = school.mails('hand-over').map(text => /^To: .*?(\w+)@/im.exec(text)?.[1])
      deepEqual(tos.toSorted(), ['jo', 'maria', 'sam'])
      equal(await audited(school, 'handed over all leads of someone'), 1)
      await next.kill('SIGTERM')
      await assertCountsTrue(school)
    })

    test('an erasure by hand: either all of it is done and recorded, or none', async t => {
      const school = await aSchool(t, engine)
      const { count } = school
      await (await withLeads(t, school, ['ben@mail.example', 'ana@mail.example'])).close()
      const first = await startAll(school)
      const erase = async (client: ConsoleClient) =>
        client.post('/privacy/people/1/erase', { reason: 'asked', address: 'ben@mail.example' })
      const manager = await school.manager(first)
      const end = { on: 'insert', table: 'audit_log', when: `new.action = 'erased a person'` } as const
      const next = await school.killAt(end, () => erase(manager))
      const register = 'select count(*) as n from erasures'
      equal(await count(register), await audited(school, 'erased a person'))
      equal(await count('select count(*) as n from leads'), 2 - (await count(register)))

      await erase(await school.manager(next))
      equal(await count(register), 1)
      equal(await audited(school, 'erased a person'), 1)
      equal(await count('select count(*) as n from leads'), 1)
      await next.kill('SIGTERM')
    })

    test('an erasure by the rules of retention: the next erases the rest, with their messages', async t => {
      const school = await aSchool(t, engine)
      const { run, count } = school
      const people = Array.from({ length: 8 }, (_, n) => `old${n}@mail.example`)
      const eraseAt = await withPlanned(t, school, people)
      const late = { on: 'update', table: 'erasures', when: 'new.people = 7' } as const
      const next = await school.killAt(late, () => school.start())
      await eventually(async () => (await count('select count(*) as n from leads')) === 0, 'not everyone was erased')
      const [register, ...others] = await run('select reason, at, people, leads from erasures')
      deepEqual({ ...register }, { reason: 'retention', at: eraseAt, people: 8, leads: 8 })
      deepEqual(others, [])
      const left = () => readdirSync(join(school.dataDir, 'mail')).filter(name => /-(notify|receipt)\./.test(name))
      await eventually(() => left().length === 0, 'their messages are still there')
      await next.kill('SIGTERM')
    })

    test('the counting of insight: every lead is counted once', async t => {
      const school = await aSchool(t, engine)
      const people = Array.from({ length: 60 }, (_, n) => `s${n}@mail.example`)
      await (await withLeads(t, school, people)).close()
      const mark = { on: 'delete', table: 'changed_leads', when: 'old.lead_id = 40' } as const
      const next = await school.killAt(mark, () => startAll(school))
      await untilQuiet(school)
      const all = `select sum(leads) as n from insight_counts where dimension = 'all' and length(period) = 7`
      equal(await school.count(all), 60)
      await next.kill('SIGTERM')
      await assertCountsTrue(school)
    })
  })
})

test('an erasure on SQLite that is killed before its log is empty leaves nothing in it after the next start', async t => {
  const school = await aSchool(t, 'sqlite')
  await (await withLeads(t, school, ['canary@mail.example'])).close()
  const first = await school.start()
  const manager = await school.manager(first)
  // A program that reads the file keeps the log from being emptied.
  const reader = openDatabase(t, school.dataDir)
  reader.exec('begin; select count(*) from leads')
  const fields = { reason: 'not needed', address: 'canary@mail.example' }
  const erasing = manager.post('/privacy/people/1/erase', fields).catch(() => {})
  await eventually(
    async () => (await school.count('select count(*) as n from erasures')) === 1,
    'the person was not erased',
  )
  await first.kill('SIGKILL')
  await erasing
  reader.exec('rollback')
  const traces = () =>
    ['', '-wal'].some(end => {
      const file = join(school.dataDir, `frontdesk.db${end}`)
      return existsSync(file) && readFileSync(file, 'latin1').includes('canary@mail')
    })
  ok(traces(), 'the log still has them')
  await school.start()
  await eventually(() => !traces(), 'what was erased is still in a file')
})

/** Stores a list, as if someone had uploaded it. Returns its id. */
const upload = (store: Store, list: string): Promise<number> =>
  storeList(store, { bytes: Buffer.from(list), fileName: 'fair.csv', by: 'Ana Ruiz', now: Date.now() })

/** Leads that were closed long ago and that the manager has been told of: they are due. Returns the day. */
async function withPlanned(t: Parameters<typeof startApp>[0], school: School, people: string[]) {
  const { database, dataDir, run } = school
  const clock = testClock(Date.now() - 300 * DAY)
  const app = await startApp(t, {
    database,
    dataDir,
    clock,
    mail: 'real',
    settings: { ...settings, followUp: { student: [], site: [] } },
  })
  await acceptAll(app.app.store, people, clock.now())
  await app.settle()
  for (const { id } of await run('select id from leads')) {
    const closed = { stage: 'closed', closedReason: 'not interested', actor: 'maria' } as const
    await app.app.store.changeStage(Number(id), { ...closed, now: clock.now() })
  }
  const config = { settings: checkSettings(settings).settings, dataDir }
  clock.advance(230 * DAY)
  await planRetention({ store: app.app.store, clock, config }, new AbortController().signal)
  const [{ eraseAt } = { eraseAt: 0 }] = await app.app.store.countPlanned()
  clock.advance(eraseAt - 7 * DAY - clock.now())
  await app.settle()
  await app.close()
  return eraseAt
}
