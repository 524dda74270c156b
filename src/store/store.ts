/**
 * The store: where submissions, leads and tasks are kept. `openStore` is its only way in.
 *
 * On SQLite it lives in a thread of its own, so that a disk that stalls never stalls the requests
 * that do not need it.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { DatabaseAddress } from '../config/environment.ts'
import type { Arrival, Outcome } from './acceptance.ts'
import { GroupCommit } from './group-commit.ts'
import type { Operations } from './operations.ts'

export type Store = Operations & {
  /**
   * Keeps a submission for good, with the task to file it. When the promise is kept, it is on the
   * disk. Throws StoreUnavailable when it may not be; the same key may then be tried again.
   */
  accept(arrival: Arrival): Promise<Outcome>
  /** The fingerprint of the submission that a key stands for, or undefined. */
  lookUp(key: string): Promise<string | undefined>
  /** How many acceptances wait for the disk, and for how long the oldest has, in milliseconds. */
  pressure(): { waiting: number; stalledFor: number }
  /**
   * For how long work in the background should rest now so that taking in goes first, in
   * milliseconds; 0 in a quiet moment.
   */
  courtesy(): number
  /** Rejects only when the store fails for good; the process should then end. */
  failure: Promise<never>
  /** Ends after what was asked before has been done. */
  close(): Promise<void>
}

/**
 * Opens the store and brings its schema up to date.
 *
 * Throws with a plain reason when that cannot be done.
 */
export async function openStore(
  database: DatabaseAddress,
  { clock }: { clock: { now(): number } },
): Promise<Store> {
  const thread = new Worker(new URL('./sqlite-thread.ts', import.meta.url), {
    workerData: { file: database.file, now: clock.now() },
  })
  const [names] = await once(thread, 'message')
  return storeIn(thread, names)
}

type Reply = { id: number; result?: unknown; error?: unknown }

function storeIn(thread: Worker, names: string[]): Store {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let calls = 0
  const ask = (name: string, args: unknown[]): Promise<unknown> => {
    const id = ++calls
    const reply = Promise.withResolvers<unknown>()
    waiting.set(id, reply)
    thread.postMessage({ id, name, args })
    return reply.promise
  }
  thread.on('message', ({ id, result, error }: Reply) => {
    const reply = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) reply?.resolve(result)
    else reply?.reject(error)
  })
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {})
  thread.on('error', failure.reject)
  thread.on('exit', code => {
    const gone = new Error(`The store's thread ended with code ${code}`)
    for (const reply of waiting.values()) reply.reject(gone)
    if (code !== 0) failure.reject(gone)
  })
  const commits = new GroupCommit(async arrivals => {
    const outcomes = await ask('accept', [JSON.stringify(arrivals)])
    return JSON.parse(outcomes as string) as Outcome[]
  })
  let closed: Promise<void> | undefined
  const end = async () => {
    const ended = once(thread, 'exit')
    await commits.idle()
    thread.postMessage({ id: 0, name: 'close', args: [] })
    await ended
  }
  const asked = names.map(name => [name, (...args: unknown[]) => ask(name, args)])
  return {
    ...(Object.fromEntries(asked) as Operations),
    accept: arrival => commits.add(arrival),
    lookUp: key => ask('lookUp', [key]) as Promise<string | undefined>,
    pressure: () => commits.pressure(),
    courtesy: () => commits.courtesy(),
    failure: failure.promise,
    close: () => {
      closed ??= end()
      return closed
    },
  }
}
