/**
 * Filing: turns accepted submissions into leads. A submission that passes screening joins or opens a
 * lead, and the messages about it enter the outbox; a suspicious one is quarantined until someone
 * decides about it.
 */
import type { Logger } from 'pino'
import type { AccountDirectory } from '../accounts/directory.ts'
import type { Settings } from '../config/settings.ts'
import { awayOn } from '../follow-up/absences.ts'
import { counselorsOf } from '../follow-up/assignment.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { isPlainMailbox, suppressionHashes, UNSUPPORTED_ADDRESS } from '../leads/body/email.ts'
import { toE164 } from '../leads/body/phone.ts'
import { isSuspicious, type Signal, signalsOf, TEXT_MEMORY, textDigest } from '../leads/body/screening.ts'
import type { Submission } from '../leads/body/submission.ts'
import { programsNamed } from '../leads/lead/programs.ts'
import type { QuarantineReason } from '../leads/words/quarantine-reasons.ts'
import type { Clock } from '../platform/time.ts'
import type { Filing } from '../store/filing/decision.ts'
import type { UnfiledSubmission } from '../store/filing/filing.ts'
import type { CadenceStart } from '../store/filing/join-or-open-lead.ts'
import type { Staffing } from '../store/filing/owner-assignment.ts'
import type { Person } from '../store/leads/leads.ts'
import { asSubmission } from '../store/leads/submission-row.ts'
import type { Store } from '../store/store.ts'
import type { Lane } from '../store/tables/schema.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { type CadenceVersion, type CadenceVersions, startCadence } from './cadence-start.ts'
import { giveWay } from './lanes/give-way.ts'
import { retryDelay } from './lanes/retry.ts'
import { nextDigest } from './messages/quarantine-digest.ts'

export type FilingDependencies = {
  store: Store
  clock: Clock
  settings: Settings
  calendar: Calendar
  cadences: CadenceVersions
  /** Asked about accounts that no HTTP response has mentioned; undefined if there is none to ask. */
  directory: AccountDirectory | undefined
  /** The key of the hashes of addresses. */
  addressSecret: string
  log: Logger
  /** Called with the lanes that have new work that is due now. */
  wake: (lanes: readonly Lane[]) => void
}

/** The most submissions in one transaction, so that it stays short beside those of acceptance. */
const CHUNK = 50
const CHUNK_UNDER_LOAD = 10

const FILING_FAILED = 'filing failed; the log says why'

/** Carries out claimed filing tasks. */
export async function fileTasks(deps: FilingDependencies, tasks: readonly Task[]): Promise<void> {
  await fileBatches(
    deps,
    tasks.filter(task => task.kind === 'file'),
  )
  for (const task of tasks.filter(task => task.kind === 'refile')) await fileAlone(deps, task)
}

