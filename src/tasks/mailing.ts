/**
 * Mailing: one message of the outbox, made from what the store holds at that moment and handed to
 * the mail server. Its Message-ID is fixed by its task, so that a second delivery (the server took
 * the message, but its answer was lost) can be told from a second message.
 */
import { createHmac } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { type Signal, signalNotes } from '../leads/screening.ts'
import { describeMailError, type Mailer, MailRefused } from '../mail/mailer.ts'
import type { Content, Messages } from '../mail/messages.ts'
import type { Store } from '../store/store.ts'
import type { Task } from '../store/tasks.ts'
import { nextDigest } from './digest.ts'
import { GIVE_UP_AFTER, GIVE_UP_TRIES, retryDelay } from './retry.ts'

/** How many held submissions one digest lists. */
const DIGEST_LENGTH = 50

type Parts = {
  store: Store
  clock: { now(): number }
  config: Pick<Config, 'mailFrom' | 'settings'> & { secretKey: string }
  mailer: Mailer
  messages: Messages
  log: Logger
}

/** Makes the job that sends the message of one claimed task. */
export function createMailing({ store, clock, config, mailer, messages, log }: Parts) {
  return async ([task]: Task[]): Promise<void> => {
    if (task === undefined) return
    try {
      const content = await contentOf(task)
      if (typeof content === 'string') {
        await store.finishTask(task, { state: 'skipped', note: content, now: clock.now() })
        return
      }
      await mailer.send(messages.asMessage(content, identify(task, config)))
    } catch (error) {
      return failed(task, error)
    }
    // From here on it is sent: what fails now is not the message.
    await continueSeries(task)
    await store.recordSent(task, clock.now())
    log.info({ task: task.id, kind: task.kind, attempts: task.attempts }, 'a message was sent')
  }

  /** The message, or why there is none to send. */
  async function contentOf(task: Task): Promise<Content | string> {
    if (task.kind === 'digest') return digest()
    const about = await store.readLeadOfSubmission(task.subject)
    if (about === undefined) return 'the submission is gone'
    const { signals, ...rest } = about
    const notes = signals.map(signal => signalNotes[signal as Signal])
    const view = { ...rest, notes, now: clock.now() }
    if (task.kind === 'receipt') return messages.receipt(view)
    return view.lead.kind === 'site'
      ? messages.siteNotification(view)
      : messages.studentNotification(view)
  }

  async function digest(): Promise<Content | string> {
    const now = clock.now()
    await store.expireQuarantine(now, config.settings.quarantine)
    const entries = await store.listQuarantine({ state: 'held', limit: 1000 })
    if (entries.length === 0) return 'nothing is held'
    const held = entries.slice(0, DIGEST_LENGTH).map(({ submission, reason, signals, heldAt }) => ({
      submission,
      reason,
      notes: signals.map(signal => signalNotes[signal as Signal]),
      heldAt,
    }))
    const date = new Date(now).toLocaleDateString('en-US', {
      timeZone: config.settings.school.timeZone,
      dateStyle: 'long',
    })
    return messages.quarantineDigest({ held, more: entries.length - held.length, date })
  }

  /**
   * As long as something is held there is a digest every day; the first hold begins the series.
   * Called before a digest is concluded, so that a crash in between does not end the series.
   */
  async function continueSeries(task: Task): Promise<void> {
    if (task.kind !== 'digest') return
    const now = clock.now()
    const held = await store.listQuarantine({ state: 'held', limit: 1 })
    if (held.length === 0) return
    const { timeZone } = config.settings.school
    const { digestHour } = config.settings.quarantine
    const next = nextDigest(now, timeZone, digestHour)
    // One that was sent ahead of its time, on somebody's request, was the digest of its day.
    const another = next.day === task.subject ? nextDigest(next.dueAt, timeZone, digestHour) : next
    await store.addDigest({ ...another, now })
  }

  async function failed(task: Task, error: unknown): Promise<void> {
    const now = clock.now()
    const note = describeMailError(error)
    const { id, kind, attempts } = task
    const triedEnough = now - task.created_at >= GIVE_UP_AFTER && attempts >= GIVE_UP_TRIES
    const final = error instanceof MailRefused || triedEnough
    log[final ? 'error' : 'warn'](
      { task: id, kind, attempts, reason: note },
      'a message was not sent',
    )
    if (final) {
      await continueSeries(task)
      await store.finishTask(task, { state: 'dead', note, now })
    } else
      await store.postponeTask(task, { dueAt: now + retryDelay(attempts, Math.random()), note })
  }
}

/** What makes every try of a task the same message: its Message-ID and its date. */
function identify(task: Task, config: Pick<Parts['config'], 'secretKey' | 'mailFrom'>) {
  const mark = createHmac('sha256', config.secretKey)
    // The time, too: ids come again when a database is restored to an earlier moment.
    .update(`message\n${task.kind}\n${task.subject}\n${task.created_at}`)
    .digest('hex')
    .slice(0, 24)
  const domain = config.mailFrom.slice(config.mailFrom.lastIndexOf('@') + 1)
  return { id: `${task.kind}.${mark}@${domain}`, date: new Date(task.created_at) }
}
