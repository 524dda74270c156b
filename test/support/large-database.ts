/** A database with more rows than a test could submit over HTTP. SQL creates them. */
import type { TestContext } from 'node:test'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { sql } from './engines.ts'
import { startStore } from './store.ts'

/** An SQLite database with `count` submissions, each with a lead and a notification that was sent. */
export async function aLargeDatabase(
  t: TestContext,
  count: number,
): Promise<Extract<DatabaseAddress, { engine: 'sqlite' }>> {
  const { store, database } = await startStore(t)
  await store.close()
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
  for (const statement of [
    `insert into submissions (id, kind, received_at, key, fingerprint, email, answer, body, client_address)
       select i, 'site', i, 'key ' || i, 'print', 'a' || i || '@b.example', 200, '{}', '' from n`,
    `insert into leads (id, kind, stage, email, person_key, first_name, last_name, phone, created_at,
       updated_at)
       select i, 'site', 'new', 'a' || i, 'a' || i, 'A', 'B', '1', 0, 0 from n`,
    `insert into timeline (id, lead_id, at, kind, submission_id, detail)
       select i, i, i, 'submission', i, '' from n`,
    `insert into message_texts select 'ä' || (i % 7), 'B' || i, i from n`,
    `insert into tasks (lane, kind, subject, due_at, state, attempts, created_at, finished_at)
       select 'mail', 'notify', i, 0, 'done', 1, 0, 0 from n`,
  ]) {
    const [insert, ...select] = statement.split('select')
    await sql(database, `${insert} ${numbers} select${select.join('select')}`)
  }
  return database as Awaited<ReturnType<typeof aLargeDatabase>>
}
