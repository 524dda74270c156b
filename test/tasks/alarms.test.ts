/** Who learns that work is late, how, and how often. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { defaultSettings } from '../../src/config/all-settings.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import type { PushResult } from '../../src/push/web-push.ts'
import { createLateWorkWatch } from '../../src/tasks/late-work-watch.ts'
import { type TestOptions, withoutFollowUp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { testClock } from '../support/clock.ts'
import { startConsole, type TestConsole } from '../support/console.ts'
import { onEachEngine, sql } from '../support/engines.ts'

/** A Monday at 10:00 in New York. */
const MORNING = Date.parse('2026-11-23T15:00:00Z')

const ADMINS = ['ada@school.example', 'ben@school.example']

async function aService(t: TestContext, options: TestOptions, admins: readonly string[] = ADMINS) {
  const given = { clock: testClock(MORNING), settings: withoutFollowUp, ...options }
  const lateness = { ...defaultSettings.lateness, ...given.settings.lateness }
  const settings = { ...defaultSettings, lateness }
  const service = await startConsole(t, given)
  const { store } = service.app
  const now = service.clock.now()
  for (const email of admins) await store.addOperator({ email, name: 'An admin', role: 'admin', now })
  await store.addOperator({ email: 'carl@school.example', name: 'Carl', role: 'counselor', now })
  const off = await store.addOperator({ email: 'off@school.example', name: 'Off', role: 'admin', now })
  const audit = { at: now, operatorId: null, actor: 'a test', action: 'disabled', detail: '', network: '' }
  await store.disableOperator(off ?? 0, { now, audit })
  const woken: string[] = []
  /** The watch of a process; each that starts has its own. With `elapsed`, its clock may jump. */
  const aWatch = (elapsed?: () => number) =>
    createLateWorkWatch({
      store,
      settings,
      clock: { now: service.clock.now, ...(elapsed && { elapsed }) },
      log: { fatal: () => {} } as never,
      wakeBrowser: async endpoint => {
        woken.push(endpoint)
        return 'woken' satisfies PushResult
      },
      changed: () => {},
    })
  /** What anyone was told by email since the last time, as `address: subject`. */
  const told = async () => {
    await service.settle()
    const alarms = service.sent.splice(0).filter(({ text }) => /It began on|It is over/.test(text))
    return alarms.map(({ to, subject }) => `${to.address}: ${subject}`).sort()
  }
  /** Lets minutes pass. These processes look after each, or every few minutes where hours pass. */
  const pass = async (minutes: number, looks: (() => Promise<void>)[], every = 1) => {
    for (let i = 0; i < minutes; i += every) {
      service.clock.advance(every * MINUTE)
      await Promise.all(looks.map(look => look()))
    }
  }
  return { ...service, store, aWatch, told, pass, woken }
}

const toEach = (subject: string, admins: readonly string[] = ADMINS) => admins.map(address => `${address}: ${subject}`)

/** An inquiry that no one files, until `mend` is called. */
async function aWaitingInquiry({ postStudent, database, clock }: TestConsole) {
  await postStudent(aStudent())
  await sql(database, `update tasks set due_at = ${clock.now() + 30 * DAY}, note = 'waits' where lane = 'filing'`)
  return { mend: () => sql(database, `update tasks set due_at = 0 where lane = 'filing'`) }
}

const NOT_FILED = 'Inquiries are not filed'

