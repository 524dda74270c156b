/**
 * Processes imported lists, portion by portion: the dry run, the import, and undoing it. Whenever a process dies, the
 * next claim continues after the last portion.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import type { FormDetails } from '../leads/body/form-details.ts'
import { statesWith } from '../leads/body/states.ts'
import { readRow } from '../leads/import/row.ts'
import { actorName } from '../leads/lead/staff.ts'
import { type Clock, SECOND } from '../platform/time.ts'
import type { CadenceStart } from '../store/filing/join-or-open-lead.ts'
import type { RejectedRow } from '../store/imports/check.ts'
import type { FiledRow } from '../store/imports/filing.ts'
import type { Import } from '../store/imports/imports.ts'
import type { Portion } from '../store/imports/rows.ts'
import type { Store } from '../store/store.ts'
import type { Lane } from '../store/tables/schema.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { type CadenceVersion, type CadenceVersions, startCadence } from './cadence-start.ts'
import { personOf, staffingAt } from './filing.ts'
import { inPortions } from './lanes/in-portions.ts'
import { retryDelay } from './lanes/retry.ts'

export type ImportingDependencies = {
  store: Store
  clock: Clock
  settings: Settings
  calendar: Calendar
  cadences: CadenceVersions
  log: Logger
  wake: (lanes: readonly Lane[]) => void
}

/** The most rows in one transaction, so that it stays short beside those of acceptance. */
const AT_ONCE = 100
const AT_ONCE_IN_A_RUSH = 10

/** The most while a few submissions arrive, if they have to wait until the transaction ends: some milliseconds. */
const AT_ONCE_BEFORE_OTHERS = 25

/** A background delay of up to this many milliseconds, at some 140 inquiries a second, is not a rush. */
const LIGHT = 10

/** A claim is given back after this long, in milliseconds, so that a process that ends does not wait for a list. */
const TURN = 2 * SECOND

/** Continues the import of a claimed task. */
export async function continueImport(deps: ImportingDependencies, task: Task): Promise<void> {
  const { store, clock, log } = deps
  try {
    const end = performance.now() + TURN
    const next = async () => {
      if (performance.now() <= end) return doPortion(deps, task)
      await store.postponeTask(task, { dueAt: 0, note: 'continues', now: clock.now(), countsAsAttempt: false })
      return false
    }
    await inPortions(next, { store })
  } catch (error) {
    log.error({ err: error, import: task.subject }, 'an import could not continue')
    const now = clock.now()
    const dueAt = now + retryDelay(task.attempts, Math.random())
    await store.postponeTask(task, { dueAt, note: 'failed; the log says why', now })
  }
}

/** How often we look whether another process has checked a list, in milliseconds. */
const LOOK_EVERY = 200

/**
 * Checks a list for someone who waits for it: in this process, unless another one has begun. Returns the list as it is
 * then; undefined if it was discarded. Throws, and leaves the rest to the service, if the check fails.
 */
export async function finishCheck(deps: ImportingDependencies, importId: number): Promise<Import | undefined> {
  const { store, clock } = deps
  const token = randomUUID()
  for (;;) {
    const list = await store.readImport(importId)
    if (list?.state !== 'checking') return list
    const claim = { lane: 'imports', subject: importId, token, limit: 1 } as const
    const [task] = await store.claimTasks({ ...claim, now: clock.now() })
    if (task === undefined) await sleep(LOOK_EVERY)
    else await inPortions(() => doPortion(deps, task), { store })
  }
}

/** Carries out the next portion. Returns whether there is more to do under this claim. */
async function doPortion(deps: ImportingDependencies, task: Task): Promise<boolean> {
  const { store, clock } = deps
  const portion = await store.readPortion(task.subject, portionSize(store))
  const now = clock.now()
  if (portion === undefined) {
    await store.finishTasks([task], now)
    return false
  }
  const { importId, state, through, last, rows } = portion
  const done = { importId, state, through, last, task, now }
  if (state === 'undoing') return (await store.undoImportRows(done, rows)) && !last
  const { kind, mayWrite } = portion.plan
  const cadence = state === 'running' && mayWrite ? await deps.cadences(kind) : undefined
  const read = readRows(deps, portion, cadence, now)
  if (state === 'checking') {
    const judged = read.map(one => ('key' in one ? { ...one, body: undefined } : one))
    return (await store.checkImportRows(done, judged, kind)) && !last
  }
  const form = formOf(deps, portion, now)
  const staffing = staffingAt(deps, now)
  const filed = await store.fileImportRows(done, read, { kind, form, staffing })
  if (filed) deps.wake(last ? ['reports'] : [])
  return filed && !last
}

function portionSize(store: Pick<Store, 'backgroundDelay' | 'oneWriter'>): number {
  const delay = store.backgroundDelay()
  if (delay > LIGHT) return AT_ONCE_IN_A_RUSH
  return delay > 0 && store.oneWriter ? AT_ONCE_BEFORE_OTHERS : AT_ONCE
}

/** Each row as an inquiry with what its lead needs, or with what is wrong with it. */
function readRows(
  deps: ImportingDependencies,
  { rows, plan, headers }: Portion,
  cadence: CadenceVersion | undefined,
  now: number,
): (FiledRow | RejectedRow)[] {
  const { settings } = deps
  const context = {
    now,
    states: statesWith(settings.studentInterest.states),
    answers: settings.studentInterest.answers,
  }
  return rows.map(({ row, cells }) => {
    const read = readRow(cells, { plan, headers }, context)
    if ('problems' in read) return { row, ...read }
    const person = personOf(read, settings)
    return { row, ...read, person, cadenceStart: startOf(deps, cadence, person.state, now) }
  })
}

/**
 * How the follow-up of an imported lead starts; null if there is none. No one is reminded of imported leads, since hundreds
 * arrive at once. If we may write to the people, they get the follow-up emails, and the leads are closed after the last.
 */
function startOf(
  { calendar, log }: ImportingDependencies,
  cadence: CadenceVersion | undefined,
  state: string | undefined,
  now: number,
): CadenceStart | null {
  if (cadence === undefined) return null
  try {
    const start = startCadence(cadence, now, calendar.hoursFor(state ?? null))
    const firstSteps = start.firstSteps.filter(({ track }) => track !== 'staff')
    return firstSteps.length === 0 ? null : { ...start, firstSteps }
  } catch (error) {
    log.error({ err: error }, 'imported leads get no follow-up')
    return null
  }
}

function formOf({ settings }: ImportingDependencies, { plan, by, importId }: Portion, now: number): FormDetails {
  const { owner, source, language, mayWrite } = plan
  const name = actorName(by, settings.admissions)
  return {
    campaign: { source },
    language,
    placement: 'staff',
    startedAt: now,
    consent: null,
    entered: { by, name, mayWrite, reached: false, importId, ...(owner !== undefined && { owner }) },
  }
}
