/** What the worker does when our own database fails while a task is carried out. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createLog } from '../../src/platform/log.ts'
import { DAY, SECOND } from '../../src/platform/time.ts'
import { StoreUnavailable } from '../../src/store/acceptance/store-unavailable.ts'
import type { Store } from '../../src/store/store.ts'
import type { Task } from '../../src/store/tasks/tasks.ts'
import { attempt } from '../../src/tasks/lanes/in-portions.ts'
import { Lane } from '../../src/tasks/lanes/lane.ts'
import { createWorker } from '../../src/tasks/worker.ts'
import { type TestOptions, withoutFollowUp } from '../support/app.ts'
import { testClock } from '../support/clock.ts'
import { type Engine, onEachEngine, sql } from '../support/engines.ts'
import { ben, MONDAY, type School, startSchool, stepsIn } from './school.ts'

const away = () => new StoreUnavailable('The database is not available: timeout exceeded when trying to connect')

/** The database fails the next `times` that this method is called. */
function failing(
  t: TestContext,
  { app }: School,
  method: 'fileSubmissions' | 'readLeadOfSubmission' | 'beginStep' | 'recordSent',
  times: number,
) {
  const real = app.store[method] as (...args: unknown[]) => Promise<unknown>
  let left = times
  t.mock.method(app.store, method, async (...args: unknown[]) => {
    if (left-- > 0) throw away()
    return real(...args)
  })
}

const tasksIn = ({ database }: School, which: string) =>
  sql(database, `select state, attempts, note, due_at from tasks where ${which} order by id`)

async function aSchool(t: TestContext, engine: Engine, options: TestOptions = {}) {
  const school = await startSchool(t, { engine, ...options })
  await school.postStudent(ben())
  return school
}

onEachEngine(engine => {
  describe('a database that is away while a task is carried out', () => {
    test('does not hold up filing', async t => {
      const school = await aSchool(t, engine)
      failing(t, school, 'fileSubmissions', 4)
      await school.settle()
      deepEqual(
        school.diary().map(line => line.slice(0, 11)),
        ['11-23 16:30', '11-23 16:30'],
      )
    })

    test('sends no message again that was sent: recording it is tried again', async t => {
      const school = await aSchool(t, engine)
      failing(t, school, 'recordSent', 2)
      await school.settle()
      equal(school.diary().length, 2)
      const mails = await tasksIn(school, "kind in ('notify', 'receipt')")
      deepEqual(
        mails.map(({ state, attempts }) => [state, Number(attempts)]),
        [
          ['done', 1],
          ['done', 1],
        ],
      )
    })

    test('neither delays a message nor uses up one of its attempts', async t => {
      const school = await aSchool(t, engine)
      failing(t, school, 'readLeadOfSubmission', 4)
      await school.settle()
      deepEqual(
        school.diary().map(line => line.slice(0, 11)),
        ['11-23 16:30', '11-23 16:30'],
      )
      const tasks = await tasksIn(school, `lane = 'mail'`)
      deepEqual(
        tasks.map(({ state, attempts }) => [state, Number(attempts)]),
        [
          ['done', 1],
          ['done', 1],
        ],
      )
    })

    test('does not delay a step of the follow-up', async t => {
      const school = await aSchool(t, engine)
      await school.settle()
      failing(t, school, 'beginStep', 4)
      await school.until(MONDAY + 5 * 60 * SECOND)
      deepEqual(stepsIn(school.diary()), ['11-23 16:35 maria step.1.0'])
    })
  })

  describe('a task that is the only one for which the database always fails', () => {
    test('is given up like any other that fails, if it is a message', async t => {
      const school = await aSchool(t, engine, { settings: withoutFollowUp })
      failing(t, school, 'readLeadOfSubmission', Number.POSITIVE_INFINITY)
      await school.until(MONDAY + 7 * DAY)
      const [notify] = await tasksIn(school, `kind = 'notify'`)
      equal(notify?.['state'], 'dead')
      match(String(notify?.['note']), /timeout exceeded/)
      ok(Number(notify?.['attempts']) < 60)
    })

    test('does not hold up the others, if it is a submission that cannot be filed', async t => {
      const school = await aSchool(t, engine)
      const file = school.app.store.fileSubmissions
      t.mock.method(school.app.store, 'fileSubmissions', async (...args: Parameters<typeof file>) => {
        if (args[1].some(({ submission }) => submission.id === 1)) throw away()
        return file(...args)
      })
      await school.postStudent(ben({ email: 'other@mail.example' }))
      await school.settle()
      ok(school.diary().some(line => line.includes(' other receipt')))
      const [poison] = await tasksIn(school, `kind = 'refile'`)
      ok(Number(poison?.['due_at']) > school.clock.now())
      equal(poison?.['state'], 'due')
    })
  })
})

