/** The store on SQLite, in a thread of its own, so that a stalled disk does not stall requests that do not need it. */
import { EventEmitter, once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { threadCode } from '../../platform/places.ts'
import type { Clock } from '../../platform/time.ts'
import type { Arrival, Outcome } from '../acceptance/arrival.ts'
import { Batcher, totalLoad } from '../acceptance/batcher.ts'
import { Windows } from '../acceptance/counting-windows.ts'
import { StoreUnavailable, unavailable } from '../acceptance/store-unavailable.ts'
import type { OpenOptions, Store } from '../store.ts'
import type { StoreMethods } from '../store-methods.ts'
import { retryWhileAway } from '../while-away.ts'
import { asText } from './batch-text.ts'
import { mayPass } from './result-codes.ts'
import type { StoreFile } from './serve-store.ts'

/** A submission that waits longer than this for the disk gets a 503, in milliseconds. */
const TIMEOUT = 10_000

const SYSTEM_CLOCK = { now: () => Date.now(), elapsed: () => performance.now() }

/** Opens the file, created if necessary, with its schema up to date. Throws with a plain reason when that fails. */
export function openSqliteStore(file: string, options: OpenOptions): Promise<Store> {
  const { clock = SYSTEM_CLOCK } = options
  return whileAway(options, async () => {
    const thread = threads.start({ file, now: clock.now() })
    const [names] = await once(thread, 'message')
    return storeIn(thread, names, clock, options)
  })
}

const whileAway = <T>(options: OpenOptions, work: () => Promise<T>): Promise<T> =>
  retryWhileAway(options, { mayPass, reasonOf: error => (error as Error).message }, work)

/** A worker, or something that behaves like one: 'message', 'error' when it fails, 'exit' with a code. */
export type Thread = EventEmitter & { postMessage(message: unknown): void }

/** How a store gets its thread. Tests, which open many stores, lend it threads that are already running. */
export const threads = {
  start: (workerData: StoreFile): Thread => new Worker(threadCode('store/sqlite/thread'), { workerData }),
}

function storeIn(thread: Thread, names: string[], clock: Clock, options: OpenOptions): Store {
  const { ask, failure } = callsTo(thread)
  const batches = (name: 'accept' | 'dryRun') =>
    new Batcher<Arrival, Outcome>(async arrivals => (await ask(name, [asText(arrivals)])) as Outcome[], {
      timeout: TIMEOUT,
      turns: 4,
      overlapping: true,
    })
  const commits = batches('accept')
  const dryRuns = batches('dryRun')
  const windows = new Windows()
  const leads = new EventEmitter().setMaxListeners(0)
  let closed: Promise<void> | undefined
  const end = async () => {
    const ended = once(thread, 'exit')
    await Promise.all([commits.idle(), dryRuns.idle()])
    thread.postMessage({ id: 0, name: 'close', args: [] })
    await ended
  }
  const asked = names.map(name => [name, (...args: unknown[]) => ask(name, args)])
  return {
    ...(Object.fromEntries(asked) as StoreMethods),
    accept: arrival => commits.add(arrival),
    acceptWith: (arrival, done, failed) => commits.addWith(arrival, done, failed),
    dryRun: arrival => dryRuns.add(arrival),
    probe: async () => void (await ask('probe', [])),
    count: async (key, hit) => windows.count(key, hit),
    countNow: (key, hit) => windows.count(key, hit),
    load: () => totalLoad(commits, dryRuns),
    backgroundDelay: () => commits.backgroundDelay(),
    oneWriter: true,
    beginWork: async () => void (await ask('beginWork', [])),
    overwriteDeleted: async () => void (await ask('overwriteDeleted', [])),
    serverNotes: async () => [],
    clock,
    // Other processes that use the file poll every few seconds.
    announce: () => {},
    onAnnouncement: () => {},
    announceSettings: () => {},
    onSettingsEdited: () => {},
    announceLeads: () => void leads.emit('changed'),
    onLeadsChanged: listener => {
      leads.on('changed', listener)
      return () => void leads.off('changed', listener)
    },
    atStart: work => whileAway(options, work),
    failure,
    close: () => {
      closed ??= end()
      return closed
    },
  }
}

type Calls = {
  /** The result of one of the calls that the thread serves. */
  ask(name: string, args: unknown[]): Promise<unknown>
  /** Rejected when the thread fails. */
  failure: Promise<never>
}

/** `away`: the error says that the database is unavailable. */
type Reply = { id: number; result?: unknown; error?: unknown; away?: boolean }

/** Each call is a message with a number, which its reply repeats. */
function callsTo(thread: Thread): Calls {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let calls = 0
  let gone: StoreUnavailable | undefined
  thread.on('message', ({ id, result, error, away }: Reply) => {
    const reply = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) reply?.resolve(result)
    else reply?.reject(away ? unavailable(error) : error)
  })
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {})
  thread.on('error', failure.reject)
  thread.on('exit', code => {
    gone = new StoreUnavailable(`The store's thread ended with code ${code}`)
    for (const reply of waiting.values()) reply.reject(gone)
    if (code !== 0) failure.reject(gone)
  })
  return {
    async ask(name, args) {
      if (gone !== undefined) throw gone
      const id = ++calls
      const reply = Promise.withResolvers<unknown>()
      waiting.set(id, reply)
      thread.postMessage({ id, name, args })
      return reply.promise
    },
    failure: failure.promise,
  }
}
