import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import type { Store } from '../../src/store/store.ts'
import { LEASE, type Task } from '../../src/store/tasks/tasks.ts'
import { RENEW_EVERY } from '../../src/tasks/lanes/lane.ts'
import { createWorker } from '../../src/tasks/worker.ts'
import { type Engine, onEachEngine } from '../support/engines.ts'
import { anArrival, startStore } from '../support/store.ts'

type Job = { ids: number[]; end: () => void; fail: (error: Error) => void }

/** A worker whose jobs last until the test ends them. */
async function startWorker(
  t: TestContext,
  engine: Engine,
  { slots = 2, tasksPerJob = 1, ahead = false, hangsAfter = 2 ** 30 } = {},
) {
  const { store, clock } = await startStore(t, { engine })
  const log: string[] = []
  const jobs: Job[] = []
  let begun = Promise.withResolvers<void>()
  const run = async (tasks: Task[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    jobs.push({ ids: tasks.map(task => task.id), end: resolve, fail: reject })
    begun.resolve()
    await promise
    const now = clock.now()
    for (const task of tasks) await store.finishTask(task, { state: 'done', note: null, now })
  }
  const sink = { write: (line: string) => void log.push(line) }
  const worker = createWorker([{ name: 'filing', slots, tasksPerJob, ahead, hangsAfter, run }], {
    // Only an idle store lets a lane claim ahead.
    store: ahead ? { ...store, backgroundDelay: () => 0 } : store,
    clock,
    log: pino({}, sink),
  })
  const untilJobs = async (count: number) => {
    while (jobs.length < count) {
      begun = Promise.withResolvers()
      await begun.promise
    }
  }
  const accept = async (count: number) => {
    for (let i = 0; i < count; i++) await store.accept(anArrival())
  }
  const free = async () => {
    const claim = { lane: 'filing', now: clock.now(), token: 'test', limit: 100 } as const
    return (await store.claimTasks(claim)).map(task => [task.id, task.attempts])
  }
  return { store, clock, worker, jobs, log, untilJobs, accept, free }
}

test('a nudge wakes the lanes that it names, or all', async () => {
  const looked: string[] = []
  const store = {
    backgroundDelay: () => 0,
    claimTasks: async ({ lane }: { lane: string }) => {
      looked.push(lane)
      return []
    },
  } as unknown as Store
  const lane = (name: 'filing' | 'mail') => ({ name, slots: 1, tasksPerJob: 1, run: async () => {} })
  const log = pino({ level: 'silent' })
  const worker = createWorker([lane('filing'), lane('mail')], { store, clock: Date, log })
  const since = async (nudge: () => void) => {
    nudge()
    await setImmediate()
    return looked.splice(0)
  }
  deepEqual(await since(() => worker.start()), ['filing', 'mail'])
  deepEqual(await since(() => worker.nudge(['mail'])), ['mail'])
  deepEqual(await since(() => worker.nudge([])), [])
  deepEqual(await since(() => worker.nudge()), ['filing', 'mail'])
  await worker.stop(0)
})

onEachEngine(engine => {
  describe('a worker', () => {
    test('claims at its start the tasks that are due, as many at once as it has slots', async t => {
      const { worker, jobs, accept, untilJobs, free } = await startWorker(t, engine)
      await accept(3)
      worker.start()
      await untilJobs(2)
      deepEqual(
        jobs.map(job => job.ids),
        [[1], [2]],
      )
      deepEqual(await free(), [[3, 1]])
      for (const job of jobs) job.end()
      await worker.stop(1000)
    })

    test('starts the next as soon as a slot is free', async t => {
      const { worker, jobs, accept, untilJobs } = await startWorker(t, engine, { slots: 1 })
      await accept(2)
      worker.start()
      await untilJobs(1)
      jobs[0]?.end()
      await untilJobs(2)
      deepEqual(jobs[1]?.ids, [2])
      jobs[1]?.end()
      await worker.stop(1000)
    })

    test('starts the next, too, when one hangs, up to nine times as many as it has slots', async t => {
      const { worker, jobs, accept, untilJobs, free } = await startWorker(t, engine, { slots: 1, hangsAfter: 1 })
      await accept(11)
      worker.start()
      await untilJobs(9)
      deepEqual((await free()).length, 2)
      for (const job of jobs) job.end()
      await worker.stop(1000)
    })

    test('gives a job up to its maximum of tasks', async t => {
      const { worker, jobs, accept, untilJobs } = await startWorker(t, engine, { tasksPerJob: 2 })
      await accept(3)
      worker.start()
      await untilJobs(2)
      deepEqual(
        jobs.map(job => job.ids),
        [[1, 2], [3]],
      )
      for (const job of jobs) job.end()
      await worker.stop(1000)
    })

    test('looks at once when it is nudged, long before its next poll', async t => {
      const { worker, jobs, accept, untilJobs } = await startWorker(t, engine)
      // The next poll never comes.
      t.mock.timers.enable({ apis: ['setTimeout'] })
      worker.start()
      await accept(1)
      worker.nudge()
      await untilJobs(1)
      t.mock.timers.reset()
      jobs[0]?.end()
      await worker.stop(1000)
    })

    test('survives a job that fails, logs it, and leaves the task until its lease ends', async t => {
      const { worker, jobs, log, accept, untilJobs, free } = await startWorker(t, engine, { slots: 1 })
      await accept(2)
      worker.start()
      await untilJobs(1)
      jobs[0]?.fail(new Error('what nobody thought of'))
      await untilJobs(2)
      ok(log.some(line => line.includes('what nobody thought of')))
      deepEqual(await free(), [])
      jobs[1]?.end()
      await worker.stop(1000)
    })
  })

  test('a worker holds its claims for as long as their jobs take', async t => {
    const { worker, jobs, clock, accept, untilJobs, free, store } = await startWorker(t, engine)
    t.mock.timers.enable({ apis: ['setInterval'] })
    await accept(1)
    worker.start()
    await untilJobs(1)
    for (let elapsed = 0; elapsed < 3 * LEASE; elapsed += RENEW_EVERY) {
      clock.advance(RENEW_EVERY)
      t.mock.timers.tick(RENEW_EVERY)
      await store.countBacklog(0)
    }
    deepEqual(await free(), [])
    jobs[0]?.end()
    await worker.stop(1000)
  })

  describe('a lane that claims ahead', () => {
    /** One job has ended in no time, the second runs, and a third task is claimed. */
    const twoAhead = async (t: TestContext) => {
      t.mock.method(performance, 'now', () => 0)
      const started = await startWorker(t, engine, { slots: 1, ahead: true })
      await started.accept(4)
      started.worker.start()
      await started.untilJobs(1)
      started.jobs[0]?.end()
      await started.untilJobs(2)
      return started
    }

    test('claims more at once while its jobs are short, and begins them in their order', async t => {
      const { worker, jobs, untilJobs, free } = await twoAhead(t)
      deepEqual(await free(), [[4, 1]])
      jobs[1]?.end()
      await untilJobs(3)
      deepEqual(
        jobs.map(job => job.ids),
        [[1], [2], [3]],
      )
      jobs[2]?.end()
      await worker.stop(1000)
    })

    test('releases what has not begun when it stops', async t => {
      const { worker, jobs, free } = await twoAhead(t)
      await worker.stop(20)
      deepEqual(await free(), [
        [2, 1],
        [3, 1],
        [4, 1],
      ])
      jobs[1]?.end()
    })

    test('releases what waits for a slot for too long, as if it had not claimed it', async t => {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const { worker, jobs, free } = await twoAhead(t)
      t.mock.timers.tick(1000)
      // PostgreSQL answers over several connections, in any order.
      let released = await free()
      while (released.length < 2) released = await free()
      deepEqual(released, [
        [3, 1],
        [4, 1],
      ])
      t.mock.timers.reset()
      jobs[1]?.end()
      await worker.stop(1000)
    })
  })

  describe('a stopping worker', () => {
    test('waits for running jobs, and claims nothing more', async t => {
      const { worker, jobs, accept, untilJobs, free, store } = await startWorker(t, engine, { slots: 1 })
      await accept(2)
      worker.start()
      await untilJobs(1)
      let stopped = false
      const stopping = worker.stop(60_000).then(() => {
        stopped = true
      })
      await store.countBacklog(0)
      equal(stopped, false)
      jobs[0]?.end()
      await stopping
      equal(jobs.length, 1)
      deepEqual(await free(), [[2, 1]])
    })

    test('releases tasks that do not end in time, even when every slot hangs', async t => {
      const { worker, jobs, accept, untilJobs, free } = await startWorker(t, engine, { slots: 2 })
      await accept(3)
      worker.start()
      await untilJobs(2)
      await worker.stop(20)
      deepEqual(await free(), [
        [1, 1],
        [2, 1],
        [3, 1],
      ])
      // A job that hung and ends after all no longer has any effect.
      for (const job of jobs) job.end()
    })

    test('has nothing to wait for when nothing runs', async t => {
      const { worker } = await startWorker(t, engine)
      worker.start()
      // The end of its time never comes.
      t.mock.timers.enable({ apis: ['setTimeout'] })
      await worker.stop(60_000)
    })

    test('that was never started stops too', async t => {
      const { worker, accept, free } = await startWorker(t, engine)
      await accept(1)
      await worker.stop(60_000)
      await worker.drain()
      deepEqual(await free(), [[1, 1]])
    })
  })
})