/** Files submissions that were accepted together, a chunk at a time, until none is left. */
async function fileBatches(deps: FilingDependencies, tasks: Task[]): Promise<void> {
  const { store, clock } = deps
  while (tasks.length > 0) {
    const limit = store.backgroundDelay() > 0 ? CHUNK_UNDER_LOAD : CHUNK
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
  deps: FilingDependencies,
  tasks: Task[],
  unfiled: UnfiledSubmission[],
  { last }: { last: boolean },
): Promise<boolean> {
  try {
    return (await file(deps, tasks, unfiled, { finish: last })) && !last
  } catch {
    // Read again: the transaction may have been committed, and only its result was lost.
    for (const one of await deps.store.readUnfiled(tasks, unfiled.length)) {
      const filed = await file(deps, tasks, [one], { finish: false }).catch(error => refileLater(deps, one, error))
      if (!filed) return false
    }
    return true
  }
}

async function refileLater(
  { store, clock, log }: FilingDependencies,
  { row: { id } }: UnfiledSubmission,
  error: unknown,
): Promise<true> {
  log.error({ err: error, submission: id }, 'a submission could not be filed')
  const now = clock.now()
  await store.refile(id, { dueAt: now + retryDelay(1, Math.random()), note: FILING_FAILED, now })
  return true
}

async function fileAlone(deps: FilingDependencies, task: Task): Promise<void> {
  const { store, clock, log } = deps
  try {
    const unfiled = await store.readUnfiled([task], 1)
    if (unfiled.length === 0) await store.finishTasks([task], clock.now())
    else await file(deps, [task], unfiled, { finish: true })
  } catch (error) {
    log.error({ err: error, submission: task.subject }, 'a submission could not be filed')
    const now = clock.now()
    const dueAt = now + retryDelay(task.attempts, Math.random())
    await store.postponeTask(task, { dueAt, note: FILING_FAILED, now })
  }
}

/** Returns false if the claims were lost; another worker then continues. */
async function file(
  deps: FilingDependencies,
  tasks: Task[],
  unfiled: UnfiledSubmission[],
  { finish }: { finish: boolean },
): Promise<boolean> {
  const { store, clock, settings, wake } = deps
  const now = clock.now()
  const read = unfiled.map(({ row, released }) => ({ submission: asSubmission(row), released }))
  const texts = read.flatMap(({ submission }) => textOf(submission) ?? [])
  const addressCounts = texts.length > 0 ? await store.countTextAddresses(texts, now - TEXT_MEMORY) : new Map()
  const filings = await Promise.all(read.map(one => decide(deps, one, addressCounts, now)))
  const { quarantine } = settings
  const staffing = staffingAt(deps, now)
  const digest = nextDigest(now, settings.school.timeZone, quarantine.digestHour)
  const { notificationsAtOnce } = settings.mail
  const options = { now, quarantine, digest, staffing, notificationsAtOnce, finish }
  const filed = await store.fileSubmissions(tasks, filings, options)
  wake(lanesWithWork(filings, now))
  return filed
}

/** The lanes in which these filings have made work that is due now. */
function lanesWithWork(filings: readonly Filing[], now: number): Lane[] {
  const accepted = filings.flatMap(filing => ('quarantineReason' in filing ? [] : filing))
  const steps = accepted.flatMap(({ cadenceStart }) => cadenceStart?.firstSteps ?? [])
  return [
    ...(accepted.length > 0 ? (['mail'] as const) : []),
    ...(steps.some(({ dueAt }) => dueAt <= now) ? (['follow-up', 'letters'] as const) : []),
  ]
}

/** Decides whether a submission becomes part of a lead or is quarantined. `addressCounts`: by digest of its text. */
async function decide(
  deps: FilingDependencies,
  { submission, released }: { submission: Submission; released: boolean },
  addressCounts: Map<string, number>,
  now: number,
): Promise<Filing> {
  const text = textOf(submission)
  const addressesWithText = text ? (addressCounts.get(text.digest) ?? 1) : 1
  const entered = submission.form?.entered !== undefined
  const signals = entered ? [] : signalsOf(submission, addressesWithText)
  const { email } = submission.body
  const common = { submission, email, released, signals, textDigest: text?.digest }
  const quarantineReason = released || entered ? undefined : reasonFor(submission, signals, deps.settings)
  return quarantineReason === undefined
    ? { ...common, ...(await leadFiling(deps, submission, now)) }
    : { ...common, quarantineReason }
}

/** Why a submission is quarantined; undefined if it is not. */
function reasonFor(
  { kind, answer, body, form }: Submission,
  signals: Signal[],
  { screening }: Settings,
): QuarantineReason | undefined {
  if (form?.trap !== undefined || (kind === 'site' && body.website !== '')) return 'honeypot'
  if (answer === 429) return 'lockout'
  return isSuspicious(signals, screening) ? 'screening' : undefined
}

/** How a submission becomes part of a lead. The follow-up counts from now, when the staff is notified. */
async function leadFiling(deps: FilingDependencies, submission: Submission, now: number) {
  const { email } = submission.body
  const account = await accountOf(deps, submission)
  const person = personOf(submission, deps.settings)
  const plain = isPlainMailbox(email)
  const entered = submission.form?.entered
  const mayWrite = entered === undefined || entered.mayWrite
  const cadence = await deps.cadences(submission.kind)
  const cadenceStart = cadenceStartOf(deps, submission, cadence, person, now)
  return {
    person,
    account,
    addressHashes: suppressionHashes(deps.addressSecret, email),
    noReceipt: mayWrite ? (plain ? undefined : UNSUPPORTED_ADDRESS) : NOT_ASKED_TO_WRITE,
    programs: programsNamed(submission, deps.settings),
    cadenceStart: mayWrite ? cadenceStart : withoutLetters(cadenceStart),
  } as const
}

/** Why someone who was entered by the school gets no receipt. */
const NOT_ASKED_TO_WRITE = 'they did not ask us to write by email'

const withoutLetters = (start: CadenceStart | null): CadenceStart | null =>
  start && { ...start, firstSteps: start.firstSteps.filter(({ track }) => track !== 'student') }

/** The HTTP response has revealed an account; otherwise only an email to its owner may mention it. */
async function accountOf({ directory, settings }: FilingDependencies, submission: Submission) {
  if (submission.kind === 'site') return 'none'
  if (submission.answer === 409) return 'revealed'
  // A response about a lockout has said nothing about an account, whatever the settings are.
  const unsaid =
    settings.accounts.feedback === 'conceal' || submission.answer === 429 || submission.form?.entered !== undefined
  return unsaid && (await directory?.has(submission.body.email)) ? 'concealed' : 'none'
}

/** A lead whose cadence cannot be computed is still filed and announced; it only gets no follow-up. */
function cadenceStartOf(
  { calendar, log }: FilingDependencies,
  { id }: Submission,
  cadence: CadenceVersion,
  person: Person,
  now: number,
): CadenceStart | null {
  try {
    return startCadence(cadence, now, calendar.hoursFor(person.state ?? null))
  } catch (error) {
    log.error({ err: error, submission: id }, 'a lead gets no follow-up')
    return null
  }
}

/** Who may be assigned leads at this moment. */
export function staffingAt(
  { settings, calendar }: Pick<FilingDependencies, 'settings' | 'calendar'>,
  now: number,
): Staffing {
  const today = calendar.today(now)
  const away = [...awayOn(today, settings.admissions.counselors).keys()]
  return { counselors: counselorsOf(settings), away, today }
}

function textOf({ body }: Submission): { digest: string; email: string } | undefined {
  const digest = textDigest(body.message)
  return digest === undefined ? undefined : { digest, email: body.email }
}

/** The contact data of a lead that an inquiry opens. */
export function personOf({ body }: Pick<Submission, 'body'>, settings: Settings): Person {
  const { email, firstName, lastName, phone } = body
  return {
    email,
    firstName,
    lastName,
    phone,
    phoneE164: toE164(phone, settings.school.country),
    company: 'company' in body ? body.company : body.employer,
    state: 'company' in body ? undefined : body.state,
  }
}
