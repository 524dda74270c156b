/** The commands on PostgreSQL, which they find as the service does, by DATABASE_URL. */
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { MailRefused } from '../../src/mail/transport/mailer.ts'
import { DAY } from '../../src/platform/time.ts'
import { startApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { sql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { frontdeskBeside, frontdeskIn, rowsOf, spawnedFrontdeskBeside } from './frontdesk.ts'

const idsOf = (json: string): number[] => JSON.parse(json).map(({ id }: { id: number }) => id)

test('frontdesk on PostgreSQL', async t => {
  // The commands go by the clock of the database, so the service must stand near it.
  const clock = testClock(Date.now() - 10 * DAY)
  let failure: Error | undefined = new MailRefused('550 no such user')
  const service = await startApp(t, {
    engine: 'postgres',
    clock,
    mail: async () => {
      if (failure) throw failure
    },
  })
  const { store } = service.app
  await service.postSite(aSite({ email: 'ana@mercy.example', startedAt: clock.now() - DAY / 2 }))
  await service.settle()
  await sql(service.database, `update tasks set state = 'dead' where note like '55%'`)
  failure = undefined
  clock.advance(5 * DAY)
  await service.postStudent(aStudent({ email: 'ben@mail.example', firstName: 'Ben 😀' }))
  await service.postStudent(aStudent({ email: 'ben@mail.example' }))
  for (const company of ['One', 'Two']) {
    await service.postSite(aSite({ company, website: 'x', startedAt: clock.now() }))
  }
  await service.settle()
  const frontdesk = frontdeskBeside(service)

  await t.test('leads lists, filters, shows and exports', async () => {
    const [table, recent, early, shown, csv] = await Promise.all([
      spawnedFrontdeskBeside(service)('leads', 'list'),
      frontdesk('leads', 'list', '--format', 'json', '--since', '7d', '--kind', 'student'),
      frontdesk('leads', 'list', '--format', 'json', '--until', '7d', '--stage', 'new'),
      frontdesk('leads', 'show', '2', '--format', 'json'),
      frontdesk('leads', 'export'),
    ])
    equal(table.err, '')
    deepEqual(
      rowsOf(table.out).map(([id, , , kind, stage]) => [id, kind, stage]),
      [
        ['2', 'student', 'new'],
        ['1', 'site', 'new'],
      ],
    )
    deepEqual([idsOf(recent.out), idsOf(early.out)], [[2], [1]])
    const { lead, submissions, timeline } = JSON.parse(shown.out)
    deepEqual([lead.firstName, lead.email], ['Ben 😀', 'ben@mail.example'])
    deepEqual([submissions.length, timeline.length], [2, 5])
    match(csv.out, /^Lead,First wrote,Kind,Stage,.*\n2,[^,]+,student,new,,the team,Ben 😀,.*\n1,[^,]+,site,new,/)
  })

  await t.test('quarantine lists, releases and dismisses, and the service notifies the team', async () => {
    const before = service.sent.length
    deepEqual(idsOf((await frontdesk('quarantine', 'list', '--format', 'json')).out), [5, 4])
    equal((await frontdesk('quarantine', 'release', '4')).out, 'Submission 4 released.\n')
    const dismissed = await frontdesk('quarantine', 'dismiss', '5', '4')
    deepEqual([dismissed.code, dismissed.out], [1, 'Submission 5 dismissed.\n'])
    match(dismissed.err, /already released or dismissed: 4\./)
    await service.settle()
    equal(service.sent.length, before + 1)
    deepEqual(
      (await store.listLeads({ limit: 10 })).map(lead => lead.id),
      [4, 2, 1],
    )
  })

  await t.test('mail lists failed messages and retries them', async () => {
    const [listed, checked] = await Promise.all([
      frontdesk('mail', 'list', '--state', 'failed', '--format', 'json'),
      frontdesk('check'),
    ])
    deepEqual(
      JSON.parse(listed.out).map(({ note }: { note: string }) => note),
      ['550 no such user'],
    )
    match(checked.out, /note {2}1 message was given up/)
    // A retried message is due by the clock of the database.
    clock.advance(5 * DAY)
    equal((await frontdesk('mail', 'retry', '--failed')).out, '1 message is due now.\n')
    clock.advance(DAY)
    await service.settle()
    equal(service.sent.filter(({ id }) => id.startsWith('notify.1.')).length, 1)
  })
})

test('every command names a PostgreSQL that it cannot reach, without its password', async t => {
  const frontdesk = frontdeskIn(temporaryFolder(t), { DATABASE_URL: 'postgres://desk:hunter2@127.0.0.1:1/desk' })
  const runs = await Promise.all([
    frontdesk('leads', 'list'),
    frontdesk('mail', 'list'),
    frontdesk('quarantine', 'list'),
  ])
  for (const run of runs) {
    deepEqual(run, {
      code: 2,
      out: '',
      err: 'The database postgres://desk@127.0.0.1:1/desk cannot be opened: nothing listens at 127.0.0.1:1\n',
    })
  }
})
