import { deepEqual, doesNotMatch, equal, match, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { migratedDatabase, onEachEngine, sql, urlOf } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { frontdeskIn } from './frontdesk.ts'

onEachEngine(engine => {
  test('frontdesk operators adds, lists, disables and resets people', async t => {
    const database = await migratedDatabase(t, engine)
    const frontdesk = frontdeskIn(temporaryFolder(t), { DATABASE_URL: urlOf(database) })
    const say = async (...args: string[]) => (await frontdesk('operators', ...args)).out

    equal(await say('list'), 'There are no operators yet: run npx frontdesk operators add.\n')
    match(await say('add'), /^Create the first operator within 24 hours: http:\S+\/welcome\/\S+\n$/)
    match(
      await say('add', 'maria@school.edu', '--name', 'Maria Lopez', '--role', 'admin'),
      /^Maria Lopez chooses a password within 7 days: http:\S+\/welcome\/\S+\n$/,
    )
    equal((await frontdesk('operators', 'add', 'MARIA@school.edu')).code, 1)
    match(await say('add', 'jo.de-vries@school.edu'), /^Jo De Vries chooses a password/)
    match((await frontdesk('operators', 'add')).err, /There are operators already/)
    equal(await say('disable', 'maria@school.edu'), 'Maria Lopez can no longer sign in.\n')
    equal(await say('disable', 'maria@school.edu'), 'Maria Lopez is disabled already.\n')
    match(await say('list'), /maria@school\.edu +Maria Lopez +admin +disabled/)
    // Nothing is done that the audit log does not say.
    await sql(database, 'alter table audit_log rename to lost_log')
    for (const args of [
      ['reset', 'maria@school.edu'],
      ['add', 'tom@school.edu'],
    ])
      await rejects(frontdesk('operators', ...args), /audit_log/)
    await sql(database, 'alter table lost_log rename to audit_log')
    match(await say('list'), /maria@school\.edu +Maria Lopez +admin +disabled/)
    doesNotMatch(await say('list'), /tom/)
    match(await say('reset', 'maria@school.edu'), /^Maria Lopez chooses a new password/)
    match(await say('list'), /maria@school\.edu +Maria Lopez +admin +invited/)
    match((await frontdesk('operators', 'disable', 'tom@school.edu')).err, /Operator tom@school\.edu does not exist/)

    const log = await sql(database, 'select actor, action from audit_log order by id')
    deepEqual(
      log.map(({ actor, action }) => `${actor}: ${action}`),
      [
        ...Array(2).fill('command line: invited an operator'),
        'command line: disabled an operator',
        'command line: reset an operator',
      ],
    )
  })
})
