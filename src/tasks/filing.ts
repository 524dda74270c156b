/**
 * Filing: what a submission becomes. A screened one joins or opens a lead, and the messages about
 * it enter the outbox; one that looks wrong is held in quarantine for people to decide on.
 */
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { isPlainMailbox } from '../leads/email.ts'
import { toE164 } from '../leads/phone.ts'
import { holdsBack, signalsOf, TEXT_MEMORY, textDigest } from '../leads/screening.ts'
import type { Submission } from '../leads/submission.ts'
import type { Filing, Person, Unfiled } from '../store/filing.ts'
import type { Store } from '../store/store.ts'
import type { Task } from '../store/tasks.ts'
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

/** Makes the job that files a batch of claimed tasks, all or nothing. */
export function createFiling({ store, clock, settings, log, filed }: Parts) {
  return async (tasks: Task[]): Promise<void> => {
    try {
      await fileAll(tasks)
    } catch (error) {
      if (tasks.length > 1) await oneByOne(tasks)
      else await putOff(tasks, error)
    }
    filed()
  }

  async function fileAll(tasks: Task[]): Promise<void> {
    const now = clock.now()
    const unfiled = await store.readUnfiled(tasks)
    const texts = unfiled.flatMap(({ submission }) => textOf(submission) ?? [])
    const shared =
      texts.length > 0 ? await store.countTextAddresses(texts, now - TEXT_MEMORY) : new Map()
    const filings = unfiled.map(one => decide(one, shared, settings, now))
    await store.fileSubmissions(filings, { now, quarantine: settings.quarantine })
  }

  /** One submission that cannot be filed does not hold up the others of its batch. */
  async function oneByOne(tasks: Task[]): Promise<void> {
    for (const task of tasks) {
      try {
        await fileAll([task])
      } catch (error) {
        await putOff([task], error)
      }
    }
  }

  async function putOff(tasks: Task[], error: unknown): Promise<void> {
    log.error({ err: error, submissions: tasks.map(task => task.subject) }, 'filing failed')
    for (const task of tasks) {
      const dueAt = clock.now() + retryDelay(task.attempts, Math.random())
      await store.postponeTask(task, { dueAt, note: 'filing failed; see the log' })
    }
  }
}

function decide(
  { task, submission, released }: Unfiled,
  shared: Map<string, number>,
  settings: Settings,
  now: number,
): Filing {
  const text = textOf(submission)
  const { id, kind, receivedAt } = submission
  const common = { task, submission: { id, kind, receivedAt }, textDigest: text?.digest }
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
