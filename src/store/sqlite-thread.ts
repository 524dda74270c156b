/** The thread in which SQLite runs: it does what the store asks, one thing after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { compactMemory } from '../compact.ts'
import { operations } from './operations.ts'
import { openSqlite, SqliteAcceptance } from './sqlite.ts'

/** How often waiting keys are indexed, in milliseconds, and how many at the least. */
const INDEX_EVERY = 100
const INDEX_LEAST = 500

type Call = { id: number; name: string; args: unknown[] }

const port = parentPort
if (port === null) throw new Error('This is the entry of a worker thread')

const { raw, db } = await openSqlite(workerData.file, workerData.now)
const acceptance = new SqliteAcceptance(raw)

const indexing = setInterval(() => {
  // A share of what waits, so that a backlog of any size shrinks and one pass stays short.
  const waiting = acceptance.unindexed
  if (waiting > 0) inTurn(async () => acceptance.indexKeys(INDEX_LEAST))
}, INDEX_EVERY)

const calls: Record<string, (...args: never[]) => unknown> = {
  ...Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (...args: unknown[]) => (operation as (...all: unknown[]) => unknown)(db, ...args),
    ]),
  ),
  // As one string each way: copying many small objects between threads costs more than writing them out.
  accept: (arrivals: string) => JSON.stringify(acceptance.accept(JSON.parse(arrivals))),
  lookUp: (key: string) => acceptance.lookUp(key),
  close: async () => {
    clearInterval(indexing)
    await db.destroy()
    port.close()
  },
}

/** One connection, so one call at a time: no call may see another's open transaction. */
let last: Promise<unknown> = Promise.resolve()
function inTurn(work: () => Promise<void>): void {
  last = last.then(work).catch(() => {
    // A failed indexing pass is tried again at the next; the keys still wait in memory.
  })
}

port.on('message', ({ id, name, args }: Call) => {
  inTurn(async () => {
    try {
      const result = await calls[name]?.(...(args as never[]))
      port.postMessage({ id, result })
    } catch (error) {
      port.postMessage({ id, error })
    }
  })
})
// Ready, and what may be asked: the other side need not load the queries to know their names.
port.postMessage(Object.keys(operations))
compactMemory()