onEachEngine(engine => {
  test('every admin gets one email when inquiries are not filed and one when it is over, whatever processes look', async t => {
    const service = await aService(t, { engine })
    const { told, pass, aWatch } = service
    const { mend } = await aWaitingInquiry(service)
    const processes = [aWatch(), aWatch()]
    const toldWithin = async (minutes: number, looks: (() => Promise<void>)[]) => {
      const all: string[] = []
      for (let i = 0; i < minutes; i++) {
        await pass(1, looks)
        all.push(...(await told()))
      }
      return all
    }
    deepEqual(await toldWithin(9, processes), [])
    deepEqual(await toldWithin(20, processes), toEach(NOT_FILED))
    deepEqual(await toldWithin(5, [aWatch(), aWatch()]), [], 'both have started again')
    await mend()
    deepEqual(await toldWithin(40, processes), toEach(`Over: ${NOT_FILED}`))
    deepEqual(await toldWithin(15, processes), [])
  })

  test('a clock that jumps is told once, in both directions, until it is right again or has run for a day', async t => {
    const service = await aService(t, { engine })
    const { told, clock, request, origin, client, aWatch, store } = service
    let passed = 0
    const look = aWatch(() => passed)
    const other = aWatch(() => passed)
    const pass = async (minutes: number, every = 1) => {
      for (let i = 0; i < minutes; i += every) {
        clock.advance(every * MINUTE)
        passed += every * MINUTE
        for (const one of [look, other]) await one()
      }
    }
    const warnings = async () => ((await request(`${origin.console}/readyz`)).body as { warnings: string[] }).warnings
    await pass(2)
    clock.advance(4 * MINUTE)
    await pass(2)
    deepEqual(await told(), [])
    clock.advance(DAY)
    await pass(2)
    deepEqual(await told(), toEach('The clock jumped ahead'))
    match((await warnings())[0] ?? '', /^The clock jumped ahead\. It is 1 day further than the time that has passed/)
    match((await (await client('viewer')).get('/account')).text, /<strong>The clock jumped ahead\.<\/strong>/)
    await pass(10)
    deepEqual(await told(), [])
    clock.advance(-DAY)
    await pass(8)
    deepEqual(await told(), toEach('Over: The clock jumped ahead'))
    deepEqual(await warnings(), [])
    clock.advance(-3 * HOUR)
    await pass(2)
    deepEqual(await told(), toEach('The clock was set back'))
    match((await warnings())[0] ?? '', /^The clock was set back\. It is 3 hours behind the time that has passed/)
    await pass(23 * 60, 5)
    deepEqual(await told(), [])
    const over: string[] = []
    for (let i = 0; i < 15; i++) {
      await pass(5)
      over.push(...(await told()))
    }
    deepEqual(over, toEach('Over: The clock was set back'))
    deepEqual(await store.listAlarms(), [])
  })

  test('what is over for less than five minutes goes on, and what begins after that is told again', async t => {
    const service = await aService(t, { engine })
    const { told, pass, aWatch, database, store, clock } = service
    await aWaitingInquiry(service)
    const look = aWatch()
    await pass(15, [look])
    deepEqual(await told(), toEach(NOT_FILED))
    const setLate = (late: boolean) =>
      sql(database, `update tasks set state = '${late ? 'due' : 'done'}' where lane = 'filing'`)
    for (const late of [false, true, false, true]) {
      await setLate(late)
      await pass(4, [look])
    }
    deepEqual(await told(), [])
    await setLate(false)
    await pass(7, [look])
    deepEqual(await told(), toEach(`Over: ${NOT_FILED}`))
    await setLate(true)
    await pass(3, [look])
    deepEqual(await told(), toEach(NOT_FILED))
    equal((await store.listAlarms()).length, 1)
    await setLate(false)
    await pass(2, [look])
    clock.advance(-2 * DAY)
    await pass(1, [look])
    deepEqual(await store.listAlarms(), [], 'a clock that was set back does not keep it')
  })

  test('an inquiry that cannot be filed has an alarm of its own, and does not make the others late', async t => {
    const service = await aService(t, { engine })
    await service.postStudent(aStudent())
    await sql(service.database, `update submissions set body = '{'`)
    const look = service.aWatch()
    const all: string[] = []
    for (let i = 0; i < 30; i++) {
      await service.pass(1, [look])
      all.push(...(await service.told()))
    }
    deepEqual(all, toEach('An inquiry cannot be filed'))
  })

  test('admins hear once of requests that fail, on each host, and again after an hour without one', async t => {
    const service = await aService(t, { engine })
    const { store, told, pass, aWatch, postStudent, client, request, origin } = service
    const look = aWatch()
    const warnings = async () => (await request(`${origin.console}/readyz`)).body as { warnings: string[] }
    const { acceptWith } = store
    store.acceptWith = (_arrival, _done, failed) => failed(new TypeError('row 7'))
    equal((await postStudent(aStudent())).status, 500)
    // No response waits until the alarm is recorded.
    while ((await store.listAlarms()).length === 0) await turn()
    deepEqual(await told(), toEach('A request failed'))
    match((await warnings()).warnings.join(' '), /A request failed\. .*The log says why\.$/)
    store.acceptWith = acceptWith
    await pass(50, [look], 5)
    const viewer = await client('viewer')
    store.readInboxPage = () => Promise.reject(new TypeError('row 8'))
    equal((await viewer.get('/inbox')).status, 500)
    await pass(50, [look], 5)
    deepEqual(await told(), [], 'less than an hour ago, one failed again')
    await pass(20, [look], 5)
    deepEqual(await told(), toEach('Over: A request failed'))
    deepEqual((await warnings()).warnings, [])
  })

  test('the setting says when inquiries are late', async t => {
    const service = await aService(t, { engine, settings: { ...withoutFollowUp, lateness: { filingMinutes: 60 } } })
    await aWaitingInquiry(service)
    const look = service.aWatch()
    await service.pass(59, [look])
    deepEqual(await service.told(), [])
    await service.pass(3, [look])
    deepEqual(await service.told(), toEach(NOT_FILED))
  })

  test('where no admin can sign in, the team for students gets it', async t => {
    const service = await aService(t, { engine, env: { ADMISSIONS_EMAIL: 'team@school.example' } }, [])
    await aWaitingInquiry(service)
    await service.pass(15, [service.aWatch()])
    deepEqual(await service.told(), toEach(NOT_FILED, ['team@school.example']))
  })

  test('what is late and over before an email could go out is told once, in the past tense', async t => {
    const service = await aService(t, { engine })
    const { mend } = await aWaitingInquiry(service)
    const look = service.aWatch()
    await service.pass(12, [look])
    await mend()
    await sql(service.database, `update tasks set state = 'done' where lane = 'filing'`)
    await service.pass(7, [look])
    deepEqual(await service.told(), toEach(`Over: ${NOT_FILED}`))
  })

  test('while no email goes out, the browsers of admins are woken once, after their quiet hours, and show why', async t => {
    let away = true
    const service = await aService(t, {
      engine,
      clock: testClock(Date.parse('2026-11-24T12:30:00Z')),
      mail: async () => {
        if (away) throw new Error('421 the server is away')
      },
    })
    const { store, clock, pass, settle, woken, told, postStudent } = service
    const [ada, ben] = await Promise.all(ADMINS.map(async email => (await store.findOperator(email))?.operator.id ?? 0))
    await store.addPushSubscription(ada ?? 0, { endpoint: 'https://push.example/ada', browser: 'Firefox', now: 0 })
    await store.addPushSubscription(ben ?? 0, { endpoint: 'https://push.example/ben', browser: 'Firefox', now: 0 })
    const sleepless = { email: 'at once', unassigned: false, quietFrom: 8, quietTo: 8 } as const
    await store.saveNoticeChoices(ben ?? 0, sleepless)
    await postStudent(aStudent())
    const looks = [service.aWatch(), service.aWatch()]
    const minutes = async (count: number) => {
      for (let i = 0; i < count; i++) {
        await pass(1, looks)
        await settle()
      }
      return woken.splice(0)
    }
    deepEqual(await minutes(20), ['https://push.example/ben'], 'it is 7:50 in the morning')
    deepEqual(await minutes(20), ['https://push.example/ada'])
    const [notice] = await store.listNotices(ada ?? 0, { since: 0, limit: 1 })
    const task = await store.readMail(notice?.taskId ?? 0)
    equal(task?.kind, 'alarm')
    const [alarm] = await store.listAlarms()
    equal(alarm?.title, 'No email is going out.')
    match(alarm?.text ?? '', /^No email has gone out yet, and \d+ messages are waiting for another attempt\./)
    away = false
    clock.advance(5 * HOUR)
    deepEqual(await told(), toEach('No email is going out'))
    await minutes(10)
    deepEqual(woken, [])
    deepEqual(await told(), toEach('Over: No email is going out'))
  })

  test('once emails go out again, it is over for good, although some wait hours for their next attempt', async t => {
    let away = true
    const service = await aService(t, {
      engine,
      mail: async () => {
        if (away) throw new Error('421 the server is away')
      },
    })
    const { pass, settle, told, postStudent, store, clock } = service
    const look = service.aWatch()
    const minutes = async (count: number) => {
      const all: string[] = []
      for (let i = 0; i < count; i++) {
        await pass(1, [look])
        all.push(...(await told()))
      }
      return all
    }
    await postStudent(aStudent())
    for (let i = 0; i < 60; i++) {
      await pass(5, [look], 5)
      await settle()
    }
    equal((await store.listAlarms()).length, 1)
    away = false
    await postStudent(aStudent({ email: 'new@mail.example' }))
    await minutes(20)
    ok((await store.countBacklog(clock.now())).mailRetrying > 0, 'nothing waits for another attempt')
    deepEqual(await store.listAlarms(), [])
    const later = await minutes(60)
    deepEqual(
      later.filter(subject => !subject.includes('Over: ')),
      [],
    )
    ok(later.length <= ADMINS.length, later.join(', '))
  })

  test('while no email goes out, a clock that is set back does not end that', async t => {
    let away = false
    const service = await aService(t, {
      engine,
      mail: async () => {
        if (away) throw new Error('421 the server is away')
      },
    })
    const { pass, settle, postStudent, store, clock } = service
    const look = service.aWatch()
    await postStudent(aStudent())
    await settle()
    away = true
    await postStudent(aStudent({ email: 'new@mail.example' }))
    const quarter = async () => {
      await settle()
      await pass(15, [look], 5)
    }
    for (let i = 0; i < 8; i++) await quarter()
    equal((await store.listAlarms()).length, 1)
    clock.advance(-2 * DAY)
    for (let i = 0; i < 8; i++) {
      await quarter()
      equal((await store.listAlarms()).length, 1, `${15 * (i + 1)} minutes later`)
    }
  })

  test('an email that went out by a clock that is a few seconds ahead counts at the next look', async t => {
    let away = true
    const service = await aService(t, {
      engine,
      mail: async () => {
        if (away) throw new Error('421 the server is away')
      },
    })
    const { pass, settle, postStudent, store, clock } = service
    const look = service.aWatch()
    await postStudent(aStudent())
    for (let i = 0; i < 12; i++) {
      await settle()
      await pass(5, [look], 5)
    }
    equal((await store.listAlarms()).length, 1)
    away = false
    clock.advance(4_000)
    await postStudent(aStudent({ email: 'new@mail.example' }))
    await settle()
    clock.advance(-4_000)
    await look()
    await pass(5, [look], 5)
    deepEqual(await store.listAlarms(), [])
  })

  test('while no email goes out, hours in which none is tried do not end that', async t => {
    let away = true
    const service = await aService(t, {
      engine,
      mail: async () => {
        if (away) throw new Error('421 the server is away')
      },
    })
    const { pass, settle, told, postStudent, store, database, clock } = service
    const look = service.aWatch()
    await postStudent(aStudent())
    for (let i = 0; i < 30; i++) {
      await settle()
      await pass(5, [look], 5)
    }
    equal((await store.listAlarms()).length, 1)
    const morning = clock.now() + 10 * HOUR
    await sql(
      database,
      `update tasks set due_at = ${morning}, note = 'waits for the hours of the school' where state = 'due'`,
    )
    await pass(60, [look], 5)
    equal((await store.listAlarms()).length, 1)
    away = false
    clock.advance(10 * HOUR)
    await settle()
    deepEqual(await told(), toEach('No email is going out'))
    await pass(8, [look])
    deepEqual(await store.listAlarms(), [])
    deepEqual(await told(), toEach('Over: No email is going out'))
  })

  test('one message that fails when there is no other is told once: the email that says so goes out', async t => {
    const service = await aService(t, {
      engine,
      mail: async ({ id }) => {
        if (id.startsWith('notify.2.')) throw new Error('554 5.6.0 message rejected')
      },
    })
    const { pass, told, postSite, settle } = service
    const look = service.aWatch()
    await postSite(aSite())
    await settle()
    await pass(60, [look], 5)
    await postSite(aSite())
    const all: string[] = []
    for (let i = 0; i < 60; i++) {
      await pass(4, [look], 2)
      all.push(...(await told()))
    }
    deepEqual(all, [...toEach('No email is going out'), ...toEach('Over: No email is going out')])
  })

  test('a reminder that failed, and now waits for its hours, raises no alarm', async t => {
    const service = await aService(t, { engine, settings: {} })
    const { database, clock, store, pass, aWatch, postStudent, settle } = service
    await postStudent(aStudent())
    await settle()
    const waits = `attempts = 3, begun_at = ${clock.now()}, note = 'waits for the hours of the school'`
    await sql(
      database,
      `update tasks set due_at = ${clock.now() + DAY}, scheduled_at = ${clock.now() + MINUTE}, ${waits}
       where lane = 'follow-up' and state = 'due'`,
    )
    await pass(30, [aWatch()])
    deepEqual(await store.listAlarms(), [])
  })

  test('one address that the mail server defers raises no alarm, nor does one message among others that go out', async t => {
    const service = await aService(t, {
      engine,
      mail: async ({ to }) => {
        if (to.address === 'sam@mail.example') throw new Error('421 try later')
      },
    })
    await service.postStudent(aStudent({ email: 'sam@mail.example' }))
    const look = service.aWatch()
    for (let i = 0; i < 40; i++) {
      if (i % 5 === 0) await service.postStudent(aStudent({ email: `other${i}@mail.example` }))
      await service.settle()
      await service.pass(1, [look])
    }
    ok((await service.store.countBacklog(service.clock.now())).mailRetrying > 0)
    deepEqual(await service.store.listAlarms(), [])
  })

  test('a reminder that no worker claims raises an alarm, and one that is not due yet does not', async t => {
    const service = await aService(t, { engine, settings: {} })
    const { database, clock, store, pass, aWatch } = service
    await service.postStudent(aStudent())
    await service.settle()
    const look = aWatch()
    await sql(database, `update tasks set due_at = ${clock.now() + HOUR} where lane = 'follow-up' and state = 'due'`)
    await pass(80, [look], 5)
    await pass(5, [look])
    deepEqual(await store.listAlarms(), [])
    await pass(10, [look])
    deepEqual(
      (await store.listAlarms()).map(({ title, path }) => ({ title, path })),
      [{ title: 'Reminders are late.', path: '/inbox' }],
    )
  })

  test('a nightly export that no worker writes raises an alarm', async t => {
    const service = await aService(t, { engine })
    const { database, clock, store, pass, aWatch } = service
    const now = clock.now()
    await sql(
      database,
      `insert into tasks (lane, kind, subject, step, due_at, state, attempts, created_at)
        values ('exports', 'export', 1, 0, ${now}, 'due', 0, ${now})`,
    )
    const look = aWatch()
    await pass(55, [look], 5)
    await pass(4, [look])
    deepEqual(await store.listAlarms(), [])
    await pass(3, [look])
    deepEqual(
      (await store.listAlarms()).map(({ title, path }) => ({ title, path })),
      [{ title: 'A nightly export is late.', path: '/export/nightly' }],
    )
  })

  test('an import and a virus scan that fail again and again raise an alarm', async t => {
    const service = await aService(t, { engine })
    const { database, clock, store, pass, aWatch } = service
    const now = clock.now()
    for (const lane of ['imports', 'scans'])
      await sql(
        database,
        `insert into tasks (lane, kind, subject, step, due_at, scheduled_at, state, attempts, note, created_at)
          values ('${lane}', '${lane.slice(0, -1)}', 1, 0, ${now + DAY}, ${now}, 'due', 3, 'failed', ${now})`,
      )
    const look = aWatch()
    await pass(55, [look], 5)
    await pass(4, [look])
    deepEqual(await store.listAlarms(), [])
    await pass(3, [look])
    deepEqual((await store.listAlarms()).map(({ title }) => title).sort(), [
      'An import is late.',
      'Virus scans are late.',
    ])
  })
})

const turn = () => new Promise(resolve => setImmediate(resolve))
