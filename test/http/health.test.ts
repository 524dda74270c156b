/** What `/readyz` asks of the database. */
import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createHealth } from '../../src/http/health.ts'
import type { Store } from '../../src/store/store.ts'

test('while the database does not answer, the figures are asked for once, however often someone looks', async () => {
  const asked = { figures: 0, probes: 0 }
  const store = {
    load: () => ({ stalledFor: 0 }),
    countBacklog: () => {
      asked.figures += 1
      return new Promise(() => {})
    },
    probe: async () => {
      asked.probes += 1
    },
  } as unknown as Store
  const health = createHealth({
    store,
    clock: { now: () => 0 },
    lateAfter: {} as never,
    closing: () => false,
    unlimitedRequests: () => 0,
    mailboxTrouble: () => undefined,
    failures: { warning: () => undefined },
  })
  for (const _ of [1, 2]) equal((await health.readiness()).ready, true)
  equal(asked.probes, 2)
  equal(asked.figures, 1)
})
