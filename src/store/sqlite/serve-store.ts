/** The work of the SQLite thread: it carries out the store's calls, one after the other. */
import type { MessagePort } from 'node:worker_threads'
import type { Arrival, Outcome } from '../acceptance/arrival.ts'
import { methodsOver, type StoreMethods } from '../store-methods.ts'
import { takeOverClaims } from '../tasks/tasks.ts'
import { SqliteAcceptance, type Stored } from './acceptance.ts'
import { fromText } from './batch-text.ts'
import { openSqlite } from './database.ts'
import { mergeWords } from './index-words.ts'
import { INDEX_EVERY, keysToIndex, paced } from './keys-to-index.ts'
import { waitingShortly } from './locks.ts'
import { overwriteDeleted } from './overwrite.ts'
import { isAway } from './result-codes.ts'
import { sameFile } from './same-file.ts'
import { type Call, callsInTurn } from './turns.ts'
import { WorkerLock } from './worker-lock.ts'
import { WriteProbe } from './write-probe.ts'

export type StoreFile = {
  file: string
  /** The moment of opening, in Unix milliseconds. */
  now: number
}

type Asked = { id: number; name: string; args: unknown[] }

/**
 * Opens the file, created if necessary, sends the names of the calls over the port, and serves the calls until it is
 * asked to close. Resolves with a function that says whether nothing was submitted since it was last called. Throws
 * when the file cannot be opened.
 */
export async function serveStore(port: MessagePort, { file, now }: StoreFile): Promise<() => boolean> {
  const { raw, db } = await openSqlite(file, now)
  const lostFile = sameFile(file)
  const acceptance = new SqliteAcceptance(raw)
  const writeProbe = new WriteProbe(raw)
  const workers = new WorkerLock(file)
  const inTurn = callsInTurn(raw)

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
      return waitingShortly(raw, () => pace.run(() => acceptance.indexKeys(keys)))
    }
    // If this fails, the keys still wait in memory, and the next pass indexes them.
    inTurn({ kind: 'write', urgent: false, run, done: stored => (stored as Stored<void>).onDisk(), failed: () => {} })
  }, INDEX_EVERY)

  const methods = methodsOver(db)
  /** Removes erased data from the file. */
  const overwriting =
    <A extends unknown[], R extends object>(erase: (...args: A) => Promise<R | undefined>) =>
    async (...args: A) => {
      const erased = await erase(...args)
      return erased && { ...erased, overwritten: await overwriteDeleted(raw) }
    }
  // Tries only once, since submissions wait for it.
  const overwriteNow = () => overwriteDeleted(raw, { tries: 1 })
  const calls: Record<string, (...args: never[]) => unknown> = {
    ...methods,
    dryRun: (batch: string) => acceptance.dryRun(fromText(batch)),
    findAccepted: (key: string) => acceptance.waitingId(key) ?? methods.findAccepted(key),
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
      // The previous process may have died between an erasure and this.
      await overwriteNow()
    },
    close: async () => {
      clearInterval(indexing)
      workers.close()
      await db.destroy()
      port.close()
    },
  }

  const failed = (id: number, error: unknown) => {
    if (isAway(error)) writeProbe.forget()
    port.postMessage({ id, error, away: isAway(error) })
  }
  /** Batches to accept. Those that wait are accepted as one. */
  let batches: { id: number; arrivals: Arrival[] }[] = []
  const acceptWaiting = () => {
    let taken: typeof batches = []
    inTurn({
      kind: 'write',
      urgent: true,
      run: () => {
        taken = batches
        batches = []
        return acceptance.accept(taken.flatMap(({ arrivals }) => arrivals))
      },
      done: stored => {
        const { result, onDisk } = stored as Stored<Outcome[]>
        onDisk()
        for (const { id, arrivals } of taken) port.postMessage({ id, result: result.splice(0, arrivals.length) })
      },
      failed: error => {
        for (const { id } of taken) failed(id, error)
      },
    })
  }

  port.on('message', ({ id, name, args }: Asked) => {
    const lost = name === 'close' ? undefined : lostFile()
    if (lost !== undefined) return port.postMessage({ id, error: lost, away: true })
    if (name === 'accept') {
      batches.push({ id, arrivals: fromText(args[0] as string) })
      if (batches.length === 1) acceptWaiting()
      return
    }
    inTurn({
      kind: kindOf(name),
      urgent: name === 'dryRun',
      run: () => calls[name]?.(...(args as never[])),
      done: result => port.postMessage({ id, result }),
      failed: error => failed(id, error),
    })
  })

  // Says that it is ready, and which calls there are, so that the other side does not have to load the queries.
  port.postMessage(Object.keys(methods))

  let latest = acceptance.newest
  return () => {
    const idle = acceptance.newest === latest
    latest = acceptance.newest
    return idle
  }
}

/** Calls of the worker that change tasks and leads, and nothing else: they may share a commit. */
const SHARING = new Set([
  'beginStep',
  'claimTasks',
  'concludeStep',
  'countLeads',
  'fileSubmissions',
  'finishTask',
  'finishTasks',
  'openStep',
  'postponeTask',
  'recordGathered',
  'recordMessageSent',
  'recordSent',
  'releaseTasks',
  'renewTasks',
])

function kindOf(name: string): Call['kind'] {
  if (SHARING.has(name)) return 'write'
  // Names of store methods begin with their verb.
  return name === 'dryRun' || /^(?:read|list|find|count)[A-Z]/.test(name) ? 'read' : 'alone'
}
