/** The measurements on one store with a given number of leads. */
import { randomInt } from 'node:crypto'
import pino from 'pino'
import { defaultSettings } from '../../src/config/settings.ts'
import { createCalendar } from '../../src/follow-up/calendar.ts'
import { DAY, MINUTE } from '../../src/platform/time.ts'
import type { Store } from '../../src/store/store.ts'
import type { Task } from '../../src/store/tasks/tasks.ts'
import { cadenceVersions } from '../../src/tasks/cadence-start.ts'
import { fileTasks } from '../../src/tasks/filing-tasks.ts'
import { arrivals } from './arrivals.ts'

/** A store, and the leads it was filled with: their ids are 1 to `leads`. */
export type FilledStore = { store: Store; leads: number }

/** The milliseconds of each sample, by the name of what was measured. */
export type Times = Map<string, number[]>

/** Submissions that arrive at the same moment. */
const BATCH = 100

/** Submissions that the honeypot caught, filed at the same moment. */
const CAUGHT = 5

/** The number of samples per round for writes and for reads, and the longest time, in milliseconds. */
const WRITES = 6
const READS = 20
const LONGEST = 3000

/**
 * One round over everything on one store. It leaves no task due. `onFailure` gets every failure, such as
 * a query that takes longer than the store allows. The time until the failure is its sample.
 */
export async function measureAll(filled: FilledStore, onFailure: (name: string, error: Error) => void): Promise<Times> {
  const times: Times = new Map()
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await work()
    times.set(name, [...(times.get(name) ?? []), performance.now() - began])
    return result
  }
  await measureWrites(filled, timed)
  for (const [name, read] of Object.entries(readsOf(filled))) {
    const end = performance.now() + LONGEST
    for (let i = 0; i < READS && performance.now() < end; i++) {
      await timed(name, () => read().catch(error => onFailure(name, error)))
    }
  }
  return times
}

type Measure = <T>(name: string, work: () => Promise<T>) => Promise<T>

async function measureWrites({ store }: FilledStore, timed: Measure): Promise<void> {
  const { clock } = store
  const log = pino({ level: 'silent' })
  // The background delay under load is not a cost of the store.
  const unpaused = { ...store, backgroundDelay: () => 0 }
  const settings = defaultSettings
  const deps = {
    store: unpaused,
    clock,
    settings,
    log,
    wake: () => {},
    calendar: createCalendar(settings),
    directory: undefined,
    addressSecret: 'bench',
    cadences: cadenceVersions(store, settings),
  }
  const claim = (lane: Task['lane'], limit: number) =>
    store.claimTasks({ lane, now: clock.now(), token: 'bench', limit })

  const end = performance.now() + LONGEST
  for (let i = 0; i < WRITES && performance.now() < end; i++) {
    const batch = arrivals(BATCH, clock.now())
    await timed(`accept, ${BATCH} at once`, () => Promise.all(batch.map(store.accept)))
    const tasks = await timed('claim a filing task', () => claim('filing', 20))
    await timed(`file, ${BATCH} at once`, () => fileTasks(deps, tasks))
  }
  for (let i = 0; i < WRITES; i++) {
    await Promise.all(arrivals(CAUGHT, clock.now(), { honeypot: true }).map(store.accept))
    const tasks = await claim('filing', 20)
    await timed(`file, ${CAUGHT} for the quarantine`, () => fileTasks(deps, tasks))
  }
  for (let i = 0; i < READS; i++) {
    const tasks = await timed('claim 5 messages', () => claim('mail', 5))
    for (const task of tasks) {
      await timed('read the lead of a message', () => store.readLeadOfSubmission(task.subject))
      await timed('record a message as sent', () => store.recordSent([{ task, to: 'the team', now: clock.now() }]))
    }
  }
  for (;;) {
    const remaining = await claim('mail', 500)
    if (remaining.length === 0) break
    await store.finishTasks(remaining, clock.now())
  }
}

/** The reads. Pages have 50 rows, as on the command line. */
function readsOf({ store, leads }: FilledStore): Record<string, () => Promise<unknown>> {
  const limit = 50
  const middle = Math.floor(leads / 2)
  const yesterday = () => store.clock.now() - DAY
  return {
    'leads: newest': () => store.listLeads({ limit }),
    'leads: below the middle': () => store.listLeads({ limit, before: middle }),
    'leads: kind site': () => store.listLeads({ limit, kind: 'site' }),
    'leads: stage new': () => store.listLeads({ limit, stage: 'new' }),
    'leads: stage contacted (3%)': () => store.listLeads({ limit, stage: 'contacted' }),
    'leads: stage enrolled (few)': () => store.listLeads({ limit, stage: 'enrolled' }),
    'leads: within five minutes (few)': () =>
      store.listLeads({ limit, since: yesterday(), until: yesterday() + 5 * MINUTE }),
    'leads: two years ago': () => store.listLeads({ limit, until: store.clock.now() - 730 * DAY }),
    'lead: one of the newest 1000': () => store.readLead(leads - randomInt(1000)),
    'lead: any': () => store.readLead(1 + randomInt(leads)),
    'backlog (health)': () => store.countBacklog(store.clock.now()),
    'mail: newest': () => store.listMail({ limit }),
    'mail: queued': () => store.listMail({ limit, state: 'queued' }),
    'mail: retrying': () => store.listMail({ limit, state: 'retrying' }),
    'mail: failed (few)': () => store.listMail({ limit, state: 'failed' }),
    'mail: skipped': () => store.listMail({ limit, state: 'skipped' }),
    'quarantine: undecided': () => store.listQuarantine({ limit, state: 'held' }),
    'quarantine: expire': () => store.expireQuarantine(store.clock.now(), defaultSettings.quarantine),
  }
}
