import { deepEqual, doesNotMatch, equal, match, ok, rejects } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { startApp, withoutFollowUp } from '../support/app.ts'
import { replyWith } from '../support/attachments.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { sql } from '../support/engines.ts'
import { withoutNewEntries } from '../support/with-its-entry.ts'
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
  await service.postSite(aSite({ email: 'ana@mercy.example', company: '=cmd|calc', startedAt: now - MINUTE }))
  await service.settle()
  clock.advance(5 * DAY)
  await service.postStudent(aStudent({ email: 'ben@mail.example', firstName: 'Ben "B"', lastName: 'O, Okafor' }))
  await service.settle()
  clock.advance(4 * DAY)
  const message = 'First line\nsecond line'
  await service.postStudent(aStudent({ email: 'cleo@mail.example', message, firstName: '+Cleo' }))
  await service.postStudent(aStudent({ email: 'ben@mail.example' }))
  await service.settle()
  await sql(service.database, `update leads set owner = 'maria' where id = 2`)
  const contacted = { stage: 'contacted', closedReason: null, actor: null, now: clock.now() + HOUR }
  await service.app.store.changeStage(3, contacted)
  const frontdesk = frontdeskIn(service.dataDir, { COLUMNS: '200' })
  const leads = (...args: string[]) => frontdesk('leads', ...args)

  await t.test('list shows a table of the leads, newest first', async () => {
    const { code, out, err } = await leads('list')
    deepEqual([code, err], [0, ''])
    match(out, /^id +first wrote +waiting +kind +stage +counselor +name +phone +email +company\/state\n/)
    const rows = rowsOf(out)
    // Someone has reached Cleo, who no longer waits.
    deepEqual(
      rows.map(([id, , ...others]) => [id, ...others.slice(0, -4).map(cell => cell.replace(/ \(.*/, ''))]),
      [
        ['3', 'student', 'reached', 'the team'],
        ['2', '5 days', 'student', 'new', 'maria'],
        ['1', '10 days', 'site', 'new', 'the team'],
      ],
    )
    deepEqual(rows[2]?.slice(-4), ['Ana Ruiz', '+15125550142', 'ana@mercy.example', '=cmd|calc'])
    match(rows[0]?.[1] ?? '', /^(yesterday|Fri) \d+:\d\d [AP]M$/)
  })

  await t.test('show lists attachments by number, and attachment saves one as a new file', async () => {
    const { store } = service.app
    const files = [{ name: 'transcript.pdf', bytes: Buffer.from('%PDF-1.7') }]
    const { attachments = [] } = await replyWith(store, 2, files, clock.now())
    const id = String(attachments[0]?.id)
    match((await leads('show', '2')).out, new RegExp(`Here it is\\n +Attachment ${id}: transcript\\.pdf \\(1 KB\\)`))
    const file = join(service.dataDir, 'saved.pdf')
    await withoutNewEntries(service.database, () => rejects(leads('attachment', id, file), /audit_log/))
    equal(existsSync(file), false)
    match((await leads('attachment', id, file, '--by', 'maria')).out, /Saved transcript\.pdf, from an email of lead 2/)
    equal(readFileSync(file, 'utf8'), '%PDF-1.7')
    failed(await leads('attachment', id, file), /already exists/)
    failed(await leads('attachment', '999', `${file}2`), /does not exist/)
    const [audited] = await store.listAudit({ leadId: 2, limit: 1 })
    equal(audited?.action, 'downloaded an attachment of')
    await sql(service.database, 'delete from timeline where id = (select max(entry_id) from attachments)')
    await sql(service.database, 'update leads set replied_at = null')
  })

  await t.test(
    'list --unanswered has those who wait for an answer, the longest wait first, whatever the stage',
    async () => {
      const before = await sql(service.database, 'select id, unanswered_since from leads')
      await sql(service.database, `update leads set unanswered_since = ${now + DAY} * (4 - id) where id > 1`)
      const unanswered = async (...more: string[]) =>
        ids(await leads('list', '--unanswered', '--format', 'json', ...more))
      deepEqual(await unanswered(), [3, 2])
      deepEqual(await unanswered('--limit', '1'), [3])
      deepEqual(await unanswered('--counselor', 'maria'), [2])
      for (const { id, unanswered_since } of before)
        await sql(
          service.database,
          `update leads set unanswered_since = ${unanswered_since ?? 'null'} where id = ${id}`,
        )
    },
  )

  await t.test('list rejects --waiting beside --stage: only people in the stage new wait', async () => {
    const { code, err } = await leads('list', '--waiting', '--stage', 'reached')
    equal(code, 1)
    match(err, /option '--waiting' cannot be used with option '--stage <stage>'/)
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
      [['--counselor', 'team', '--waiting'], [1]],
      [['--counselor', 'maria'], [2]],
      [['--waiting'], [1, 2]],
      [['--search', 'OKÁFOR ben'], [2]],
      [['--search', 'cmd'], [1]],
      [['--search', 'BEN@mail.example'], [2]],
      [
        ['--search', '512 555-0199'],
        [3, 2],
      ],
      [['--search', '50142', '--kind', 'site'], [1]],
      [['--search', '50142', '--kind', 'student'], []],
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
    const [kind, stage, since, limit, counselor] = await Promise.all([
      leads('list', '--kind', 'robot'),
      leads('list', '--stage', 'nowhere'),
      leads('list', '--since', 'yesterday'),
      leads('list', '--limit', '0'),
      leads('list', '--counselor', 'bob'),
    ])
    failed(kind, /Allowed choices are site, student/)
    failed(stage, /Allowed choices are new, reached/)
    failed(since, /"yesterday" is not a time; use 2026-11-21, 2026-11-21T08:00, 2026-11-21T08:00Z, 7d, 12h or 30m/)
    failed(counselor, /Counselor "bob" is not in the settings/)
    failed(limit, /"0" is not a valid number of rows; use a whole number from 1 to/)
  })

  await t.test('show prints everything about one lead', async () => {
    const { code, out } = await leads('show', '3')
    equal(code, 0)
    match(out, /^Lead 3: \+Cleo Okafor \(student, reached\)\n/)
    match(out, /Email: +cleo@mail\.example\n/)
    match(out, /\nSubmission 3, /)
    match(out, /message: +First line\n {18}second line\n/)
    match(out, /interestLevel: +1 - Ready to enroll\n/)
    match(out, /\n {2}Counselor: +the team\n/)
    match(out, /\n {2}Reached: +\w{3}, .+ [AP]M E\wT, after 1 h \(.+ of school hours\)\n/)
    match(out, /\n {2}Employer: +Lone Star Diner\n/)
    doesNotMatch(out, /Company|New phone|Other leads/)
    match(out, /\nTimeline\n.*wrote in.*\n.*Admissions notified.*\n.*receipt sent.*\n.*reached\n/)
  })

  await t.test('show says what happened, who did it, and what they wrote', async () => {
    const { store } = service.app
    const at = clock.now() + 2 * HOUR
    const by = { actor: 'maria', now: at }
    await store.addNote(2, { text: 'Prefers mornings\nCall twice', ...by })
    await store.recordCall(2, { outcome: 'no answer', note: '', ...by })
    await store.assignLead(2, { owner: null, ...by })
    await store.pauseLead(2, by)
    const hash = { addressHash: 'x', reason: 'unsubscribed', now: at } as const
    await store.stopFollowUpEmails(2, hash)
    const { out } = await leads('show', '2')
    match(out, /[AP]M +note: Prefers mornings\n {20,}Call twice \(maria\)\n/)
    match(out, /[AP]M +no answer \(maria\)\n/)
    match(out, /[AP]M +assigned to the team \(maria\)\n/)
    match(out, /[AP]M +follow-up paused \(maria\)\n/)
    match(out, /[AP]M +unsubscribed\n$/)
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
    const times = [found.lead.createdAt, found.submissions[0].receivedAt, found.timeline[0].at]
    for (const time of times) match(time, /^\d{4}-\d\d-\d\dT[\d:]+Z$/)
    equal(found.timeline.filter(({ kind }: { kind: string }) => kind === 'email').length, 4)
  })

  await t.test('show says how to see older entries, and shows them', async () => {
    const { store } = service.app
    const note = { actor: 'maria', now: clock.now() }
    for (let n = 0; n < 101; n++) await store.addNote(1, { text: `note ${n}`, ...note })
    const newest = (await leads('show', '1')).out
    doesNotMatch(newest, /note: note 0 /)
    const [, before = ''] = /\n {2}Older entries: npx frontdesk leads show 1 --before (\d+)\n/.exec(newest) ?? []
    const older = (await leads('show', '1', '--before', before)).out
    match(older, /note: note 0 /)
    doesNotMatch(older, /note: note 100 |Older entries/)
    const json = async (...more: string[]) => JSON.parse((await leads('show', '1', '--format', 'json', ...more)).out)
    equal((await json()).older, Number(before))
    equal((await json('--before', before)).older, null)
    failed(await leads('show', '1', '--before', 'x'), /"x" is not a valid id/)
  })

  await t.test('show names a lead that does not exist', async () => {
    const [unknown, joined, word] = await Promise.all(['99', '4', 'three'].map(id => leads('show', id)))
    failed(unknown as Run, /Lead 99 does not exist\./)
    failed(joined as Run, /Lead 4 does not exist\./)
    failed(word as Run, /"three" is not the id, .* of a lead; .* leads list --search "three"/)
  })

  await t.test('export writes CSV in which a spreadsheet finds no formula', async () => {
    const { code, out } = await leads('export')
    equal(code, 0)
    const [header, ...lines] = out.trimEnd().split('\n')
    equal(
      header,
      'Lead,First wrote,Kind,Stage,Closed because,Counselor,First name,Last name,Email,Phone,Phone (E.164),Latest phone,All phones,Company,Address,City,State,Start,Interest,Experience,Source,Employer,Language,Form,Best time to call,Campus,Own questions,Came from,Campaign,Page,Visit began on,Linked from,Clicks on ads,Calls and texts,Asked,Tags,Programs,Message,Earlier messages,Inquiries,First tried,First reached,Replied,Unanswered since,Paused,Next callback,Last activity,What happened,Changed',
    )
    match(out, /,'=cmd\|calc,/)
    match(lines[0] ?? '', /,'\+Cleo,/)
    match(out, /,"Ben ""B""","O, Okafor",/)
    // A number in E.164 is for programs; nothing else begins like a formula.
    match(lines[0] ?? '', /,512-555-0199,\+15125550199,/)
    ok(!/(?:,|^)[=+@-](?!\d+,)/m.test(out))
  })

  await t.test('list, show and export know tags and programs', async () => {
    const by = { actor: null, now: service.clock.now() }
    await service.app.store.addLabel(2, { kind: 'tag', name: 'Fair', ...by })
    match((await leads('list', '--tag', 'fair')).out, /\n2 /)
    doesNotMatch((await leads('list', '--tag', 'FAIR')).out, /\n[13] /)
    deepEqual(ids(await leads('list', '--tag', 'fair', '--unanswered', '--format', 'json')), [2])
    match((await leads('show', '2')).out, /\n {2}Tags: +Fair\n/)
    match((await leads('export', '--tag', 'fair')).out, /,Fair,/)
    failed(await leads('list', '--tag', 'night'), /The tag "night" does not exist\. .* Fair/)
    failed(await leads('list', '--program', 'welding'), /The program "welding" does not exist/)
  })

  await t.test('export filters, and writes JSON lines with unchanged values', async () => {
    const { out } = await leads('export', '--format', 'json', '--kind', 'site')
    const [line, ...others] = out.split('\n').filter(Boolean)
    equal(others.length, 0)
    equal(JSON.parse(line ?? '').company, '=cmd|calc')
    equal(JSON.parse(line ?? '').phoneE164, '+15125550142')
    match(JSON.parse(line ?? '').address, /Main Street/)
    equal((await leads('export', '--stage', 'closed')).out, '')
  })

  await t.test('a new phone number is shown, found and exported beside the first', async () => {
    const again = { email: 'cleo@mail.example', phone: '(512) 555-0177', message: 'New number' }
    await service.postStudent(aStudent(again))
    await service.settle()
    match(
      (await leads('show', '512-555-0177')).out,
      /\n {2}Phone: +\+15125550199, first given .+ [AP]M.*\n +\+15125550177, first given .+ [AP]M/,
    )
    match((await leads('list')).out, /\n3 .*\+15125550199, \+15125550177/)
    const [lead] = JSON.parse((await leads('list', '--search', '5125550177', '--format', 'json')).out)
    deepEqual([lead.id, lead.phoneE164, lead.latestPhone, lead.inquiries], [3, '+15125550199', '+15125550177', 2])
    deepEqual([lead.message, lead.earlierMessages], ['New number', message])
    equal(lead.phones, '512-555-0199; (512) 555-0177')
    equal(lead.interestLevel, '1 - Ready to enroll')
    await service.postStudent(aStudent({ ...again, phone: '512 555 0199', message: 'The old one' }))
    await service.settle()
    match((await leads('show', '512-555-0177')).out, /^Lead 3: /)
  })

  await t.test('show prefers the open lead of a person, and lists those that it may be', async () => {
    failed(await leads('show', '512-555-0199'), /Several leads have .*:\n {2}Lead 3: .*\n {2}Lead 2: /)
    const closed = { stage: 'closed', closedReason: 'duplicate' as const, actor: null }
    await service.app.store.changeStage(2, { ...closed, now: clock.now() + 3 * HOUR })
    await service.postStudent(aStudent({ email: 'Ben@mail.example', phone: '512-555-0111' }))
    await service.settle()
    const { code, out, err } = await leads('show', 'ben@mail.example')
    deepEqual([code, err], [0, 'ben@mail.example: lead 7 is open; 1 closed before.\n'])
    match(out, /^Lead 7: .*\n(?:.*\n)* {2}Other leads: +Lead 2: .* \(student, closed: duplicate\)\n/)
  })

  await t.test('the running service is not disturbed', async () => {
    equal((await service.postStudent(aStudent())).status, 200)
    await service.settle()
    equal((await service.app.store.listLeads({ limit: 10 })).length, 5)
  })
})

test('frontdesk leads shows a number as it was written if it has an extension, which E.164 would lose', async t => {
  const service = await startApp(t, { settings: withoutFollowUp })
  await service.postSite(aSite({ phone: '(512) 555-0142 ext. 1234' }))
  await service.settle()
  const leads = (...args: string[]) => frontdeskIn(service.dataDir, { COLUMNS: '200' })('leads', ...args)
  match((await leads('list')).out, / \(512\) 555-0142 ext\. 1234 /)
  match((await leads('show', '1')).out, /Phone: +\(512\) 555-0142 ext\. 1234\n/)
})
