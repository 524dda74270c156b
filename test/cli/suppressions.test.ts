import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR } from '../../src/platform/time.ts'
import { migratedDatabase, onEachEngine, sql, urlOf } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { frontdeskIn, spawnedFrontdeskIn } from './frontdesk.ts'

onEachEngine(engine => {
  test('frontdesk suppressions checks, adds and removes addresses, and stores only hashes', async t => {
    const database = await migratedDatabase(t, engine)
    const frontdesk = frontdeskIn(temporaryFolder(t), { DATABASE_URL: urlOf(database) })
    const say = async (...args: string[]) => (await frontdesk('suppressions', ...args)).out
    equal(await say('check', 'ana@mercy.example'), 'ana@mercy.example is not suppressed.\n')
    equal(await say('add', 'Ana@MERCY.example', '--by', 'Jo'), 'Ana@mercy.example is now suppressed.\n')
    equal(await say('add', 'ana@mercy.example'), 'ana@mercy.example is already suppressed.\n')
    match(await say('check', 'ana@mercy.example'), /suppressed since .* [AP]M .* \(unsubscribed\)\.\n$/)
    const rows = await sql(database, 'select * from suppressions')
    equal(JSON.stringify(rows).includes('mercy'), false)
    equal(await say('remove', 'ana@mercy.example'), 'ana@mercy.example is no longer suppressed.\n')
    equal(await say('remove', 'ana@mercy.example'), 'ana@mercy.example is not suppressed.\n')
    await sql(database, 'alter table audit_log rename to lost_log')
    await rejects(frontdesk('suppressions', 'add', 'ben@mercy.example'), /audit_log/)
    await sql(database, 'alter table lost_log rename to audit_log')
    equal(await say('check', 'ben@mercy.example'), 'ben@mercy.example is not suppressed.\n')
    const deeds = await sql(database, 'select actor, action, detail from audit_log order by id')
    deepEqual(deeds.map(Object.values), [
      ['Jo', 'suppressed an address', ''],
      ['command line', 'ended the suppression of an address', ''],
    ])
  })

  test('frontdesk suppressions remove --bounced-since ends only bounces, and only recent ones', async t => {
    const database = await migratedDatabase(t, engine)
    const frontdesk = frontdeskIn(temporaryFolder(t), { DATABASE_URL: urlOf(database) })
    const now = Date.now()
    for (const [hash, reason, since] of [
      ['old', 'bounced', now - 3 * HOUR],
      ['new', 'bounced', now - HOUR],
      ['wish', 'unsubscribed', now - HOUR],
    ] as const)
      await sql(database, `insert into suppressions values ('${hash}', '${reason}', ${since})`)
    const { out } = await frontdesk('suppressions', 'remove', '--bounced-since', '2h')
    equal(out, '1 address is no longer suppressed.\n')
    const rows = await sql(database, 'select address_hash from suppressions order by address_hash')
    deepEqual(
      rows.map(row => row['address_hash']),
      ['old', 'wish'],
    )
    equal((await frontdesk('suppressions', 'remove')).code, 1)
  })
})

test('frontdesk suppressions accepts one address only', async t => {
  const frontdesk = spawnedFrontdeskIn(temporaryFolder(t))
  const { code, out, err } = await frontdesk('suppressions', 'add', 'ana@mercy.example, b@x.example')
  deepEqual([code, out], [1, ''])
  match(err, /"ana@mercy\.example, b@x\.example" is not a valid email address/)
})
