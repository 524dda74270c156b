import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import pino from 'pino'
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { loadContent } from '../../src/load-content.ts'
import { HOUR, MINUTE } from '../../src/platform/time.ts'
import { LOCKOUT } from '../../src/store/acceptance/inquiry-lockout.ts'
import type { Store } from '../../src/store/store.ts'
import { LEASE } from '../../src/store/tasks/tasks.ts'
import { cadenceVersions } from '../../src/tasks/cadence-start.ts'
import { fileTasks } from '../../src/tasks/filing-tasks.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { aSite, aStudent } from '../support/bodies.ts'
import { onEachEngine, sql } from '../support/engines.ts'
import { anArrival, startStore } from '../support/store.ts'
import { tasksOf } from './database.ts'

/** Makes a body unreadable, as a disk fault or manual changes might. */
const damage = ({ database }: TestApp, id: number, body = 'canary@mail.example') =>
  sql(database, `update submissions set body = '${body.replaceAll("'", "''")}' where id = ${id}`)

/** Filing on a store, with what it logs and the lanes that it wakes. */
async function dependencies(store: Store, given: PartialSettings = {}) {
  const log: string[] = []
  const lanes: string[] = []
  const { settings } = checkSettings(given)
  const cadences = cadenceVersions(store, settings)
  // As the service does at its start.
  await cadences('student')
  const deps = {
    store,
    clock: store.clock,
    settings,
    calendar: createCalendar(settings),
    cadences,
    directory: undefined,
    addressSecret: 'secret',
    log: pino({}, { write: line => log.push(line) }),
    wake: (woken: readonly string[]) => void lanes.push(...woken),
  }
  return { deps, log, lanes }
}

const someone = (id: string) => ({ id, name: id, email: `${id}@school.example` })

/** What filing has derived from the submissions. */
/** What became of submissions. Entries are numbered as they are added, so the last one is compared by what it says. */
async function becameOf({ database }: TestApp) {
  const leads = await sql(database, 'select * from leads order by id')
  const others = await Promise.all(
    [
      'select l.id, e.kind, e.submission_id from leads l join timeline e on e.id = l.last_entry order by l.id',
      `select lead_id, at, kind, submission_id, detail from timeline
        where kind in ('submission', 'assigned') order by lead_id, kind, submission_id`,
      `select lane, kind, subject, step, due_at, state, note from tasks
        where kind in ('notify', 'receipt', 'step') and state <> 'done' order by kind, subject, step`,
      `select kind, subject, step from tasks
        where kind in ('notify', 'receipt') and state = 'done' order by kind, subject, step`,
      'select * from quarantine order by submission_id',
      'select * from message_texts order by digest, email_key',
      'select lead_id, words from lead_words order by lead_id',
    ].map(query => sql(database, query)),
  )
  return [leads.map(({ last_entry: _, ...lead }) => lead), ...others]
}

