import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { startApp, withoutFollowUp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { type Engine, onEachEngine, sql, urlOf } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { frontdeskIn, spawnedFrontdeskIn } from './frontdesk.ts'

const everyDay = (hours: string) => ({
  monday: hours,
  tuesday: hours,
  wednesday: hours,
  thursday: hours,
  friday: hours,
  saturday: hours,
  sunday: hours,
})

/** Always open, and where no clocks change, so that nothing depends on when the tests run. */
const settings: PartialSettings = {
  school: { timeZone: 'America/Phoenix', hours: everyDay('00:00-24:00'), postalAddress: '100 Main Street, Phoenix' },
  admissions: {
    counselors: [
      { id: 'maria', name: 'Maria Lopez', email: 'maria@school.example' as never, backup: 'sam' },
      { id: 'sam', name: 'Sam Rivera', email: 'sam@school.example' as never, weight: 0 },
    ],
  },
  followUp: { quietHours: { from: '00:00', to: '00:00' } },
}

async function setUp(t: TestContext, engine: Engine, { over = {}, age = 2 * DAY } = {}) {
  const all = { ...settings, ...over }
  // The command goes by the clock of the system, so the service comes up to it.
  const start = Math.floor(Date.now() / 1000) * 1000 - age
  const clock = testClock(start)
  const service = await startApp(t, { engine, clock, settings: all })
  const file = join(service.dataDir, 'settings.mjs')
  writeFileSync(file, `export default ${JSON.stringify(all)}`)
  const env = { DATABASE_URL: urlOf(service.database), FRONTDESK_CONFIG: file, COLUMNS: '200' }
  const frontdesk = frontdeskIn(service.dataDir, env)
  await service.postStudent(aStudent({ email: 'ben@mail.example', state: 'HI' }))
  await service.settle()
  return {
    service,
    start,
    clock,
    frontdesk,
    store: service.app.store,
    plan: (...args: string[]) => frontdesk('follow-up', 'plan', ...args),
    /** Lets time pass up to now, with all that is due in it. */
    catchUp: async () => {
      for (const pause of [5 * MINUTE, 10 * MINUTE, 45 * MINUTE, DAY - HOUR, age - DAY]) {
        clock.advance(pause)
        await service.settle()
      }
    },
  }
}

type Step = { at: string; step: string; to: string; skipped: string | null }
const short = (moment: number) => `${new Date(moment).toISOString().slice(0, 19)}Z`

onEachEngine(engine => {
  test('frontdesk follow-up plan shows what has happened, what will, when and to which recipient', async t => {
    const { plan, store, start, catchUp, frontdesk } = await setUp(t, engine)
    await catchUp()
    // The timeline says what the console says, not the names of the steps.
    const shown = (await frontdesk('leads', 'show', '1')).out
    match(shown, /reminder to Maria Lopez sent\n.*reminder to Sam Rivera sent\n/)
    match(shown, /email to \S+ \S+ sent/)
    doesNotMatch(shown, /remind-|day-1/)
    const untried = (await plan('1')).out
    match(untried, /no-reply +closes the lead: never called .* the manager is notified first/)
    await store.recordCall(1, { outcome: 'no answer', note: '', actor: 'maria', now: start + HOUR })
    const found = JSON.parse((await plan('1', '--format', 'json')).out)
    deepEqual(
      found.past.map(({ at, step, to, became }: Step & { became: string }) => [at, step, to, became]),
      [
        [short(start + 5 * MINUTE), 'remind-counselor', 'counselor', 'sent'],
        [short(start + 15 * MINUTE), 'remind-backup', 'backup', 'sent'],
        [short(start + HOUR), 'tell-manager', 'manager', 'sent'],
        [short(start + DAY), 'day-1', 'student', 'sent'],
      ],
    )
    deepEqual(
      found.future.map(({ at, step, to, address, skipped }: Step & { address: string | null }) => [
        at,
        step,
        to,
        address,
        skipped,
      ]),
      [
        [short(start + 3 * DAY), 'day-3', 'student', 'ben@mail.example', null],
        [short(start + 7 * DAY), 'day-7', 'student', 'ben@mail.example', null],
        [short(start + 14 * DAY), 'no-reply', 'closes the lead: no reply', null, null],
      ],
    )
    deepEqual([found.lead, found.cadence, found.since], [1, 1, short(start)])
    const { out } = await plan('1')
    match(out, /^Lead 1: Ben Okafor \(student, new\)\nCounselor: Maria Lopez\nCadence 1, counted from /)
    match(out, /\nyesterday \d+:\d\d [AP]M +day-1 +student +sent\n/)
    // Hawaii is three hours behind Arizona.
    const [, school = '', there = ''] =
      /\n\w+ (\d+):\d\d [AP]M +\w+ (\d+):\d\d [AP]M +day-3 .* letters\/day-3\.md\n/.exec(out) ?? []
    equal((Number(school) - Number(there) + 12) % 12, 3)
  })

  test('frontdesk follow-up plan names the person who is there on the day, such as the backup', async t => {
    const { plan, store, start } = await setUp(t, engine, { age: 0 })
    const day = (moment: number) => new Date(moment - 7 * HOUR).toISOString().slice(0, 10)
    const away = { firstDay: day(start), lastDay: day(start + DAY) }
    await store.addAbsence({ counselor: 'maria', ...away })
    const { out } = await plan('1')
    match(out, /remind-counselor +Sam Rivera +5 minutes, school hours/)
    match(out, /remind-backup +Example Vocational School Admissions /)
    match(out, /tell-manager +Example Vocational School Admissions /)
    await store.assignLead(1, { owner: null, actor: null, now: start })
    match((await plan('1')).out, /remind-backup .* skipped: the lead has no counselor to stand in/)
  })

  test('frontdesk follow-up plan says what stops all or some of its steps', async t => {
    const { plan, store, frontdesk, start } = await setUp(t, engine, { age: 0 })
    await frontdesk('suppressions', 'add', 'Ben@mail.example')
    const { out: letters } = await plan('1')
    match(letters, /day-7 .* skipped\n/)
    match(letters, /no-reply +closes the lead: never called/)
    match(letters, /\nSome steps will be skipped: the student has unsubscribed\.\n$/)
    doesNotMatch(letters, /tell-manager .* skipped/)
    const by = { actor: null, now: start }
    await store.pauseLead(1, by)
    match((await plan('1')).out, /\nNothing happens while the follow-up is paused \(since .*\)\. .* now:\n/)
    await store.changeStage(1, { stage: 'contacted', closedReason: null, ...by })
    match((await plan('1')).out, /\nNothing further will be sent: the lead is reached\.\n$/)
  })

  test('frontdesk follow-up plan of a site does not mention what stops emails to students', async t => {
    const over = { school: { hours: everyDay('00:00-24:00') } }
    const { service, plan } = await setUp(t, engine, { over, age: 0 })
    await service.postSite(aSite())
    await service.settle()
    const { code, out } = await plan('2')
    equal(code, 0)
    match(out, /\nStill to come:\n/)
    doesNotMatch(out, /skipped|postal address/)
    match((await plan('1')).out, /\nSome steps will be skipped: the settings have no postal address/)
  })

  test('frontdesk follow-up plan shows for a paused lead the times that resuming would give', async t => {
    const { plan, store, frontdesk, clock } = await setUp(t, engine)
    clock.advance(12 * HOUR)
    await store.pauseLead(1, { actor: null, now: clock.now() })
    const future = async () => JSON.parse((await plan('1', '--format', 'json')).out).future as Step[]
    const asIf = await future()
    equal((await frontdesk('leads', 'resume', '1')).code, 0)
    const then = await future()
    deepEqual(
      then.map(({ step }) => step),
      asIf.map(({ step }) => step),
    )
    for (const [i, { at }] of then.entries()) {
      equal(Math.abs(Date.parse(at) - Date.parse(asIf[i]?.at ?? '')) < MINUTE, true)
    }
  })

  test('frontdesk follow-up plan says when a lead has no follow-up', async t => {
    const { service, plan } = await setUp(t, engine, { over: withoutFollowUp, age: 0 })
    match((await plan('1')).out, /\nNothing further will be sent: the cadence has no more steps\.\n$/)
    await sql(service.database, 'update leads set cadence_id = null')
    const [none, unknown] = [await plan('1'), await plan('2')]
    deepEqual([none.code, none.out, none.err], [1, '', 'Lead 1 has no follow-up.\n'])
    await sql(service.database, 'update leads set account = 1')
    equal((await plan('1')).err, 'Lead 1 has no follow-up: the student has an account.\n')
    deepEqual([unknown.code, unknown.err], [1, 'Lead 2 does not exist.\n'])
  })

  test('frontdesk follow-up plan uses the steps that the settings had when the lead first wrote', async t => {
    const { service, plan } = await setUp(t, engine, { age: 0 })
    const file = join(service.dataDir, 'settings.mjs')
    writeFileSync(file, `export default ${JSON.stringify({ ...settings, ...withoutFollowUp })}`)
    const { out } = await plan('1')
    match(out, /\nThe settings have changed since then; this lead stays on its cadence\.\n/)
    match(out, /remind-counselor.*no-reply/s)
  })

  test('frontdesk follow-up speed shows how quickly people were reached, as insight does', async t => {
    const school = { ...settings.school, hours: everyDay('00:00-12:00') }
    const over = { ...withoutFollowUp, school }
    const { service, store, start, frontdesk } = await setUp(t, engine, { over })
    for (const email of ['cleo@mail.example', 'dan@mail.example']) {
      await service.postStudent(aStudent({ email }))
    }
    await service.settle()
    const reached = { stage: 'contacted', closedReason: null, actor: null, now: start + DAY }
    await store.changeStage(1, reached)
    await store.recordCall(2, { outcome: 'no answer', note: '', actor: null, now: start + 2 * DAY })
    const { settings: checked } = checkSettings({ ...settings, ...over })
    const count = async () => {
      while (await store.countLeads({ school: checked.school, limit: 50 }));
    }
    const speed = async (...args: string[]) => (await frontdesk('follow-up', 'speed', ...args)).out
    match(await speed(), /^0 people wrote in .*\nWhat has changed since .* MST is still being counted\./s)
    await count()
    const found = JSON.parse(await speed('--format', 'json'))
    deepEqual(
      [found.leads, found.reached, found.waiting, found.closed, found.entered, found.changedSince],
      [3, 1, 2, 0, 0, null],
    )
    deepEqual([found.wall.count, found.wall.bands['next day'], found.names], [1, 1, undefined])
    deepEqual([found.wall.p50, found.wall.p95, found.working.p95], [null, DAY, DAY / 2])
    const text = await speed('--kind', 'student')
    match(
      text,
      /^3 students wrote in from \w+ \d+, \d+ to \w+ \d+, \d+\.\nReached: 1 \(33%\)\. Not reached yet: 2 \(67%\)\./,
    )
    match(text, /\nreached, school hours +1 +0 +0 .* +– +12 h\nreached, all hours +1 +0 +0 +0 +1 +0 +– +24 h\n/)
    doesNotMatch(text, /mail\.example|Ben/)
    const never = { stage: 'closed', closedReason: 'never contacted', actor: null } as const
    const spam = { stage: 'closed', closedReason: 'spam', actor: 'maria' } as const
    for (const [email, end] of [
      ['eve@mail.example', never],
      ['fay@mail.example', spam],
    ] as const) {
      await service.postStudent(aStudent({ email, phone: '512-555-0177' }))
      await service.settle()
      const [lead] = await store.listLeads({ limit: 1 })
      await store.changeStage(lead?.id ?? 0, { ...end, now: start })
    }
    await count()
    const named = await speed('--names')
    match(named, /^4 people wrote in .*\. Not reached yet: 2 \(50%\)\. Closed first: 1 \(25%\)\.\n/s)
    match(named, /\nNo one has tried to reach:\n.*waiting\n.*512-555-0177 .* never called\n$/s)
    const all = JSON.parse(await speed('--format', 'json', '--names'))
    deepEqual(
      all.names.map(({ now }: { now: string }) => now),
      ['waiting', 'never contacted'],
    )
    match(await speed('--kind', 'site', '--names'), /^0 sites wrote in .*\nSomeone has tried to reach everyone\.\n$/s)
    const env = { DATABASE_URL: urlOf(service.database) }
    const spawned = await spawnedFrontdeskIn(service.dataDir, env)('follow-up', 'speed')
    match(spawned.out, /^4 people wrote in /)
  })

  test('frontdesk follow-up speed leaves out people who were entered by hand, since they did not write in', async t => {
    const { service, store, frontdesk } = await setUp(t, engine, { over: withoutFollowUp })
    const met = ['--first-name', 'Gil', '--last-name', 'Fair', '--email', 'gil@mail.example', '--phone', '512-555-0178']
    equal((await frontdesk('leads', 'add', ...met)).code, 0)
    await service.settle()
    const { school } = checkSettings(settings).settings
    while (await store.countLeads({ school, limit: 50 }));
    const { out } = await frontdesk('follow-up', 'speed', '--names')
    match(out, /^1 person wrote in .*\nImported or entered by hand, and not counted here: 1\.\n/s)
    match(out, /Not reached yet: 1 \(100%\)/)
    match(out, /Ben /)
    doesNotMatch(out, /Gil/)
  })
})

test('frontdesk follow-up simulate tries the settings without a database', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'settings.mjs')
  writeFileSync(file, `export default ${JSON.stringify(settings)}`)
  const frontdesk = frontdeskIn(folder, { FRONTDESK_CONFIG: file })
  const simulate = (...args: string[]) => frontdesk('follow-up', 'simulate', ...args)
  const { code, out } = await simulate('--leads', '100')
  equal(code, 0)
  match(out, /^100 simulated students write within 30 days from 20\S+ on \(seed 1\)\.\n/)
  match(out, /\nMaria Lopez +100 +100% +100%\nSam Rivera +0 +0% +0%\nthe team +0 +0%\n/)
  match(out, /\nThe numbers rest on these assumptions, not on data from your school:\n( {2}- .+\.\n)+$/)
  const json = JSON.parse((await simulate('--days', '7', '--seed', '2', '--format', 'json')).out)
  deepEqual([json.leads, json.days, json.seed], [400, 7, 2])
  equal(existsSync(join(folder, 'frontdesk.db')), false)
  const refused = [await simulate('--leads', '0'), await simulate('--days', '400')]
  deepEqual(
    refused.map(run => [run.code, run.err]),
    [
      [1, '"0" is not a valid number of leads; use a whole number from 1 to 20000\n'],
      [1, '"400" is not a valid number of days; use a whole number from 1 to 366\n'],
    ],
  )
})
