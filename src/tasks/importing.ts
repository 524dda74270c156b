/**
 * Processes imported lists, portion by portion: the dry run, the import, and undoing it. If a process dies, the next
 * claim continues after the last portion.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { listValues } from '../lead-actions/list-values.ts'
import type { Services } from '../lead-actions/services.ts'
import type { FormDetails } from '../leads/body/form-details.ts'
import { readRow } from '../leads/import/inquiry-of-row.ts'
import { readStatusRow } from '../leads/import/status-list.ts'
import { actorName } from '../leads/lead/staff.ts'
import { SECOND } from '../platform/time.ts'
import type { LeadFiling } from '../store/filing/filing-decision.ts'
import type { RejectedRow } from '../store/imports/check-rows.ts'
import type { Import } from '../store/imports/imports.ts'
import type { PeoplePortion, Portion, PortionDone, StatusPortion } from '../store/imports/portions.ts'
import type { FiledRow } from '../store/imports/rows-to-leads.ts'
import type { Store } from '../store/store.ts'
import type { Lane } from '../store/tables/schema.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { isRush } from './lanes/give-way.ts'
import { inPortions } from './lanes/in-portions.ts'
import { isOutage } from './lanes/outage.ts'
import { retryDelay } from './lanes/retry.ts'
import { type LeadFilingServices, staffingAt, withLeadFilings } from './lead-filing.ts'

/** What a dry run needs. */
export type CheckingServices = Pick<Services, 'store' | 'clock' | 'settings'>

export type ImportingServices = CheckingServices & LeadFilingServices & { wake: (lanes: readonly Lane[]) => void }

/** The most rows in one transaction. It must stay short, because new submissions may wait for it. */
const AT_ONCE = 100
const AT_ONCE_IN_A_RUSH = 10

/** The most rows in one transaction while a few submissions arrive, which wait until it ends: some milliseconds. */
const AT_ONCE_BEFORE_OTHERS = 25

/** A claim is given back after this long, in milliseconds, so that a process that ends need not wait for a list. */
const TURN = 2 * SECOND

export async function continueImport(deps: ImportingServices, task: Task): Promise<void> {
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
    if (isOutage(error, task)) throw error
    log.error({ err: error, import: task.subject }, 'an import could not continue')
    const now = clock.now()
    const dueAt = now + retryDelay(task.attempts, Math.random())
    await store.postponeTask(task, { dueAt, note: 'failed; the log says why', now })
  }
}

/** How often we look whether another process has checked a list, in milliseconds. */
const LOOK_EVERY = 200

/**
 * Checks a list for someone who is waiting for it: in this process, unless another one has begun. Returns the list
 * after that; undefined if it was discarded. If the check fails, throws, and leaves the rest to the service.
 */
export async function finishCheck(deps: CheckingServices, importId: number): Promise<Import | undefined> {
  const { store, clock } = deps
  const token = randomUUID()
  for (;;) {
    const list = await store.readImport(importId)
    if (list?.state !== 'checking') return list
    const claim = { lane: 'imports', subject: importId, token, limit: 1 } as const
    const [task] = await store.claimTasks({ ...claim, now: clock.now() })
    if (task === undefined) await sleep(LOOK_EVERY)
    else await inPortions(() => checkNext(deps, { task, token }), { store })
  }
}

/** Checks the next portion. Returns whether there is more to check. */
async function checkNext(deps: CheckingServices, { task, token }: { task: Task; token: string }): Promise<boolean> {
  const { store } = deps
  const portion = await store.readPortion(task.subject, portionSize(store))
  if (portion?.state === 'checking' && portion.purpose === 'people') return checkPortion(deps, portion, task)
  await store.releaseTasks([task.id], token)
  return false
}

/** Carries out the next portion. Returns whether there is more to do under this claim. */
async function doPortion(deps: ImportingServices, task: Task): Promise<boolean> {
  const { store, clock } = deps
  const portion = await store.readPortion(task.subject, portionSize(store))
  const now = clock.now()
  if (portion === undefined) {
    await store.finishTasks([task], now)
    return false
  }
  if (portion.purpose === 'status') return statusPortion(deps, portion, task)
  const { state, last, rows } = portion
  if (state === 'checking') return checkPortion(deps, portion, task)
  const done = doneOf(portion, task, now)
  if (state === 'undoing') return (await store.undoImportRows(done, rows)) && !last
  const toFile = await withFilings(deps, portion, now)
  const filed = await store.fileImportRows(done, toFile, staffingAt(deps, now))
  if (filed) deps.wake(last ? ['reports', 'deliveries'] : ['deliveries'])
  return filed && !last
}