onEachEngine(engine => {
  describe('a submission that cannot be filed', () => {
    test('gets a task of its own and does not hold up those that were accepted with it', async t => {
      const service = await startApp(t, { engine })
      await Promise.all(Array.from({ length: 5 }, () => service.app.store.accept(anArrival())))
      await damage(service, 3)
      await service.settle()
      deepEqual(
        (await service.app.store.listLeads({ limit: 10 })).map(lead => lead.id),
        [5, 4, 2, 1],
      )
      equal(service.sent.length, 8)
      deepEqual(
        (await tasksOf(service, 'file')).map(task => task['state']),
        ['done'],
      )
      const [aside, ...others] = await tasksOf(service, 'refile')
      equal(others.length, 0)
      deepEqual([aside?.['subject'], aside?.['state']], [3, 'due'])
      ok(Number(aside?.['due_at']) > service.clock.now())
      ok(Number(aside?.['due_at']) <= service.clock.now() + MINUTE)
      equal(aside?.['note'], 'filing failed: The body of submission 3 is not JSON')
    })

    test('is retried again and again, later each time, and filed once it can be', async t => {
      const service = await startApp(t, { engine })
      await service.postStudent(aStudent({ email: 'ben@mail.example' }))
      const [before] = await sql(service.database, 'select body from submissions')
      await damage(service, 1)
      await service.settle()
      for (let i = 0; i < 3; i++) {
        service.clock.advance(5 * MINUTE)
        await service.settle()
      }
      const [aside] = await tasksOf(service, 'refile')
      equal(aside?.['attempts'], 3)
      ok(Number(aside?.['due_at']) >= service.clock.now() + 0.8 * 2 * MINUTE)
      equal((await service.app.store.countBacklog(service.clock.now())).unfiled, 1)

      await damage(service, 1, String(before?.['body']))
      service.clock.advance(HOUR)
      await service.settle()
      equal((await service.app.store.listLeads({ limit: 10 }))[0]?.email, 'ben@mail.example')
      deepEqual(
        (await tasksOf(service, 'refile')).map(task => task['state']),
        ['done'],
      )
      equal(service.sent.length, 2)
    })

    test('is named in the log by its number, and not by its content', async t => {
      const service = await startApp(t, { engine })
      await service.postStudent(aStudent())
      await damage(service, 1)
      await service.settle()
      service.clock.advance(HOUR)
      await service.settle()
      const log = service.log.join('')
      equal(log.match(/"submission":1,"msg":"a submission could not be filed"/g)?.length, 2)
      ok(!log.includes('canary'))
    })

    test('with fields of the wrong type gets a task of its own, too', async t => {
      const service = await startApp(t, { engine })
      await Promise.all(['site', 'student'].map(kind => service.app.store.accept(anArrival({ kind: kind as never }))))
      await damage(service, 1, '{"email":7}')
      await service.settle()
      equal((await service.app.store.listLeads({ limit: 10 })).length, 1)
      deepEqual(
        (await tasksOf(service, 'refile')).map(task => task['subject']),
        [1],
      )
    })
  })

  describe('filing', () => {
    test('handles everything that was accepted together, however much it is', async t => {
      const service = await startApp(t, { engine })
      await Promise.all(Array.from({ length: 90 }, () => service.app.store.accept(anArrival())))
      ok((await tasksOf(service, 'file')).length < 90)
      await service.settle()
      equal((await service.app.store.listLeads({ limit: 1000 })).length, 90)
      equal((await tasksOf(service, 'notify')).length, 90)
      equal((await service.app.store.countBacklog(service.clock.now())).unfiled, 0)
    })

    test('makes the same of submissions together as of one after the other', async t => {
      // Each with a text of its own: whether one comes from many is judged for all that are filed together.
      const student = (email: string, over = {}) => {
        const message = `Is there a class in the evening for ${email}, and when does the next one begin?`
        const { idempotencyKey, ...body } = aStudent({ email, message, ...over })
        return anArrival({ email, body: JSON.stringify(body) })
      }
      const site = (email: string, over = {}) =>
        anArrival({ kind: 'site', email, body: JSON.stringify(aSite({ email, ...over })) })
      // In the order in which they are filed: the first of each person in the order of the addresses, then the others.
      const arrivals = [
        student('ana+one@mail.example'),
        student('ana+two@mail.example', { state: 'CA' }),
        student('ana@mail.example'),
        site('ana@mail.example'),
        site('bo@mail.example', { website: 'filled in' }),
        site('cy@mail.example'),
        student('di@mail.example'),
        student('ed@mail.example', { state: 'CA' }),
        student('jos\u00e9@mail.example'),
        student('zoe@mail.example'),
        student('ANA@mail.example', { phone: '512-555-0100' }),
        ...Array.from({ length: LOCKOUT.points + 1 }, () => site('cy@mail.example')),
      ]
      const counselors = ['maria', 'sam'].map(someone)
      const settings = { admissions: { counselors }, mail: { notificationsAtOnce: 9 } }
      const start = () => startApp(t, { engine, settings })
      const [together, inTurn] = [await start(), await start()]
      await Promise.all(arrivals.map(arrival => together.app.store.accept(arrival)))
      // Filed in one chunk, or after so many at once in two.
      await together.settle()
      for (const arrival of arrivals) {
        await inTurn.app.store.accept(arrival)
        await inTurn.settle()
      }
      const [one, other] = [await becameOf(together), await becameOf(inTurn)]
      deepEqual(one, other)
      ok(one.every(rows => rows.length > 0))
    })

    test('of a process that crashed continues elsewhere after the lease, and notifies the team once', async t => {
      const service = await startApp(t, { engine })
      const { store } = service.app
      await service.postStudent(aStudent())
      await service.postSite(aSite())
      const claim = { lane: 'filing', token: 'crashed', limit: 10 } as const
      equal((await store.claimTasks({ ...claim, now: service.clock.now() })).length, 2)
      await service.settle()
      deepEqual(await store.listLeads({ limit: 10 }), [])
      service.clock.advance(LEASE)
      await service.settle()
      await service.settle()
      equal((await store.listLeads({ limit: 10 })).length, 2)
      equal(service.sent.length, 3)
    })

    test('whose commit succeeded, but was not confirmed, is not repeated or reported as failed', async t => {
      const { store, clock } = await startStore(t, { engine })
      await Promise.all(Array.from({ length: 3 }, () => store.accept(anArrival())))
      let lost = 0
      const losing: Store = {
        ...store,
        fileSubmissions: async (...args) => {
          const filed = await store.fileSubmissions(...args)
          if (lost++ === 0) throw new Error('Connection terminated unexpectedly')
          return filed
        },
      }
      const { deps, log } = await dependencies(losing)
      const claim = { lane: 'filing', now: clock.now(), token: 'A', limit: 10 } as const
      await fileTasks(deps, await store.claimTasks(claim))
      equal(lost, 1)
      deepEqual(log, [])
      equal((await store.listLeads({ limit: 10 })).length, 3)
      clock.advance(HOUR)
      deepEqual(await store.claimTasks({ ...claim, now: clock.now() }), [])
    })

    const chunk = ['readUnfiled', 'countTextAddresses', 'fileSubmissions']
    for (const [count, calls] of [
      [1, ['claimTasks', ...chunk]],
      [49, ['claimTasks', ...chunk]],
      // A full chunk may be the last; only another read shows that.
      [50, ['claimTasks', ...chunk, 'readUnfiled', 'finishTasks']],
      [51, ['claimTasks', ...chunk, ...chunk]],
    ] as const) {
      test(`of ${count} asks the store ${calls.length} times`, async t => {
        const { store, clock } = await startStore(t, { engine })
        await Promise.all(Array.from({ length: count }, () => store.accept(anArrival())))
        const asked: string[] = []
        const counting = new Proxy(store, {
          get: (target, name: keyof Store) => {
            const method = target[name]
            if (name === 'backgroundDelay') return () => 0
            if (typeof method !== 'function') return method
            return (...args: never[]) => {
              asked.push(name)
              return (method as (...all: never[]) => unknown)(...args)
            }
          },
        })
        const { deps } = await dependencies(counting)
        asked.length = 0
        const claim = { lane: 'filing', token: 'A', limit: 10 } as const
        await fileTasks(deps, await counting.claimTasks({ ...claim, now: clock.now() }))
        deepEqual(asked, calls)
        equal((await store.listLeads({ limit: 100 })).length, count)
        clock.advance(HOUR)
        deepEqual(await store.claimTasks({ ...claim, now: clock.now() }), [])
      })
    }

    test('wakes the lanes that it has given work, and no others', async t => {
      const { store, clock } = await startStore(t, { engine })
      const reminder = {
        name: 'at-once',
        after: '0 minutes',
        clock: 'student',
        to: 'team',
        message: 'notifications/site-reminder.md',
      } as const
      const allDay = { from: '00:00', to: '00:00' }
      const atOnce = { followUp: { site: [reminder], quietHours: allDay } }
      const trapped = { kind: 'site', body: JSON.stringify(aSite({ website: 'x' })) } as const
      const wokenFor = async (over: Parameters<typeof anArrival>[0], settings: PartialSettings) => {
        await store.accept(anArrival(over))
        const { deps, lanes } = await dependencies(store, settings)
        const claim = { lane: 'filing', now: clock.now(), token: 'A', limit: 1 } as const
        await fileTasks(deps, await store.claimTasks(claim))
        return lanes
      }
      deepEqual(await wokenFor({}, {}), ['mail', 'deliveries'])
      deepEqual(await wokenFor({ kind: 'site' }, atOnce), ['mail', 'deliveries', 'follow-up', 'letters'])
      deepEqual(await wokenFor(trapped, atOnce), [])
    })

    test('by two processes on one database notifies the team once of each', async t => {
      const one = await startApp(t, { engine })
      const other = await startApp(t, { database: one.database, clock: one.clock })
      for (let i = 0; i < 20; i++) await (i % 2 ? one : other).postSite(aSite())
      await Promise.all([one.settle(), other.settle()])
      await Promise.all([one.settle(), other.settle()])
      const sent = [...one.sent, ...other.sent]
      equal(sent.length, 20)
      equal(new Set(sent.map(message => message.id)).size, 20)
      equal((await one.app.store.listLeads({ limit: 100 })).length, 20)
    })

    test('sends one receipt per address and day, and records why it does not send the others', async t => {
      const service = await startApp(t, { engine })
      const student = (email: string) => service.postStudent(aStudent({ email }))
      const receipts = () => service.sent.filter(({ to }) => /ben@/i.test(to.address)).length
      await student('ben@mail.example')
      await service.settle()
      service.clock.advance(23 * HOUR)
      await student('BEN@mail.example')
      await service.settle()
      equal(receipts(), 1)
      const [skipped] = await service.app.store.listMail({ state: 'skipped', limit: 10 })
      match(skipped?.note ?? '', /less than a day/)
      service.clock.advance(HOUR)
      await student('ben@mail.example')
      await service.settle()
      equal(receipts(), 2)
    })
  })
})

test('the messages about a submission are prepared while it is filed, and not before', async t => {
  let prepared = 0
  const { postStudent, settle } = await startApp(t, {
    content: (...args) => {
      const content = loadContent(...args)
      return { ...content, messages: { ...content.messages, prepare: async () => void prepared++ } }
    },
  })
  await settle()
  await postStudent(aStudent())
  equal(prepared, 0)
  await settle()
  equal(prepared, 1)
})
