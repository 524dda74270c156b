/**
 * What queries read. SQLite plans without statistics, which the service never gathers, and so plans
 * alike whatever there is: a plan that reads all of a table is wrong from the first row on.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Kysely } from 'kysely'
import { fileSubmissions } from '../../src/store/filing.ts'
import { listLeads } from '../../src/store/leads.ts'
import { listMail, recordSent } from '../../src/store/outbox.ts'
import { expireQuarantine, listQuarantine, trimQuarantine } from '../../src/store/quarantine.ts'
import type { Schema } from '../../src/store/schema.ts'
import { openSqlite } from '../../src/store/sqlite/database.ts'
import { claimTasks, type Task } from '../../src/store/tasks.ts'
import { DAY, testClock } from '../support/clock.ts'
import { anArrival, startStore } from '../support/store.ts'

const now = testClock().now()
const limits = { days: 30, capacity: 1000 }

type Query = { text: string; values: never[] }

/** The steps of each query that `work` runs, planned with the values it has there. */
async function plansOf(t: TestContext, work: (db: Kysely<Schema>) => Promise<unknown>) {
  const { store, database } = await startStore(t)
  ok(database.engine === 'sqlite')
  await store.accept(anArrival())
  await store.close()
  const { raw, db } = await openSqlite(database.file, now)
  const queries: Query[] = []
  const prepare = raw.prepare.bind(raw)
  const recording = t.mock.method(raw, 'prepare', (text: string) => {
    const statement = prepare(text)
    for (const name of ['all', 'run'] as const) {
      const run = statement[name].bind(statement) as (...values: never[]) => never
      t.mock.method(statement, name, (...values: never[]) => {
        queries.push({ text, values })
        return run(...values)
      })
    }
    return statement
  })
  await work(db)
  recording.mock.restore()
  const plans = queries
    .filter(({ text }) => /^(select|update|delete|insert|with)/.test(text))
    .map(({ text, values }) => {
      const steps = raw.prepare(`explain query plan ${text}`).all(...values)
      return { text, steps: steps.map(step => String(step['detail'])) }
    })
  raw.close()
  return plans
}

/** The one plan among them of a query on such a text. */
async function planOf(t: TestContext, about: RegExp, work: Parameters<typeof plansOf>[1]) {
  const [plan, ...others] = (await plansOf(t, work)).filter(({ text }) => about.test(text))
  equal(others.length, 0)
  return plan?.steps ?? []
}

const aStudentIsFiled = async (db: Kysely<Schema>): Promise<Task[]> => {
  const tasks = await claimTasks(db, { lane: 'filing', now, token: 'A', limit: 1 })
  const person = {
    ...{ email: 'ben@mail.example', firstName: 'Ben', lastName: 'Okafor', phone: '1' },
    ...{ phoneE164: undefined, company: undefined, state: 'IL', noReceipt: undefined },
  }
  const submission = { id: 1, kind: 'student', receivedAt: now } as const
  const filing = { submission, released: false, signals: [], textDigest: undefined, person }
  equal(await fileSubmissions(db, tasks, [filing], { now, quarantine: limits }), true)
  return claimTasks(db, { lane: 'mail', now, token: 'A', limit: 1 })
}

describe('SQLite, without statistics,', () => {
  test('looks for an earlier receipt among those of one address alone', async t => {
    const steps = await planOf(t, /'receipt'|"created_at" > \?/, aStudentIsFiled)
    match(steps.join('\n'), /tasks USING INDEX \S+ \(kind=\? AND subject=\?\)/)
    match(steps.join('\n'), /leads USING COVERING INDEX leads_person \(email_key=\? AND kind=\?\)/)
    match(steps.join('\n'), /timeline USING INDEX timeline_lead \(lead_id=\?\)/)
    deepEqual(
      steps.filter(step => /SCAN/.test(step)),
      [],
    )
  })

  test('reads nothing whole to file, or to note what was sent', async t => {
    const plans = await plansOf(t, async db => {
      const [mail] = await aStudentIsFiled(db)
      equal(await recordSent(db, mail as Task, now), true)
    })
    ok(plans.length > 8)
    // What is claimed is first gathered, and then read as `free`.
    const whole = plans.filter(({ steps }) => steps.some(step => /^SCAN (?!free)/.test(step)))
    deepEqual(whole, [])
  })

  for (const [index, filter] of [
    ['leads_recent', {}],
    ['leads_recent', { since: now - DAY, until: now }],
    ['leads_kind', { kind: 'site' }],
    ['leads_kind', { kind: 'site', until: now }],
    ['leads_stage', { stage: 'enrolled' }],
    ['leads_stage', { stage: 'enrolled', since: now - DAY }],
  ] as const) {
    for (const before of [undefined, 7]) {
      const named = `${Object.keys(filter).join(' and ') || 'nothing'}${before ? ', further on' : ''}`
      test(`lists leads by ${named} in the order of ${index}`, async t => {
        const steps = await planOf(t, /from "leads"/, db =>
          listLeads(db, { ...filter, before, limit: 50 }),
        )
        match(steps[0] ?? '', new RegExp(`^(SEARCH|SCAN) leads USING INDEX ${index}\\b`))
        if (before || 'since' in filter || 'until' in filter)
          match(steps[0] ?? '', /created_at[,<>)]/)
        ok(!steps.some(step => /TEMP B-TREE/.test(step)))
      })
    }
  }

  test('lists skipped and failed messages by an index of their own', async t => {
    for (const [state, index] of [
      ['skipped', 'tasks_skipped'],
      ['failed', 'tasks_dead'],
    ] as const) {
      const steps = await planOf(t, /from "tasks"/, db =>
        listMail(db, { state, before: 9, limit: 50 }),
      )
      deepEqual(steps, [`SEARCH tasks USING INDEX ${index} (lane=? AND id<?)`])
    }
  })

  test('lists one state of the quarantine in its order', async t => {
    const steps = await planOf(t, /from "quarantine"/, db =>
      listQuarantine(db, { state: 'dismissed', before: 9, limit: 50 }),
    )
    deepEqual(steps, [
      'SEARCH q USING INDEX quarantine_listed (state=? AND submission_id<?)',
      'SEARCH s USING INTEGER PRIMARY KEY (rowid=?)',
    ])
  })

  test('lets the quarantine expire without a look at what was long ago dismissed', async t => {
    const steps = await planOf(t, /^select/, db => expireQuarantine(db, now, limits))
    deepEqual(steps, [
      'SEARCH s USING INDEX submissions_refused (received_at<?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH q USING INTEGER PRIMARY KEY (rowid=?)',
    ])
  })

  test('trims the quarantine by looking at what is held, newest first', async t => {
    const steps = await planOf(t, /^select/, db =>
      db.transaction().execute(tx => trimQuarantine(tx, limits)),
    )
    deepEqual(steps, ['SEARCH quarantine USING INDEX quarantine_state (state=?)'])
  })
})
