/**
 * Filing: turns accepted submissions into leads. A submission that passes screening joins or opens a lead, and the
 * messages about it enter the outbox; a suspicious one is quarantined until someone decides about it.
 */
import type { Settings } from '../config/settings.ts'
import type { Services } from '../lead-actions/services.ts'
import { personKeyIn } from '../leads/body/person-key.ts'
import { isSuspicious, type Signal, signalsOf, TEXT_MEMORY, textDigest } from '../leads/body/screening.ts'
import type { Submission } from '../leads/body/submission.ts'
import type { QuarantineReason } from '../leads/words/quarantine-reasons.ts'
import { SECOND } from '../platform/time.ts'
import type { UnfiledSubmission } from '../store/filing/file-submissions.ts'
import type { Filing } from '../store/filing/filing-decision.ts'
import type { FirstStep } from '../store/filing/first-steps.ts'
import { asSubmission } from '../store/leads/submission-row.ts'
import type { Lane } from '../store/tables/schema.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { giveWay, isRush } from './lanes/give-way.ts'
import { isOutage, outageNote } from './lanes/outage.ts'
import { retryDelay } from './lanes/retry.ts'
import { type LeadFilingServices, staffingAt, withLeadFilings } from './lead-filing.ts'
import { nextDigest } from './messages/quarantine-digest.ts'

export type FilingServices = LeadFilingServices &
  Pick<Services, 'store' | 'clock'> & {
    /** Called with the lanes that now have new work. */
    wake: (lanes: readonly Lane[]) => void
  }

/** The most submissions in one transaction. It must stay short, because new submissions may wait for it. */
const CHUNK = 50
const CHUNK_UNDER_LOAD = 10

/**
 * If a process died while it was filing a first step, the second step waits this long, in milliseconds, until the lease
 * of the first has ended. After that, the second step is filed as an inquiry of its own, since it repeats everything
 * that the first one says.
 */
const FIRST_STEP_WAIT = 30 * SECOND

/** At first, a submission has no task of its own. */
const UNTRIED = { note: null }

/** The most characters of an error that a page shows. */
const LONGEST_REASON = 300

/** The reason that a page shows. It is stored with the submission, and erased with it. */
const reasonOf = (error: unknown): string =>
  `filing failed: ${error instanceof Error ? error.message : String(error)}`.slice(0, LONGEST_REASON)

export async function fileTasks(deps: FilingServices, tasks: readonly Task[]): Promise<void> {
  await fileBatches(
    deps,
    tasks.filter(task => task.kind === 'file'),
  )
  for (const task of tasks.filter(task => task.kind === 'refile')) await fileAlone(deps, task)
}

/** Files submissions that were accepted together, a chunk at a time, until none is left. */
async function fileBatches(deps: FilingServices, tasks: Task[]): Promise<void> {
  const { store, clock } = deps
  while (tasks.length > 0) {
    const limit = isRush(store) ? CHUNK_UNDER_LOAD : CHUNK
    const unfiled = await store.readUnfiled(tasks, limit)
    if (unfiled.length === 0) return store.finishTasks(tasks, clock.now())
    if (!(await fileChunk(deps, tasks, unfiled, { last: unfiled.length < limit }))) return
    await giveWay(store)
  }
}

/**
 * Files a chunk, and with the last one finishes the tasks. A submission that cannot be filed does not
 * hold up the others: it gets a task of its own. Returns false if nothing is left to do here, because
 * the tasks are finished or their claims were lost.
 */
async function fileChunk(
  deps: FilingServices,
  tasks: Task[],
  unfiled: UnfiledSubmission[],
  { last }: { last: boolean },
): Promise<boolean> {
  try {
    return (await file(deps, tasks, unfiled, { finish: last })) && !last
  } catch {
    // Read again, because the transaction may have been committed although its result was lost.
    for (const one of await deps.store.readUnfiled(tasks, unfiled.length)) {
      const filed = await file(deps, tasks, [one], { finish: false }).catch(error => refileLater(deps, one, error))
      if (!filed) return false
    }
    return true
  }
}

async function refileLater(
  { store, clock, log }: FilingServices,
  { row: { id } }: UnfiledSubmission,
  error: unknown,
): Promise<true> {
  log.error({ err: error, submission: id }, 'a submission could not be filed')
  const now = clock.now()
  const again = isOutage(error, UNTRIED)
    ? { dueAt: now, note: outageNote(UNTRIED) }
    : { dueAt: now + retryDelay(1, Math.random()), note: reasonOf(error) }
  await store.refile(id, { ...again, now })
  return true
}

async function fileAlone(deps: FilingServices, task: Task): Promise<void> {
  const { store, clock, log } = deps
  try {
    const unfiled = await store.readUnfiled([task], 1)
    if (unfiled.length === 0) await store.finishTasks([task], clock.now())
    else await file(deps, [task], unfiled, { finish: true, alone: true })
  } catch (error) {
    if (isOutage(error, task)) throw error
    log.error({ err: error, submission: task.subject }, 'a submission could not be filed')
    const now = clock.now()
    const dueAt = now + retryDelay(task.attempts, Math.random())
    await store.postponeTask(task, { dueAt, note: reasonOf(error), now })
  }
}