async function checkPortion(deps: CheckingServices, portion: PeoplePortion, task: Task): Promise<boolean> {
  const now = deps.clock.now()
  const read = readRows(deps, portion, now).map(one => ('key' in one ? { ...one, body: undefined } : one))
  return (await deps.store.checkImportRows(doneOf(portion, task, now), read, portion.plan.kind)) && !portion.last
}

/** Checks, moves or puts back the leads of the next rows of a status list. */
async function statusPortion(deps: ImportingServices, portion: StatusPortion, task: Task): Promise<boolean> {
  const { store, clock, wake } = deps
  const { state, last, rows, headers, plan } = portion
  const done = doneOf(portion, task, clock.now())
  if (state === 'undoing') {
    const undone = await store.undoStatusRows(done, rows)
    if (undone) wake(['deliveries'])
    return undone && !last
  }
  const columnOf = (field: (typeof plan.columns)[number]) => headers[plan.columns.indexOf(field)] ?? ''
  const columns = { email: columnOf('email'), leadId: columnOf('leadId'), stage: columnOf('stage') }
  const read = rows.map(({ row, cells, outcome }) => ({
    ...readStatusRow(cells, { plan, headers }),
    row,
    outcome,
    columns,
  }))
  const startsItself = plan.startsItself ?? false
  if (state === 'checking')
    return (await store.checkStatusRows({ ...done, startsItself }, read)) && !(last && !startsItself)
  const moved = await store.moveStatusRows({ ...done, startsItself }, read)
  if (moved) wake(last ? ['reports', 'deliveries'] : ['deliveries'])
  return moved && !last
}

const doneOf = ({ importId, state, through, last }: Portion, task: Task, now: number): PortionDone => ({
  importId,
  state,
  through,
  last,
  task,
  now,
})

function portionSize(store: Pick<Store, 'backgroundDelay' | 'oneWriter'>): number {
  if (isRush(store)) return AT_ONCE_IN_A_RUSH
  return store.backgroundDelay() > 0 && store.oneWriter ? AT_ONCE_BEFORE_OTHERS : AT_ONCE
}

/** Each row as an inquiry, or its problems. */
function readRows({ settings }: CheckingServices, { rows, plan, headers }: PeoplePortion, now: number) {
  const known = listValues(settings)
  const context = { now, states: known.states, answers: settings.studentInterest.answers, onBehalf: true, known }
  return rows.map(({ row, cells }) => ({ row, ...readRow(cells, { plan, headers }, context) }))
}

/** Makes submissions from the rows that can become one, in order. */
async function withFilings(
  deps: ImportingServices,
  portion: PeoplePortion,
  now: number,
): Promise<(FiledRow | RejectedRow)[]> {
  const { kind } = portion.plan
  const form = formOf(deps, portion, now)
  const rejected: RejectedRow[] = []
  const inquiries: Omit<FiledRow, keyof LeadFiling>[] = []
  for (const one of readRows(deps, portion, now)) {
    if (!('key' in one)) rejected.push(one)
    else {
      const { body, entered, said, ...row } = one
      const given = { ...form, ...said, entered: { ...form.entered, ...entered } }
      inquiries.push({ ...row, submission: { kind, answer: 200, body, form: given } })
    }
  }
  const filed = await withLeadFilings(deps, inquiries, now)
  return [...rejected, ...filed].toSorted((one, other) => one.row - other.row)
}

function formOf({ settings }: ImportingServices, { plan, by, importId }: PeoplePortion, now: number) {
  const { owner, source, language, mayWrite } = plan
  const name = actorName(by, settings.admissions)
  return {
    campaign: { source },
    language,
    placement: 'staff',
    startedAt: now,
    consent: null,
    entered: { by, name, mayWrite, reached: false, importId, ...(owner !== undefined && { owner }) },
  } satisfies FormDetails
}
