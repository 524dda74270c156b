/**
 * Filing: what a submission becomes. A screened one joins or opens a lead, and the messages about
 * it enter the outbox; one that looks wrong is held in quarantine for people to decide on.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AccountDirectory } from '../accounts/directory.ts'
import type { Settings } from '../config/settings.ts'
import { counselorsOf } from '../follow-up/assignment.ts'
import { tracks } from '../follow-up/cadence.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import { restartOf } from '../follow-up/schedule.ts'
import { addressHash, isPlainMailbox } from '../leads/email.ts'
import { toE164 } from '../leads/phone.ts'
import { isSuspicious, signalsOf, TEXT_MEMORY, textDigest } from '../leads/screening.ts'
import type { Kind, Submission } from '../leads/submission.ts'
import type { Filing, UnfiledSubmission } from '../store/filing.ts'
import type { Person } from '../store/leads.ts'
import type { CadenceStart } from '../store/open-lead.ts'
import type { Staffing } from '../store/owner-assignment.ts'
import type { Store } from '../store/store.ts'
import { asSubmission } from '../store/submission-row.ts'
import type { Task } from '../store/tasks.ts'
import type { Clock } from '../time.ts'
import { awayBySettings } from './addressees.ts'
import type { Cadences } from './cadences.ts'
import { nextDigest } from './digest.ts'
import { retryDelay } from './retry.ts'

export type FilingParts = {
  store: Store
  clock: Clock
  settings: Settings
  calendar: Calendar
  cadences: Cadences
  /** Asked where an account may not be told of in the answer; undefined where nobody is asked. */
  directory: AccountDirectory | undefined
  /** What the hashes of addresses are made with. */
  addressSecret: string
  log: Logger
  /** Called when messages may have entered the outbox. */
  filed: () => void
}

/** So that one transaction stays short beside those of acceptance: in a quiet moment, and in a rush. */
const CHUNK = 20
const CHUNK_IN_A_RUSH = 5

/** Makes the job that does claimed filing tasks. */
export function createFiling(parts: FilingParts) {
  const { store, clock, settings, log, filed } = parts
  return async (tasks: Task[]): Promise<void> => {
    await fileBatches(tasks.filter(task => task.kind === 'file'))
    for (const task of tasks.filter(task => task.kind === 'refile')) await fileAlone(task)
  }

  /** Files what was accepted together, a chunk at a time, until nothing of it is left. */
  async function fileBatches(tasks: Task[]): Promise<void> {
    while (tasks.length > 0) {
      const limit = store.backgroundDelay() > 0 ? CHUNK_IN_A_RUSH : CHUNK
      const unfiled = await store.readUnfiled(tasks, limit)
      if (unfiled.length === 0) return store.finishTasks(tasks, clock.now())
      if (!(await fileChunk(tasks, unfiled, { last: unfiled.length < limit }))) return
      await sleep(store.backgroundDelay())
    }
  }

  /**
   * Files a chunk, and with the last one finishes the tasks. One submission that cannot be filed does
   * not hold up the others: it is tried again alone. Returns false when nothing is left to do here,
   * because the tasks are finished or their claims were lost.
   */
  async function fileChunk(
    tasks: Task[],
    unfiled: UnfiledSubmission[],
    { last }: { last: boolean },
  ): Promise<boolean> {
    try {
      return (await file(tasks, unfiled, { finish: last })) && !last
    } catch {
      // Read again: it may be done, and only the store's reply was lost.
      for (const one of await store.readUnfiled(tasks, unfiled.length)) {
        const held = await file(tasks, [one], { finish: false }).catch(error =>
          refileLater(one, error),
        )
        if (!held) return false
      }
      return true
    }
  }

  async function refileLater({ row: { id } }: UnfiledSubmission, error: unknown): Promise<true> {
    log.error({ err: error, submission: id }, 'a submission could not be filed')
    const now = clock.now()
    await store.refile(id, { dueAt: now + retryDelay(1, Math.random()), note: UNFILED, now })
    return true
  }

  async function fileAlone(task: Task): Promise<void> {
    try {
      const unfiled = await store.readUnfiled([task], 1)
      if (unfiled.length === 0) await store.finishTasks([task], clock.now())
      else await file([task], unfiled, { finish: true })
    } catch (error) {
      log.error({ err: error, submission: task.subject }, 'a submission could not be filed')
      const dueAt = clock.now() + retryDelay(task.attempts, Math.random())
      await store.postponeTask(task, { dueAt, note: UNFILED })
    }
  }

  /** Returns false when the claims were lost; whichever process has them now goes on. */
  async function file(
    tasks: Task[],
    unfiled: UnfiledSubmission[],
    { finish }: { finish: boolean },
  ): Promise<boolean> {
    const now = clock.now()
    const read = unfiled.map(({ row, released }) => ({ submission: asSubmission(row), released }))
    const texts = read.flatMap(({ submission }) => textOf(submission) ?? [])
    const shared =
      texts.length > 0 ? await store.countTextAddresses(texts, now - TEXT_MEMORY) : new Map()
    const filings = await Promise.all(read.map(one => decide(one, shared, parts, now)))
    const { quarantine } = settings
    const staffing = staffingOn(now, parts)
    const held = await store.fileSubmissions(tasks, filings, {
      now,
      quarantine,
      staffing,
      finish,
    })
    filed()
    return held
  }
}