/** Returns false if the claims were lost; another worker then continues. */
async function file(
  deps: FilingServices,
  tasks: Task[],
  unfiled: UnfiledSubmission[],
  { finish, alone = false }: { finish: boolean; alone?: boolean },
): Promise<boolean> {
  const { store, clock, settings, wake } = deps
  const now = clock.now()
  const all = unfiled.map(({ row, released }) => ({ submission: asSubmission(row), released }))
  const firsts = await readFirsts(deps, all)
  const waiting = alone ? [] : all.filter(({ submission: { form } }) => firsts.get(form?.completes ?? 0) === 'waits')
  for (const { submission } of waiting)
    await store.refile(submission.id, { dueAt: now + FIRST_STEP_WAIT, note: null, now })
  const read = all.filter(one => !waiting.includes(one))
  const texts = read.flatMap(({ submission }) => textOf(submission, settings) ?? [])
  const addressCounts = texts.length > 0 ? await store.countTextAddresses(texts, now - TEXT_MEMORY) : new Map()
  const filings = await decide(deps, read, { addressCounts, firsts }, now)
  const { quarantine } = settings
  const staffing = staffingAt(deps, now)
  const digest = nextDigest(now, settings.school.timeZone, quarantine.digestHour)
  const { notificationsAtOnce } = settings.mail
  const options = { now, quarantine, digest, staffing, notificationsAtOnce, finish }
  const filed = await store.fileSubmissions(tasks, filings, options)
  wake(lanesWithWork(filings, now))
  return filed
}

/** The lanes in which these filings have created work that is due now. */
function lanesWithWork(filings: readonly Filing[], now: number): Lane[] {
  const accepted = filings.flatMap(filing => ('quarantineReason' in filing ? [] : filing))
  const steps = accepted.flatMap(({ cadenceStart }) => cadenceStart?.firstSteps ?? [])
  return [
    ...(accepted.length > 0 ? (['mail', 'deliveries'] as const) : []),
    ...(steps.some(({ dueAt }) => dueAt <= now) ? (['follow-up', 'letters'] as const) : []),
  ]
}

type ReadSubmission = { submission: Submission; released: boolean }

/**
 * The outcomes of the first steps that some of these submissions complete. A first step in the same chunk is left out:
 * it is filed before its second step. A correction may have another address, so it waits until the first is filed.
 */
async function readFirsts({ store }: FilingServices, all: readonly ReadSubmission[]): Promise<Map<number, FirstStep>> {
  const here = new Set(all.map(({ submission }) => submission.id))
  const others = all.flatMap(({ submission: { form } }) =>
    form?.completes !== undefined && (form.corrects || !here.has(form.completes)) ? form.completes : [],
  )
  return others.length === 0 ? new Map() : store.readFirstSteps(others)
}

type Known = {
  /** How many addresses sent each text, by its digest. */
  addressCounts: Map<string, number>
  firsts: Map<number, FirstStep>
}

/** Decides whether submissions become part of leads or are quarantined. */
async function decide(
  deps: FilingServices,
  read: readonly ReadSubmission[],
  { addressCounts, firsts }: Known,
  now: number,
): Promise<Filing[]> {
  const held: (Filing & { quarantineReason: QuarantineReason })[] = []
  const passed: Screened[] = []
  for (const one of read) {
    const screened = screen(one, addressCounts, deps.settings)
    const { completes } = one.submission.form ?? {}
    const first = firsts.get(completes ?? 0)
    const before = held.find(({ submission }) => submission.id === completes)?.quarantineReason
    const ofFirst = typeof first === 'object' ? first.quarantined : before
    const quarantineReason = reasonFor(one, screened.signals, deps.settings) ?? (one.released ? undefined : ofFirst)
    if (quarantineReason === undefined) passed.push(screened)
    else held.push({ ...screened, quarantineReason })
  }
  return [...held, ...(await withLeadFilings(deps, passed, now))]
}

type Screened = ReadSubmission & Pick<Filing, 'sender' | 'textDigest'> & { signals: Signal[] }

function screen(
  { submission, released }: ReadSubmission,
  addressCounts: Map<string, number>,
  settings: Settings,
): Screened {
  const text = textOf(submission, settings)
  const sender = senderOf(submission, settings)
  const addressesWithText = text ? (addressCounts.get(text.digest) ?? 1) : 1
  const signals = submission.form?.entered ? [] : signalsOf(submission, addressesWithText)
  return { submission, released, sender, signals, textDigest: text?.digest }
}

/** Why a submission is quarantined; undefined if it is not. */
function reasonFor(
  { submission, released }: ReadSubmission,
  signals: Signal[],
  { screening }: Settings,
): QuarantineReason | undefined {
  const { kind, answer, body, form } = submission
  if (released || form?.entered) return undefined
  if (form?.trap !== undefined || (kind === 'site' && body.website !== '')) return 'honeypot'
  if (answer === 429) return 'lockout'
  return isSuspicious(signals, screening) ? 'screening' : undefined
}

function textOf(submission: Submission, settings: Settings): { digest: string; sender: string } | undefined {
  const digest = textDigest(submission.body.message)
  return digest === undefined ? undefined : { digest, sender: senderOf(submission, settings) }
}

const senderOf = ({ body }: Submission, { school }: Settings): string => personKeyIn(body, school.country)
