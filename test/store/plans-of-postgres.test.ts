/** What queries read on PostgreSQL, where its statistics may say less than there is by now. */
import { doesNotMatch, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { anArrival, startStore } from '../support/store.ts'

test('filing looks for the task of a submission by that submission, however many tasks are due', async t => {
  const { store, clock, database } = await startStore(t, { engine: 'postgres' })
  ok(database.engine === 'postgres')
  const now = clock.now()
  await store.accept(anArrival())
  const tasks = await store.claimTasks({ lane: 'filing', now, token: 'A', limit: 1 })
  const queries: { text: string; values: unknown[] }[] = []
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  const recording = t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    const [text, values] = args
    if (/'refile'/.test(String(text))) queries.push({ text: String(text), values: values as unknown[] })
    return query.apply(this, args)
  } as never)
  await store.readUnfiled(tasks, 50)
  recording.mock.restore()
  const [{ text, values } = { text: '', values: [] }] = queries
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.after(() => client.end())
  // By its statistics of so few rows, which the server may gather meanwhile, other ways cost as little.
  for (const way of ['seqscan', 'bitmapscan']) await client.query(`set enable_${way} = off`)
  const { rows } = await client.query(`explain ${text}`, values)
  const plan = rows.map(row => row['QUERY PLAN']).join('\n')
  match(plan, /tasks_once on tasks/)
  doesNotMatch(plan, /tasks_due/)
})
