/** A store of its own for a test. */
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Arrival } from '../../src/store/acceptance.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { aSite, aStudent } from './bodies.ts'
import { type TestClock, testClock } from './clock.ts'
import { temporaryFolder } from './folder.ts'

export type TestStore = { store: Store; clock: TestClock; file: string }

export async function startStore(
  t: TestContext,
  { file = join(temporaryFolder(t), 'frontdesk.db'), clock = testClock() } = {},
): Promise<TestStore> {
  const store = await openStore({ engine: 'sqlite', file }, { clock })
  t.after(() => store.close())
  return { store, clock, file }
}

let count = 0

/** A student's arrival, a different one each time; its key is unique unless it is named. */
export function anArrival(over: Partial<Arrival> = {}): Arrival {
  const n = ++count
  const { idempotencyKey: _, ...body } = aStudent()
  const kind = over.kind ?? 'student'
  return {
    kind,
    receivedAt: testClock().now(),
    key: `key-${n}`.padEnd(22, '.'),
    keyLifetime: null,
    fingerprint: `print-${n}`.padEnd(22, '.'),
    email: body.email,
    answer: 200,
    body: JSON.stringify(kind === 'site' ? aSite() : { ...body, interestLevel: undefined }),
    clientAddress: '127.0.0.1',
    ...over,
  }
}
