import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { startApp, withoutFollowUp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { sql } from '../support/engines.ts'
import { frontdeskIn, type Run, rowsOf } from './frontdesk.ts'

const failed = ({ code, out, err }: Run, words: RegExp) => {
  deepEqual([code, out], [1, ''])
  match(err, words)
}

const ids = ({ out }: Run): number[] => JSON.parse(out).map((lead: { id: number }) => lead.id)

test('frontdesk leads', async t => {
  // The command goes by the clock of the system, so the service must stand near it.
  const start = Math.floor(Date.now() / 1000) * 1000
  const clock = testClock(start - 10 * DAY)
  const service = await startApp(t, { clock, settings: withoutFollowUp })
  const now = clock.now()
  await service.postSite(
    aSite({ email: 'ana@mercy.example', company: '=cmd|calc', startedAt: now - MINUTE }),
  )
  await service.settle()
  clock.advance(5 * DAY)
  await service.postStudent(
    aStudent({ email: 'ben@mail.example', firstName: 'Ben "B"', lastName: 'O, Okafor' }),
  )
  await service.settle()
  clock.advance(4 * DAY)
  const message = 'First line\nsecond line'
  await service.postStudent(aStudent({ email: 'cleo@mail.example', message, firstName: '+Cleo' }))
  await service.postStudent(aStudent({ email: 'ben@mail.example' }))
  await service.settle()
  await sql(service.database, `update leads set owner = 'maria' where id = 2`)
  const contacted = { stage: 'contacted', closedReason: null, actor: null, now: clock.now() + HOUR }
  await service.app.store.changeStage(3, contacted)
  const frontdesk = frontdeskIn(service.dataDir)
  const leads = (...args: string[]) => frontdesk('leads', ...args)

  await t.test('list shows a table of the leads, newest first', async () => {
    const { code, out, err } = await leads('list')
    deepEqual([code, err], [0, ''])
    match(out, /^id +first wrote +kind +stage +counselor +name +email +phone +company\/state\n/)
    const rows = rowsOf(out)
    deepEqual(
      rows.map(([id, , kind, stage, owner]) => [id, kind, stage, owner]),
      [
        ['3', 'student', 'contacted', 'team'],
        ['2', 'student', 'new', 'maria'],
        ['1', 'site', 'new', 'team'],
      ],
    )
    deepEqual(rows[2]?.slice(6), ['ana@mercy.example', '+15125550142', '=cmd|calc'])
    equal(rows[2]?.[1], `${new Date(now).toISOString().slice(0, 19)}Z`)
  })

  await t.test('list filters, by one option or several, up to a limit', async () => {
    const day = new Date(now + DAY).toISOString().slice(0, 10)
    const expected: [string[], number[]][] = [
      [['--kind', 'site'], [1]],
      [['--kind', 'student', '--stage', 'new'], [2]],
      [
        ['--since', '7d'],
        [3, 2],
      ],
      [
        ['--until', '36h'],
        [2, 1],
      ],
      [['--since', '7d', '--until', '2d'], [2]],
      [['--until', day], [1]],
      [
        ['--since', `${day}T00:00Z`],
        [3, 2],
      ],
      [
        ['--limit', '2'],
        [3, 2],
      ],
    ]
    const runs = expected.map(([filter]) => leads('list', '--format', 'json', ...filter))
    deepEqual(
      (await Promise.all(runs)).map(ids),
      expected.map(([, found]) => found),
    )
  })

  await t.test('list says in each format that nothing matches', async () => {
    const none = ['list', '--stage', 'closed']
    const runs = ['table', 'json', 'csv'].map(format => leads(...none, '--format', format))
    deepEqual(await Promise.all(runs), [
      { code: 0, out: 'No leads match.\n', err: '' },
      { code: 0, out: '[]\n', err: '' },
      { code: 0, out: '', err: '' },
    ])
  })

  await t.test('list rejects unknown filters, and says what it accepts', async () => {
    const [kind, stage, since, limit] = await Promise.all([
      leads('list', '--kind', 'robot'),
      leads('list', '--stage', 'nowhere'),
      leads('list', '--since', 'yesterday'),
      leads('list', '--limit', '0'),
    ])
    failed(kind, /Allowed choices are site, student/)
    failed(stage, /Allowed choices are new, contacted/)
    failed(since, /"yesterday" is not a time; use 2026-11-21, 2026-11-21T08:00Z, 7d, 12h or 30m/)
    failed(limit, /"0" is not a valid number of rows; use a whole number from 1 to/)
  })

  await t.test('show prints everything about one lead', async () => {
    const { code, out } = await leads('show', '3')
    equal(code, 0)
    match(out, /^Lead 3: \+Cleo Okafor \(student, contacted\)\n/)
    match(out, /Email: +cleo@mail\.example\n/)
    match(out, /\nSubmission 3, /)
    match(out, /message: +First line\n {18}second line\n/)
    match(out, /interestLevel: +1 - Ready to enroll\n/)
    match(out, /\n {2}Counselor: +the team\n/)
    match(out, /\n {2}Reached: +\S+, after 1 h \(.+ of school hours\)\n/)
    match(out, /\nTimeline\n.*wrote in.*\n.*team notified.*\n.*receipt sent.*\n.*reached\n/)
  })

  await t.test('show says what happened, who did it, and what they wrote', async () => {
    const { store } = service.app
    const at = clock.now() + 2 * HOUR
    const by = { actor: 'maria', now: at }
    await store.addNote(2, { text: 'Prefers mornings\nCall twice', ...by })
    await store.recordCallAttempt(2, { detail: '', ...by })
    await store.assignLead(2, { owner: null, ...by })
    await store.pauseLead(2, by)
    const hash = { addressHash: 'x', reason: 'unsubscribed', now: at } as const
    await store.stopFollowUpEmails(2, hash)
    const { out } = await leads('show', '2')
    match(out, /\S+ {2}note: Prefers mornings\n {24}Call twice \(maria\)\n/)
    match(out, /\S+ {2}no answer \(maria\)\n/)
    match(out, /\S+ {2}assigned to the team \(maria\)\n/)
    match(out, /\S+ {2}follow-up paused \(maria\)\n/)
    match(out, /\S+ {2}unsubscribed\n$/)
    match(out, /\n {2}Paused: +since /)
  })

  await t.test('show --format json holds all submissions of a lead', async () => {
    const found = JSON.parse((await leads('show', '2', '--format', 'json')).out)
    equal(found.lead.email, 'ben@mail.example')
    deepEqual(
      found.submissions.map((submission: { id: number }) => submission.id),
      [2, 4],
    )
    equal(found.responses.contact, null)
    equal(found.timeline.filter(({ kind }: { kind: string }) => kind === 'email').length, 4)
  })

  await t.test('show names a lead that does not exist', async () => {
    const [unknown, joined, word] = await Promise.all(
      ['99', '4', 'three'].map(id => leads('show', id)),
    )
    failed(unknown as Run, /There is no lead 99\./)
    failed(joined as Run, /There is no lead 4\./)
    failed(word as Run, /"three" is not a valid id/)
  })

  await t.test('export writes CSV in which a spreadsheet finds no formula', async () => {
    const { code, out } = await leads('export')
    equal(code, 0)
    const [header, ...lines] = out.trimEnd().split('\n')
    equal(
      header,
      'id,kind,stage,closedReason,owner,firstName,lastName,email,phone,phoneE164,company,state,createdAt,firstAttemptAt,firstContactAt,updatedAt',
    )
    equal(lines.length, 3)
    match(lines[2] ?? '', /,'=cmd\|calc,/)
    match(lines[0] ?? '', /,'\+Cleo,/)
    match(lines[1] ?? '', /,"Ben ""B""","O, Okafor",/)
    ok(!/,[=+@-]/.test(out))
  })

  await t.test('export filters, and writes JSON lines with unchanged values', async () => {
    const { out } = await leads('export', '--format', 'json', '--kind', 'site')
    const [line, ...others] = out.split('\n').filter(Boolean)
    equal(others.length, 0)
    equal(JSON.parse(line ?? '').company, '=cmd|calc')
    equal(JSON.parse(line ?? '').phoneE164, '+15125550142')
    equal((await leads('export', '--stage', 'closed')).out, '')
  })

  await t.test('the running service is not disturbed', async () => {
    equal((await service.postStudent(aStudent())).status, 200)
    await service.settle()
    equal((await service.app.store.listLeads({ limit: 10 })).length, 4)
  })
})
