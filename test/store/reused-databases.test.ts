/** The PostgreSQL databases of tests, which they use one after the other (`test/support/reused-databases.ts`). */
import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../support/engines.ts'
import { reusedDatabase } from '../support/reused-databases.ts'
import { shared } from '../support/shared-databases.ts'

/** Uses a database for a test of its own, and returns its URL. */
async function use(
  t: TestContext,
  work: (query: (text: string) => Promise<unknown>) => Promise<unknown> = async () => {},
): Promise<string> {
  let url = ''
  await t.test('uses a database', async t => {
    url = await reusedDatabase(t, (await shared('postgres'))?.template ?? 'template0')
    await work(text => sql({ engine: 'postgres', url }, text))
  })
  return url
}

const addLabels = (count: number): string =>
  `insert into labels (kind, name, name_key) select 'tag', n, n from generate_series(1, ${count}) as n returning id`

test('the next test gets the database as it was at first, down to the ids', async t => {
  if ((await shared('postgres')) === undefined) return t.skip('npm test makes the template')
  const contents: unknown[] = []
  const look = async (query: (text: string) => Promise<unknown>) => {
    contents.push([await query('select * from schema_versions'), await query('select * from secrets')])
    deepEqual(await query(addLabels(2)), [{ id: 1 }, { id: 2 }])
    await query("delete from secrets where name = 'links'")
  }
  equal(await use(t, look), await use(t, look))
  deepEqual(contents[1], contents[0])
})

for (const [what, change] of [
  ['changed the schema', 'alter table labels rename to marks'],
  ['added a function', "create function f() returns trigger language plpgsql as 'begin return new; end'"],
  ['left thousands of rows', addLabels(3000)],
] as const)
  test(`a database in which a test has ${what} is used by no other`, async t => {
    if ((await shared('postgres')) === undefined) return t.skip('npm test makes the template')
    notEqual(await use(t, query => query(change)), await use(t))
  })
