/** The store on PostgreSQL, for any number of replicas. It keeps nothing in memory that another would need. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../platform/time.ts'
import { MINUTE } from '../../platform/time.ts'
import { shutdown } from '../../shutdown.ts'
import type { Arrival, Outcome } from '../acceptance/arrival.ts'
import { Batcher, totalLoad } from '../acceptance/batcher.ts'
import type { Window } from '../acceptance/counting-windows.ts'
import type { OpenOptions, Store } from '../store.ts'
import { methodsOver } from '../store-methods.ts'
import { PostgresAcceptance } from './acceptance.ts'
import { Announcements } from './announcements.ts'
import { DatabaseClock } from './clock.ts'
import { createPool, type Pool, queriesOver } from './connections.ts'
import { countBatch, forgetPastWindows, type KeyedHit } from './counting.ts'
import { notesOnServer, prepareDatabase, whileAway } from './database.ts'
import { limitKeys } from './limit-keys.ts'
import { timeLimits } from './time-limits.ts'

/** The window in which probes are counted, in milliseconds: any will do. */
const PROBE_WINDOW = 1000

/**
 * One for acceptance and one for limits, since each has one batch under way at a time. Dry runs, which are few and only
 * read, take whichever is free.
 */
const INTAKE_CONNECTIONS = 2

/** Connections for the worker and everything else. With the listening one, a process has at most 8. */
const QUERY_CONNECTIONS = 5

const FORGET_EVERY = 10 * MINUTE

/** Opens the store and brings its schema up to date. Throws with a plain reason when that cannot be done. */
export async function openPostgresStore(url: string, options: OpenOptions): Promise<Store> {
  const pool = createPool(url, { most: QUERY_CONNECTIONS, within: timeLimits.statement })
  try {
    return await whileAway(url, options, async () => {
      const movedFrom = await prepareDatabase(url)
      if (movedFrom !== undefined) {
        throw new Error(`the move from ${movedFrom} into it is unfinished: run npx frontdesk move again`)
      }
      const { clock } = options
      const storeClock = clock ? withoutStop(clock) : await DatabaseClock.start(pool)
      return storeOver(url, pool, storeClock, options)
    })
  } catch (error) {
    await pool.end()
    throw error
  }
}

const withoutStop = (clock: Clock) => ({ now: () => clock.now(), stop: () => {} })

function storeOver(url: string, pool: Pool, clock: Clock & { stop(): void }, options: OpenOptions): Store {
  const intake = createPool(url, { most: INTAKE_CONNECTIONS, within: timeLimits.intake })
  const db = queriesOver(pool)
  const announcements = new Announcements(url, pool)
  const { commits, dryRuns, counts } = batchersOver(intake)
  const forgetting = setInterval(() => {
    forgetPastWindows(pool, clock.now()).catch(() => {})
  }, FORGET_EVERY)
  forgetting.unref()

  const end = async () => {
    clearInterval(forgetting)
    clock.stop()
    await Promise.all([commits.idle(), dryRuns.idle(), counts.idle()])
    // Does not wait for a server that does not respond, since none of the responses that were sent depend on it.
    await Promise.race([
      announcements.close().then(() => Promise.all([intake.end(), db.destroy()])),
      sleep(shutdown.database, undefined, { ref: false }),
    ])
  }
  let closed: Promise<void> | undefined
  return {
    ...methodsOver(db),
    accept: arrival => commits.add(arrival),
    acceptWith: (arrival, done, failed) => commits.addWith(arrival, done, failed),
    dryRun: arrival => dryRuns.add(arrival),
    probe: async () => {
      // A server may be readable but not writable, for example after a failover.
      const hit = { add: 1, duration: PROBE_WINDOW, now: clock.now() }
      await counts.add({ key: 'readiness', ...hit })
    },
    count: (key, hit) => counts.add({ key, ...hit }),
    countNow: undefined,
    load: () => totalLoad(commits, dryRuns, counts),
    backgroundDelay: () => commits.backgroundDelay(),
    oneWriter: false,
    // This process cannot tell whether another one has ended. Its claims end with their leases.
    beginWork: async () => {},
    overwriteDeleted: async () => {},
    serverNotes: () => notesOnServer(pool),
    clock,
    announce: () => announcements.announce('frontdesk_due'),
    onAnnouncement: listener => void announcements.listen('frontdesk_due', listener),
    announceSettings: () => announcements.announce('frontdesk_settings'),
    onSettingsEdited: listener => void announcements.listen('frontdesk_settings', listener),
    announceLeads: () => announcements.announce('frontdesk_leads'),
    onLeadsChanged: listener => announcements.listen('frontdesk_leads', listener),
    atStart: work => whileAway(url, options, work),
    // Whatever has happened to the server, later requests may succeed.
    failure: new Promise<never>(() => {}),
    close: () => {
      closed ??= end()
      return closed
    },
  }
}

/** The batchers of acceptance, dry runs and counting. */
function batchersOver(intake: Pool) {
  const keys = limitKeys(queriesOver(intake))
  const acceptance = new PostgresAcceptance(intake, keys)
  const accepting = { timeout: timeLimits.intake, turns: 0 }
  return {
    commits: new Batcher<Arrival, Outcome>(batch => acceptance.accept(batch), accepting),
    dryRuns: new Batcher<Arrival, Outcome>(batch => acceptance.dryRun(batch), accepting),
    counts: new Batcher<KeyedHit, Window>(hits => countBatch(intake, hits, keys), {
      timeout: timeLimits.counting,
      turns: 0,
    }),
  }
}