test('a lane waits while the database is away, a few seconds at most, and then begins its tasks at once', async () => {
  const ran: number[] = []
  const waits: number[] = []
  const done = Promise.withResolvers<unknown>()
  const isAway = () => waits.length < 20
  const task = { id: 1, lease_token: 'x', attempts: 1, due_at: 0, note: null } as Task
  const store = {
    backgroundDelay: () => 0,
    claimTasks: async () => (ran.length < 2 ? [task] : []),
    postponeTask: async (_: Task, wait: unknown) => {
      if (isAway()) throw away()
      done.resolve(wait)
      return true
    },
    releaseTasks: async () => {},
  } as unknown as Store
  const run = async () => {
    ran.push(waits.length)
    if (isAway()) throw away()
  }
  const wait = async (time: number) => void waits.push(time)
  const clock = testClock()
  const lane = new Lane(
    { name: 'mail', slots: 1, tasksPerJob: 1, run },
    { store, clock, log: createLog('silent'), wait },
  )
  lane.start()
  deepEqual(await done.promise, {
    dueAt: 0,
    note: 'the database was away (time 1 in a row)',
    now: clock.now(),
    countsAsAttempt: false,
  })
  while (ran.length < 2) await turn()
  await lane.stop(10)
  deepEqual(ran, [0, 20])
  ok((waits[0] ?? 0) >= 250 && (waits[0] ?? 0) <= 500)
  ok(waits.slice(5).every(time => time >= 2 * SECOND && time <= 4 * SECOND))
  equal(new Set(waits.slice(5)).size, 15)
})

test('a lane that cannot claim asks again within seconds, and ends at once when it stops', async () => {
  let asked = 0
  const store = {
    backgroundDelay: () => 0,
    claimTasks: async () => {
      asked += 1
      throw away()
    },
    releaseTasks: async () => {},
  } as unknown as Store
  const log = createLog('silent')
  const lane = new Lane(
    { name: 'mail', slots: 1, tasksPerJob: 1, run: async () => {} },
    { store, clock: testClock(), log },
  )
  lane.start()
  await turn()
  await lane.stop(10)
  equal(asked, 1)
})

test('an outage is logged once for each reason, however many lanes ask again, and once when all can claim again', async () => {
  const lines: Record<string, unknown>[] = []
  const log = createLog('info', { write: line => void lines.push(JSON.parse(line)) })
  const clock = testClock()
  let asked = 0
  const store = {
    backgroundDelay: () => 0,
    claimTasks: async () => {
      asked += 1
      if (asked === 20) clock.advance(40 * SECOND)
      if (asked < 20) throw away()
      if (asked === 20) throw new StoreUnavailable('The database is not available: the database system is starting up')
      return []
    },
    releaseTasks: async () => {},
  } as unknown as Store
  const lanes = (['filing', 'mail', 'letters'] as const).map(name => ({
    name,
    slots: 1,
    tasksPerJob: 1,
    run: async () => {},
  }))
  const worker = createWorker(lanes, { store, clock, log, wait: () => turn() })
  worker.start()
  while (asked < 24) await turn()
  await turn()
  await worker.stop(10)
  deepEqual(
    lines.map(({ level, msg, err, times, seconds }) => [
      level,
      msg,
      (err as Error | undefined)?.message,
      times,
      seconds,
    ]),
    [
      [50, 'the worker could not claim tasks', away().message, undefined, undefined],
      [
        50,
        'the worker could not claim tasks',
        'The database is not available: the database system is starting up',
        undefined,
        undefined,
      ],
      [30, 'the worker can claim tasks again', undefined, 20, 40],
    ],
  )
})

test('work beside the lanes logs an outage without its stack, which would say nothing new each time', async () => {
  const lines: Record<string, unknown>[] = []
  const log = createLog('info', { write: line => void lines.push(JSON.parse(line)) })
  const failing = (error: Error) => attempt(() => Promise.reject(error), { log, failed: 'it failed' })
  equal(await failing(away()), false)
  equal(await failing(new TypeError('a defect')), false)
  deepEqual(
    lines.map(({ reason, err }) => [reason, typeof (err as { stack?: string } | undefined)?.stack]),
    [
      [away().message, 'undefined'],
      [undefined, 'string'],
    ],
  )
})
