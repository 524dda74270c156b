/**
 * Filing: what a submission becomes. A screened one joins or opens a lead, and the messages about
 * it enter the outbox; one that looks wrong is held in quarantine for people to decide on.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { isPlainMailbox } from '../leads/email.ts'
import { toE164 } from '../leads/phone.ts'
import { holdsBack, signalsOf, TEXT_MEMORY, textDigest } from '../leads/screening.ts'
import type { Submission } from '../leads/submission.ts'
import type { Filing, Person } from '../store/filing.ts'
import type { Store } from '../store/store.ts'
import { asSubmission } from '../store/submission-row.ts'
import type { Task } from '../store/tasks.ts'
import type { Unfiled } from '../store/unfiled.ts'
import { nextDigest } from './digest.ts'
import { retryDelay } from './retry.ts'

type Parts = {
  store: Store
  clock: { now(): number }
  settings: Settings
  log: Logger
  /** Called when messages may have entered the outbox. */
  filed: () => void
}

/** So that one transaction stays short beside those of acceptance: in a quiet moment, and in a rush. */
const CHUNK = 20
const CHUNK_IN_A_RUSH = 5

/** Makes the job that does claimed filing tasks. */
export function createFiling({ store, clock, settings, log, filed }: Parts) {
  return async (tasks: Task[]): Promise<void> => {
    await fileBatches(tasks.filter(task => task.kind === 'file'))
    for (const task of tasks.filter(task => task.kind === 'refile')) await fileAlone(task)
  }

  /** Files what was accepted together, a chunk at a time, until nothing of it is left. */
  async function fileBatches(tasks: Task[]): Promise<void> {
    while (tasks.length > 0) {
      const chunk = store.courtesy() > 0 ? CHUNK_IN_A_RUSH : CHUNK
      const unfiled = await store.readUnfiled(tasks, chunk)
      if (unfiled.length === 0) return store.finishTasks(tasks, clock.now())
      if (!(await fileChunk(tasks, unfiled))) return
      await sleep(store.courtesy())
    }
  }

  /** One submission that cannot be filed does not hold up the others: it is tried again alone. */
  async function fileChunk(tasks: Task[], unfiled: Unfiled[]): Promise<boolean> {
    try {
      return await file(tasks, unfiled)
    } catch {
      // Read anew: it may be done, and only the answer was lost.
      for (const one of await store.readUnfiled(tasks, unfiled.length)) {
        const held = await file(tasks, [one]).catch(error => setAside(one, error))
        if (!held) return false
      }
      return true
    }
  }

  async function setAside({ row: { id } }: Unfiled, error: unknown): Promise<boolean> {
    log.error({ err: error, submission: id }, 'a submission could not be filed')
    const now = clock.now()
    await store.refile(id, { dueAt: now + retryDelay(1, Math.random()), note: UNFILED, now })
    return true
  }

  async function fileAlone(task: Task): Promise<void> {
    try {
      const unfiled = await store.readUnfiled([task], 1)
      if (unfiled.length === 0 || (await file([task], unfiled)))
        await store.finishTasks([task], clock.now())
    } catch (error) {
      log.error({ err: error, submission: task.subject }, 'a submission could not be filed')
      const dueAt = clock.now() + retryDelay(task.attempts, Math.random())
      await store.postponeTask(task, { dueAt, note: UNFILED })
    }
  }

  /** Returns false when the claims were lost; somebody else then goes on. */
  async function file(tasks: Task[], unfiled: Unfiled[]): Promise<boolean> {
    const now = clock.now()
    const read = unfiled.map(({ row, released }) => ({ submission: asSubmission(row), released }))
    const texts = read.flatMap(({ submission }) => textOf(submission) ?? [])
    const shared =
      texts.length > 0 ? await store.countTextAddresses(texts, now - TEXT_MEMORY) : new Map()
    const filings = read.map(one => decide(one, shared, settings, now))
    const held = await store.fileSubmissions(tasks, filings, {
      now,
      quarantine: settings.quarantine,
    })
    filed()
    return held
  }
}

const UNFILED = 'filing failed; the log says why'

function decide(
  { submission, released }: { submission: Submission; released: boolean },
  shared: Map<string, number>,
  settings: Settings,
  now: number,
): Filing {
  const text = textOf(submission)
  const { id, kind, receivedAt } = submission
  const common = { submission: { id, kind, receivedAt }, released, textDigest: text?.digest }
  if (submission.kind === 'student') {
    return { ...common, signals: [], person: personOf(submission, settings) }
  }
  const { body } = submission
  const addressesWithText = text ? (shared.get(text.digest) ?? 1) : 1
  const signals = signalsOf(body, { receivedAt, addressesWithText })
  const trapped = body.website !== ''
  if (released || !(trapped || holdsBack(signals, settings.screening))) {
    return { ...common, signals, person: personOf(submission, settings) }
  }
  const digest = nextDigest(now, settings.school.timeZone, settings.quarantine.digestHour)
  const hold = trapped ? 'honeypot' : 'screening'
  return { ...common, signals, hold, email: body.email, digest }
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
    noReceipt: isPlainMailbox(email)
      ? undefined
      : 'the address has letters that not every mail server can carry',
  }
}
