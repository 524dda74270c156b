import { deepEqual, doesNotMatch, equal, match, rejects } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { strFromU8, unzipSync } from 'fflate'
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { resumption } from '../../src/follow-up/schedule.ts'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import { DAY, MINUTE } from '../../src/platform/time.ts'
import type { FollowUp } from '../../src/store/follow-up/steps.ts'
import { at, local } from '../follow-up/local-time.ts'
import { startApp } from '../support/app.ts'
import { aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { countRows, type Engine, onEachEngine, sql, urlOf } from '../support/engines.ts'
import { withoutNewEntries } from '../support/with-its-entry.ts'
import { frontdeskIn, type Run } from './frontdesk.ts'

const settings: PartialSettings = {
  school: { name: 'Northside', postalAddress: '100 Main Street, Springfield' },
  admissions: {
    counselors: [
      { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' as never },
      { id: 'sam', name: 'Sam Rivera', email: 'sam@school.example' as never, weight: 0 },
    ],
    manager: { name: 'Dana Kim', email: 'dana@school.example' as never },
  },
}

/** Always open, so that nothing depends on the hour at which the tests run. */
const allDay = '00:00-24:00'
const alwaysOpen: PartialSettings = {
  ...settings,
  school: {
    ...settings.school,
    hours: {
      monday: allDay,
      tuesday: allDay,
      wednesday: allDay,
      thursday: allDay,
      friday: allDay,
      saturday: allDay,
      sunday: allDay,
    },
  },
  followUp: { quietHours: { from: '00:00', to: '00:00' } },
}

const failed = ({ code, out, err }: Run, words: RegExp) => {
  deepEqual([code, out], [1, ''])
  match(err, words)
}

/** A service that Ben has written to; lead 1 is his, and Maria's. */
async function setUp(t: TestContext, engine: Engine) {
  // The command goes by the clock of the system, so the service must stand near it.
  const service = await startApp(t, { engine, settings: alwaysOpen, clock: testClock(Date.now()), mail: 'real' })
  await service.postStudent(aStudent({ email: 'ben@mail.example' }))
  await service.settle()
  const file = join(service.dataDir, 'settings.mjs')
  writeFileSync(file, `export default ${JSON.stringify(alwaysOpen)}`)
  const env = { DATABASE_URL: urlOf(service.database), FRONTDESK_CONFIG: file }
  const frontdesk = frontdeskIn(service.dataDir, env)
  return {
    service,
    leads: (...args: string[]) => frontdesk('leads', ...args),
    suppressions: (...args: string[]) => frontdesk('suppressions', ...args),
    lead: async (id = 1) => (await service.app.store.readLead(id))?.lead,
    entries: async (kind: string) => {
      const timeline = (await service.app.store.readLead(1))?.timeline ?? []
      return timeline.filter(entry => entry.kind === kind).map(({ detail, actor }) => [detail, actor])
    },
  }
}

onEachEngine(engine => {
  test('frontdesk leads stage changes the stage once, and the timeline says who did it', async t => {
    const { leads, lead, entries } = await setUp(t, engine)
    const runs = [await leads('stage', '1', 'reached'), await leads('stage', '1', 'contacted')]
    deepEqual(
      runs.map(({ code, out }) => [code, out]),
      [
        [0, 'Lead 1: new → reached.\n'],
        [0, 'Lead 1 is already reached.\n'],
      ],
    )
    equal((await lead())?.firstContactAt !== null, true)
    deepEqual(await entries('stage'), [['contacted', 'command line']])
  })

  test('frontdesk leads stage closes only with a reason, and accepts only stages of the kind', async t => {
    const { leads, lead } = await setUp(t, engine)
    failed(await leads('stage', '1', 'meeting'), /"meeting" is not a stage of student leads; use one of: new, reached/)
    failed(await leads('stage', '1', 'closed'), /Closing a lead needs a --reason; use one of: no reply, never/)
    failed(
      await leads('stage', '1', 'new', '--reason', 'spam'),
      /--reason is only for closing a lead, not for the stage new/,
    )
    failed(await leads('stage', '1', 'closed', '--reason', 'bored'), /Allowed choices are no reply/)
    failed(await leads('stage', '2', 'closed', '--reason', 'spam'), /Lead 2 does not exist\./)
    equal((await lead())?.stage, 'new')
    const { out } = await leads('stage', '1', 'closed', '--reason', 'not interested')
    equal(out, 'Lead 1: new → closed (not interested).\n')
  })

  test('frontdesk leads stage does not reopen a lead of a person who has another open one', async t => {
    const { service, leads, lead } = await setUp(t, engine)
    await leads('stage', '1', 'closed', '--reason', 'duplicate')
    await service.postStudent(aStudent({ email: 'Ben@mail.example' }))
    await service.settle()
    const words = /Lead 1 cannot be reopened: ben@mail\.example has another open lead\./
    failed(await leads('stage', '1', 'qualified'), words)
    equal((await lead())?.stage, 'closed')
    await leads('stage', '2', 'closed', '--reason', 'duplicate')
    equal((await leads('stage', '1', 'qualified')).code, 0)
  })

  test('frontdesk leads correct gives a lead the right address, unless another open lead has it', async t => {
    const { service, leads, lead, entries } = await setUp(t, engine)
    failed(await leads('correct', '1'), /Nothing to correct was given; use --email, --phone or --language/)
    failed(await leads('correct', '1', '--email', 'x'), /The email address must be one valid email/)
    const right = ['--email', 'ben@right.example', '--send-again', '--by', 'maria']
    equal(
      (await leads('correct', 'ben@mail.example', ...right)).out,
      'Lead 1 is corrected.\nEmail: ben@mail.example → ben@right.example\n',
    )
    equal((await lead())?.email, 'ben@right.example')
    equal((await leads('correct', '1', ...right)).out, 'Lead 1 has this contact data already.\n')
    deepEqual(await entries('corrected'), [['Email: ben@mail.example → ben@right.example', 'maria']])
    failed(await leads('correct', '1', '--language', 'xx'), /"xx" is not a language of the settings/)
    match((await leads('correct', '1', '--language', 'es')).out, /^Lead 1 is corrected\.\nLanguage: .* → Spanish\n$/)
    equal((await lead())?.language, 'es')
    await service.postStudent(aStudent({ email: 'ben@third.example' }))
    await service.settle()
    failed(
      await leads('correct', '1', '--email', 'BEN@third.example'),
      /has another open lead, 2\. Nothing was changed\. If both are one person: npx frontdesk leads merge 1 2/,
    )
  })

  test('frontdesk leads merge makes one lead of two, says what that means before, and unmerge takes it back', async t => {
    const { service, leads, lead, entries } = await setUp(t, engine)
    await service.postStudent(aStudent({ email: 'ben@work.example' }))
    await service.settle()
    const by = { actor: 'test', now: service.clock.now() }
    await service.app.store.assignLead(1, { owner: null, ...by })
    await service.app.store.assignLead(2, { owner: 'sam', ...by })
    const dry = await leads('merge', '1', 'ben@work.example', '--dry-run')
    equal(dry.code, 0)
    match(dry.out, /^Lead 1 \(.*, ben@mail\.example\) is kept\. Lead 2 \(.*\) becomes part of it/)
    match(
      dry.out,
      /Emails go to ben@mail\.example only\. The follow-up of lead 1 continues\. The follow-up of lead 2 stops\./,
    )
    match(dry.out, /Sam Rivera follows up, and we tell the team, who had lead 1/)
    match(dry.out, /Nothing has been merged yet\. To merge them: npx frontdesk leads merge 1 2\n$/)
    equal((await service.app.store.findExactLead(2))?.mergedInto, null)

    const { out } = await leads('merge', '1', '2', '--by', 'Ann Lee')
    match(out, /Merged\. To separate them again: npx frontdesk leads unmerge 2,/)
    deepEqual(
      (await entries('merged')).map(([, actor]) => actor),
      ['Ann Lee'],
    )
    equal((await lead(2))?.id, 1)
    equal((await lead())?.owner, 'sam')
    failed(await leads('merge', '1', '2'), /1 and 2 are one lead already: lead 1/)
    failed(await leads('merge', '1', '1'), /Name two leads.*Both are 1\./)
    match(
      (await leads('unmerge', '1')).out,
      /^Lead 1 is the one that was kept\. .*: Lead 2 \(Ben Okafor, ben@work\.example\)\.\n$/,
    )
    failed(await leads('unmerge', 'nobody@work.example'), /No lead has nobody@work\.example/)

    match((await leads('unmerge', 'Ben@work.example', '--by', 'Ann Lee')).out, /^Lead 2 is a lead of its own again/)
    equal((await leads('unmerge', '2')).out, 'Lead 2 is not merged into another.\n')
    deepEqual([(await lead())?.owner, (await lead(2))?.id], [null, 2])
    failed(await leads('unmerge', '9'), /Lead 9 does not exist/)

    await leads('stage', '1', 'closed', '--reason', 'not interested')
    failed(await leads('merge', '1', '2'), /Keep the open one\.\nnpx frontdesk leads merge 2 1/)
    match((await leads('merge', '2', '1')).out, /Merged\./)
  })

  test('frontdesk leads add enters someone who called, once a day, without an email to them', async t => {
    const { service, leads, lead } = await setUp(t, engine)
    const name = ['--first-name', 'Ana', '--last-name', 'Ruiz']
    failed(await leads('add', ...name), /Nothing was added: An email address or a phone number is required\./)
    failed(await leads('add', ...name, '--company', 'x'), /--company is not for a lead of the kind/)
    const ana = [
      ...name,
      '--phone',
      '512 555 0188',
      '--email',
      'ana@mail.example',
      '--reached',
      '--came-from',
      'Spring fair',
    ]
    failed(await leads('add', ...ana, '--counselor', 'bob'), /use one of: maria, sam, manager/)
    failed(await leads('add', ...ana, '--language', 'xx'), /"xx" is not a language of the settings/)
    const entered = [...ana, '--counselor', 'sam', '--by', 'Ann Lee']
    match((await leads('add', ...entered)).out, /^Added\./)
    equal((await leads('add', ...entered)).out, 'This was added already today. Nothing has changed.\n')
    await service.settle()
    match((await leads('show', '2')).out, /entered by hand \(Ann Lee, submission 2\)/)
    const found = await lead(2)
    deepEqual([found?.owner, found?.stage], ['sam', 'contacted'])
    const log = await sql(service.database, 'select actor, action, lead_id, detail from audit_log')
    deepEqual({ ...log[0] }, { actor: 'Ann Lee', action: 'added', lead_id: 2, detail: 'student' })
    const sent = await sql(service.database, `select note from tasks where kind = 'receipt' and subject = 2`)
    deepEqual(
      sent.map(({ note }) => note),
      ['they did not ask us to write by email'],
    )
  })

  test('frontdesk leads assign assigns a lead to a counselor or the team', async t => {
    const { leads, lead, entries } = await setUp(t, engine)
    failed(await leads('assign', '1', 'bob'), /called "bob".*; use one of: maria, sam, manager, team\./)
    const outputs = []
    for (const to of ['sam', 'sam', 'team']) outputs.push((await leads('assign', '1', to)).out)
    deepEqual(outputs, [
      'Lead 1 was reassigned from Maria Lopez to Sam Rivera.\n',
      'Lead 1 is already assigned to Sam Rivera.\n',
      'Lead 1 was reassigned from Sam Rivera to the team.\n',
    ])
    equal((await lead())?.owner, null)
    deepEqual((await entries('assigned')).slice(1), [
      ['sam', 'command line'],
      ['the team', 'command line'],
    ])
  })

  test('frontdesk leads assign says who is away, and who gets the messages meanwhile', async t => {
    const { service, leads } = await setUp(t, engine)
    const always = { firstDay: '2026-01-01', lastDay: '2099-12-03' }
    await service.app.store.addAbsence({ counselor: 'sam', ...always })
    equal(
      (await leads('assign', '1', 'sam')).out,
      'Lead 1 was reassigned from Maria Lopez to Sam Rivera. Sam Rivera is away until December 3, 2099; ' +
        'Northside Admissions gets the messages until then.\n',
    )
    await service.settle()
    const mail = readdirSync(join(service.dataDir, 'mail')).filter(name => name.includes('news'))
    // To Sam, to Maria, and to the team in place of Sam.
    equal(mail.length, 3)
  })

  test('frontdesk leads, with --by, records who did it', async t => {
    const { leads, entries } = await setUp(t, engine)
    await leads('assign', '1', 'manager', '--by', 'sam')
    await leads('note', '1', 'Call her mother', '--by', 'Pat Green')
    await leads('stage', '1', 'contacted', '--by', 'Dana Kim')
    await leads('pause', '1', '--by', 'Maria Lopez')
    deepEqual(
      [
        (await entries('assigned'))[1],
        (await entries('note'))[0],
        (await entries('stage'))[0],
        (await entries('paused'))[0],
      ],
      [
        ['manager', 'sam'],
        ['Call her mother', 'Pat Green'],
        ['contacted', 'manager'],
        ['', 'maria'],
      ],
    )
    match((await leads('show', '1')).out, /Counselor: +Dana Kim/)
    failed(await leads('pause', '1', '--by', ' '), /The name after --by must not be empty\./)
  })

  test('frontdesk leads note saves notes, and leads call the outcome of a call', async t => {
    const { leads, lead, entries } = await setUp(t, engine)
    equal((await leads('note', '1', 'Prefers', 'mornings')).code, 0)
    deepEqual([(await lead())?.firstAttemptAt, (await lead())?.stage], [null, 'new'])
    equal((await leads('call', '1', 'no-answer', 'Rang', 'twice')).code, 0)
    failed(await leads('call', '1', 'maybe'), /use one of: reached, no-answer, voicemail, busy, wrong-number/)
    equal((await lead())?.firstAttemptAt !== null, true)
    equal((await lead())?.firstContactAt, null)
    deepEqual(await entries('note'), [['Prefers mornings', 'command line']])
    deepEqual(await entries('attempt'), [['no answer: Rang twice', 'command line']])
    failed(await leads('note', '1', ' '), /The note must not be empty\./)
    failed(await leads('note', '1', 'a\u001b[2Jb'), /The note must not contain control characters\./)
    failed(await leads('note', '1', 'x'.repeat(1501)), /The note must have at most 1500 characters\./)
    failed(await leads('call', '1', 'busy', 'x'.repeat(1501)), /at most 1500 characters\./)
    equal((await leads('note', '1', 'x'.repeat(1500))).code, 0)
  })

  test('frontdesk leads pause and resume do not count the time between', async t => {
    const { service, leads, lead, entries } = await setUp(t, engine)
    const dues = () => sql(service.database, `select step, due_at from tasks where kind = 'step' order by step`)
    const before = await dues()
    equal((await leads('pause', '1')).code, 0)
    equal((await leads('pause', '1')).out, 'Follow-up of lead 1 is already paused.\n')
    await sql(service.database, `update leads set paused_at = paused_at - ${14 * DAY} where id = 1`)
    await sql(service.database, `update leads set follow_up_since = created_at - ${14 * DAY}`)
    const { code, out } = await leads('resume', '1')
    equal(code, 0)
    match(out, /^Follow-up of lead 1 has resumed after a pause of 336 h( \d min)?\.\n$/)
    equal((await lead())?.pausedAt, null)
    // As if it had begun 14 days ago, with the pause, and the two weeks had not passed.
    const moved = (await dues()).map((row, i) => Number(row['due_at']) - Number(before[i]?.['due_at']))
    equal(moved.length, 3)
    for (const by of moved) equal(Math.abs(by) < MINUTE, true)
    deepEqual(await entries('resumed'), [['', 'command line']])
    equal((await leads('resume', '1')).out, 'Follow-up of lead 1 is not paused.\n')
  })

  test('frontdesk leads export-person writes everything about a person into a new file', async t => {
    const { service, leads } = await setUp(t, engine)
    const file = join(service.dataDir, 'ben.zip')
    await withoutNewEntries(service.database, () =>
      rejects(leads('export-person', 'ben@mail.example', file), /audit_log/),
    )
    equal(existsSync(file), false)
    const { code, out } = await leads('export-person', 'ben@mail.example', file)
    equal(code, 0)
    match(out, /Wrote everything about ben@mail\.example/)
    const files = unzipSync(new Uint8Array(readFileSync(file)))
    const data = JSON.parse(strFromU8(files['person.json'] ?? new Uint8Array()))
    deepEqual([data.leads.length, data.inquiries[0].body.email], [1, 'ben@mail.example'])
    failed(await leads('export-person', '1', file), /already exists; name a new file/)
    failed(await leads('export-person', 'no@mail.example', file), /Nothing is stored about/)
    const [entry] = await service.app.store.listAudit({ limit: 1 })
    deepEqual([entry?.actor, entry?.action], ['command line', 'exported a person'])
  })

  test('frontdesk leads export is in the audit log before anything is written, without the words of a search', async t => {
    const { service, leads } = await setUp(t, engine)
    await withoutNewEntries(service.database, () => rejects(leads('export'), /audit_log/))
    match((await leads('export', '--kind', 'student', '--campaign', 'Ben', '--by', 'Dana Kim')).out, /^$/)
    match((await leads('export')).out, /ben@mail\.example/)
    deepEqual(
      (await service.app.store.listAudit({ limit: 2 })).map(({ actor, action, detail }) => [actor, action, detail]),
      [
        ['command line', 'exported leads', 'csv: all leads'],
        ['Dana Kim', 'exported leads', 'csv: kind=student, campaign'],
      ],
    )
  })

  test('frontdesk leads list and show are in the audit log, with the leads that they showed, before anything is printed', async t => {
    const { service, leads } = await setUp(t, engine)
    await withoutNewEntries(service.database, async () => {
      await rejects(leads('list'), /audit_log/)
      await rejects(leads('show', '1'), /audit_log/)
    })
    match((await leads('list', '--search', 'no one')).out, /No leads match/)
    match((await leads('list', '--by', 'Dana Kim')).out, /Ben/)
    match((await leads('show', 'ben@mail.example')).out, /ben@mail\.example/)
    deepEqual(
      (await service.app.store.listAudit({ limit: 9 })).map(({ actor, action, leadId, detail }) => [
        actor,
        action,
        leadId,
        detail,
      ]),
      [
        ['command line', 'opened', 1, ''],
        ['Dana Kim', 'read leads', undefined, '1'],
      ],
    )
  })

  test('a caller without an address is entered, shown, exported, corrected and erased by their number', async t => {
    const { service, leads, lead } = await setUp(t, engine)
    const phone = '(512) 555-0188'
    match((await leads('add', '--first-name', 'Ana', '--last-name', 'Ruiz', '--phone', phone)).out, /^Added\./)
    await service.settle()
    equal((await lead(2))?.email, null)
    const shown = (await leads('show', '512 555 0188')).out
    match(shown, /\+15125550188/)
    doesNotMatch(shown, /null|undefined/)
    match((await leads('list')).out, /Ana Ruiz +\+15125550188/)
    match((await leads('export', '--format', 'csv')).out, /Ana,Ruiz,,\(512\) 555-0188/)
    failed(await leads('correct', '2', '--phone', ''), /An email address or a phone number is required\./)
    match((await leads('correct', '2', '--email', 'ana@mail.example')).out, /Email: none → ana@mail\.example/)
    match((await leads('correct', '2', '--email', '')).out, /Email: ana@mail\.example → none/)
    const file = join(service.dataDir, 'ana.zip')
    match((await leads('export-person', phone, file)).out, /Wrote everything about \+15125550188/)
    failed(await leads('erase', phone), /would permanently erase \+15125550188: every lead with that number/)
    const { out } = await leads('erase', phone, '--yes')
    match(out, /^Erased 1 lead, 1 submission/)
    doesNotMatch(out, /follow-up emails/)
    failed(await leads('erase', phone, '--yes'), /Nothing is stored about \+15125550188/)
    equal(await lead(2), undefined)
  })

  test('frontdesk leads erase says what it would erase, and erases it with --yes', async t => {
    const { service, leads, suppressions } = await setUp(t, engine)
    await service.postStudent(aStudent({ email: 'cleo@mail.example' }))
    await service.settle()
    const mail = () => readdirSync(join(service.dataDir, 'mail')).length
    equal(mail(), 4)
    failed(await leads('erase', '1'), /would permanently erase ben@mail\.example:.*To erase, add --yes/s)
    equal(await countRows(service.database, 'leads'), 2)
    await leads('correct', '2', '--email', 'cleo.park@mail.example')
    match(
      (await leads('erase', 'cleo@mail.example')).err,
      /corrected to cleo\.park@mail\.example on a lead, which may be/,
    )
    const { code, out } = await leads('erase', '1', '--yes', '--by', 'Ana Ruiz')
    equal(code, 0)
    match(out, /^Erased 1 lead, 1 submission and 2 emails in files\./)
    match(out, /Out of reach: emails already sent, logs of mail servers, backups\./)
    if (engine === 'postgres') match(out, /vacuum/)
    else doesNotMatch(out, /vacuum/)
    deepEqual([await countRows(service.database, 'leads'), mail()], [1, 2])
    match((await suppressions('check', 'ben@mail.example')).out, /suppressed since .*unsubscribed/)
    failed(await leads('erase', '1', '--yes'), /Lead 1 does not exist\./)
    const bytes = Buffer.from('Name,Email\nCy,cy@mail.example')
    const now = service.clock.now()
    await storeList(service.app.store, { bytes, fileName: 'a.csv', by: 'Jo', now })
    match(
      (await leads('erase', 'cy@mail.example', '--yes')).out,
      /Erased 0 leads[^.]*\. Erased 1 row of uploaded lists\./,
    )
    failed(await leads('erase', 'cy@mail.example', '--yes'), /Nothing is stored about cy@/)
    failed(await leads('pause', '1'), /Lead 1 does not exist\./)
  })
})

describe('resuming', () => {
  const checked = checkSettings(settings).settings
  const cadence = checked.followUp.student
  const clocks = createCalendar(checked).hoursFor({ state: 'NY', phoneE164: null })
  const open = (step: number) => ({ step, state: 'due' as const, dueAt: 0, finishedAt: null, note: null })
  const done = (step: number, finished: string) => ({
    step,
    state: 'done' as const,
    dueAt: 0,
    finishedAt: at(finished),
    note: null,
  })
  const resumed = (steps: FollowUp['steps'], since: string, paused: string, now: string) => {
    const followUp = { cadence, since: at(since), steps }
    const { since: moved, steps: planned } = resumption(followUp, at(paused), at(now), clocks)
    return [local(moved), ...planned.map(({ step, dueAt }) => [step, local(dueAt)])]
  }

  test('lets each track go on where it rested', () => {
    // The reminder after an hour had 30 minutes to go, the letter of day 1 one day.
    const monday = '2026-11-23T10:00'
    const steps = [done(0, '2026-11-23T10:05'), done(1, '2026-11-23T10:15'), open(2), open(3), open(6)]
    deepEqual(resumed(steps, monday, '2026-11-23T10:30', '2026-11-30T10:30'), [
      '2026-11-30T10:00:00',
      [2, '2026-11-30T11:00:00'],
      [3, '2026-12-01T10:00:00'],
      [6, '2026-12-14T10:00:00'],
    ])
  })

  test('keeps the distance from a step that had come late, without the pause', () => {
    const steps = [done(3, '2026-11-26T10:00'), open(4)]
    deepEqual(resumed(steps, '2026-11-23T10:00', '2026-11-26T12:00', '2026-12-03T12:00').at(-1), [
      4,
      '2026-12-05T10:00:00',
    ])
  })

  test('lets no track wait for what came late on another', () => {
    const steps = [done(2, '2026-11-24T09:00'), open(3)]
    deepEqual(resumed(steps, '2026-11-23T10:00', '2026-11-24T09:30', '2026-12-01T09:30').at(-1), [
      3,
      '2026-12-01T10:00:00',
    ])
  })

  test('sends nothing in the past, and nothing at night', () => {
    deepEqual(resumed([open(3)], '2026-11-23T10:00', '2026-11-25T10:00', '2026-11-25T22:00').at(-1), [
      3,
      '2026-11-26T09:00:00',
    ])
  })
})
