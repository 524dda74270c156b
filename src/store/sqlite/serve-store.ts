/** The work of the SQLite thread: it does what the store asks, one call after the other. */
import type { MessagePort } from 'node:worker_threads'
import { methodsOver, type StoreMethods } from '../store-methods.ts'
import { takeOverClaims } from '../tasks/tasks.ts'
import { SqliteAcceptance } from './acceptance.ts'
import { fromText } from './batch-text.ts'
import { isAway, openSqlite } from './database.ts'
import { mergeWords } from './index-words.ts'
import { INDEX_EVERY, keysToIndex, paced } from './keys-to-index.ts'
import { waitingShortly } from './locks.ts'
import { overwriteDeleted } from './overwrite.ts'
import { WorkerLock } from './worker-lock.ts'
import { WriteProbe } from './write-probe.ts'

export type StoreFile = {
  file: string
  /** The moment of opening, in Unix milliseconds. */
  now: number
}

type Call = { id: number; name: string; args: unknown[] }

/**
 * Opens the file, created if necessary, sends the names of the calls over the port, and serves them
 * until it is asked to close. Resolves with a function that says whether nothing was submitted since it was last
 * called. Throws when the file cannot be opened.
 */
export async function serveStore(port: MessagePort, { file, now }: StoreFile): Promise<() => boolean> {
  const { raw, db } = await openSqlite(file, now)
  const acceptance = new SqliteAcceptance(raw)
  const writeProbe = new WriteProbe(raw)
  const workers = new WorkerLock(file)
  const inTurn = oneAfterTheOther()

  let newest = acceptance.newest
  const pace = paced()
  let queued = false
  const indexing = setInterval(() => {
    const arrived = acceptance.newest - newest
    const keys = keysToIndex({ waiting: acceptance.unindexed, arrived, paused: pace.paused() })
    newest = acceptance.newest
    if (keys === 0 || queued) return
    queued = true
    const run = () => {
      queued = false
      waitingShortly(raw, () => pace.run(() => acceptance.indexKeys(keys)))
    }
    inTurn({ urgent: false, run })
  }, INDEX_EVERY)

  const methods = methodsOver(db)
  /** Leaves nothing of what was erased in the file. */
  const overwriting =
    <A extends unknown[], R extends object>(erase: (...args: A) => Promise<R | undefined>) =>
    async (...args: A) => {
      const erased = await erase(...args)
      return erased && { ...erased, overwritten: await overwriteDeleted(raw) }
    }
  // A single try, since submissions wait for it.
  const overwriteNow = () => overwriteDeleted(raw, { tries: 1 })
  const calls: Record<string, (...args: never[]) => unknown> = {
    ...methods,
    accept: (batch: string) => acceptance.accept(fromText(batch)),
    dryRun: (batch: string) => acceptance.dryRun(fromText(batch)),
    erasePerson: overwriting(methods.erasePerson),
    confirmErasure: overwriting(methods.confirmErasure),
    erasePlanned: overwriting(methods.erasePlanned),
    undoImportRows: (...args: Parameters<StoreMethods['undoImportRows']>) => {
      mergeWords(raw)
      return methods.undoImportRows(...args)
    },
    probe: () => writeProbe.run(),
    overwriteDeleted: () => overwriteNow(),
    beginWork: async () => {
      if (!workers.join()) return
      await takeOverClaims(db)
      // The process before may have died between an erasure and this.
      await overwriteNow()
    },
    close: async () => {
      clearInterval(indexing)
      workers.close()
      await db.destroy()
      port.close()
    },
  }

  port.on('message', ({ id, name, args }: Call) => {
    const run = async () => {
      try {
        port.postMessage({ id, result: await calls[name]?.(...(args as never[])) })
      } catch (error) {
        if (isAway(error)) writeProbe.forget()
        port.postMessage({ id, error, away: isAway(error) })
      }
    }
    inTurn({ urgent: URGENT.has(name), run })
  })

  // Says that it is ready, and which calls there are, so that the other side need not load the queries.
  port.postMessage(Object.keys(methods))

  let latest = acceptance.newest
  return () => {
    const idle = acceptance.newest === latest
    latest = acceptance.newest
    return idle
  }
}

/** The calls for which a client waits. */
const URGENT = new Set(['accept', 'dryRun'])

type Work = { urgent: boolean; run: () => unknown }

/** One connection, so one call at a time: none may see the open transaction of another. Urgent calls go first. */
function oneAfterTheOther(): (work: Work) => Promise<void> {
  const queue: Work[] = []
  let working = false
  return async work => {
    queue.push(work)
    if (working) return
    working = true
    while (queue.length > 0) {
      const urgent = queue.findIndex(waiting => waiting.urgent)
      const [next] = queue.splice(Math.max(0, urgent), 1)
      try {
        await next?.run()
      } catch {
        // Only indexing can fail here: its keys still wait in memory, and the next pass has them.
      }
      // A call that arrived meanwhile may be more urgent than those that wait.
      await new Promise(resolve => setImmediate(resolve))
    }
    working = false
  }
}
