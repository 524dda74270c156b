import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createLog } from '../../src/platform/log.ts'
import type { Store } from '../../src/store/store.ts'
import type { Task } from '../../src/store/tasks/tasks.ts'
import { Lane } from '../../src/tasks/lanes/lane.ts'
import { testClock } from '../support/clock.ts'

test('a lane that stops releases what it has claimed ahead once, since the store may be closed a second later', async t => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  let claimed = 0
  const released: number[][] = []
  const store = {
    backgroundDelay: () => 0,
    claimTasks: async ({ limit }: { limit: number }) =>
      Array.from({ length: limit }, () => ({ id: ++claimed }) as Task),
    releaseTasks: async (ids: number[]) => void released.push(ids),
  } as unknown as Store
  // The first job ends at once, so that the lane claims ahead; the second one does not end.
  const lane = new Lane(
    {
      name: 'mail',
      slots: 1,
      tasksPerJob: 1,
      ahead: true,
      run: ([task]) => (task?.id === 1 ? Promise.resolve() : new Promise(() => {})),
    },
    { store, clock: testClock(), log: createLog('silent') },
  )
  lane.start()
  while (claimed < 3) await turn()
  const stopped = lane.stop(10)
  await turn()
  t.mock.timers.tick(10)
  await stopped
  t.mock.timers.tick(1000)
  deepEqual(released, [[2, 3]])
})