const UNFILED = 'filing failed; the log says why'

async function decide(
  { submission, released }: { submission: Submission; released: boolean },
  shared: Map<string, number>,
  parts: FilingParts,
  now: number,
): Promise<Filing> {
  const text = textOf(submission)
  const { id, kind, receivedAt } = submission
  const common = { submission: { id, kind, receivedAt }, released, textDigest: text?.digest }
  if (submission.kind === 'student') {
    return { ...common, signals: [], ...(await letIn(submission, now, parts)) }
  }
  const { settings } = parts
  const { body } = submission
  const addressesWithText = text ? (shared.get(text.digest) ?? 1) : 1
  const signals = signalsOf(body, { receivedAt, addressesWithText })
  const trapped = body.website !== ''
  if (released || !(trapped || isSuspicious(signals, settings.screening))) {
    return { ...common, signals, ...(await letIn(submission, now, parts)) }
  }
  const digest = nextDigest(now, settings.school.timeZone, settings.quarantine.digestHour)
  const hold = trapped ? 'honeypot' : 'screening'
  return { ...common, signals, hold, email: body.email, digest }
}

/** What becomes of a submission that is let in. It is followed up from now on, when people hear of it. */
async function letIn(submission: Submission, now: number, parts: FilingParts) {
  const { email } = submission.body
  const account = await accountOf(submission, parts)
  const person = personOf(submission, parts.settings)
  const plain = isPlainMailbox(email)
  return {
    person,
    account,
    addressHash: addressHash(parts.addressSecret, email),
    noReceipt: plain ? undefined : 'the address has letters that not every mail server can carry',
    cadenceStart: account === 'none' ? enrol(submission, person, now, parts) : null,
  } as const
}

/** An account was told of in the answer, or else may not be told of but by mail. */
async function accountOf(submission: Submission, { directory }: FilingParts) {
  if (submission.kind === 'site') return 'none'
  if (submission.answer === 409) return 'revealed'
  return (await directory?.has(submission.body.email)) ? 'concealed' : 'none'
}

/** Whoever wrote in is told of, also where the settings make a cadence that cannot be reckoned. */
function enrol({ id, kind }: Submission, person: Person, now: number, parts: FilingParts) {
  try {
    return cadenceStartOf(kind, person, now, parts)
  } catch (error) {
    parts.log.error({ err: error, submission: id }, 'a lead is not followed up')
    return null
  }
}

/** The first step of each track, timed by the clocks of the person's state. */
function cadenceStartOf(
  kind: Kind,
  person: Person,
  since: number,
  parts: FilingParts,
): CadenceStart {
  const { id, cadence } = parts.cadences[kind]
  const clocks = parts.calendar.hoursFor(person.state ?? null)
  const firstSteps = tracks.flatMap(track => restartOf(cadence, track, since, clocks)?.first ?? [])
  return { cadenceId: id, since, firstSteps }
}

function staffingOn(now: number, { settings, calendar }: FilingParts): Staffing {
  const today = calendar.today(now)
  return { counselors: counselorsOf(settings), away: awayBySettings(today, settings), today }
}

function textOf(submission: Submission): { digest: string; email: string } | undefined {
  if (submission.kind === 'student') return undefined
  const digest = textDigest(submission.body.message)
  return digest === undefined ? undefined : { digest, email: submission.body.email }
}

function personOf({ kind, body }: Submission, settings: Settings): Person {
  const { email, firstName, lastName, phone } = body
  return {
    email,
    firstName,
    lastName,
    phone,
    phoneE164: toE164(phone, settings.school.country),
    company: kind === 'site' ? body.company : body.employer,
    state: kind === 'student' ? body.state : undefined,
  }
}
