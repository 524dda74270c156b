/**
 * Stepping: one step of a lead's cadence, at its time. Whether it may still be is asked once more in
 * the moment of doing it; whatever becomes of it, sent, skipped or given up, opens the next step.
 */
import type { Logger } from 'pino'
import { type MessageStep, nextOnTrack, type Step, trackOf } from '../follow-up/cadence.ts'
import { closingMoment, dueAt, type PlannedStep } from '../follow-up/schedule.ts'
import { addressHash, isPlainMailbox } from '../leads/email.ts'
import type { Lead } from '../leads/lead.ts'
import type { Content } from '../mail/render-messages.ts'
import type { Circumstances } from '../store/claimed-steps.ts'
import type { FollowUp } from '../store/steps.ts'
import type { Task } from '../store/tasks.ts'
import { HOUR } from '../time.ts'
import { bounced, type MailParts } from './mailing.ts'
import { letterView, staffView } from './message-data.ts'
import { GIVE_UP_AFTER, GIVE_UP_TRIES, retryDelay } from './retry.ts'
import type { Failure } from './sending.ts'

/** In milliseconds. */

const NOT_PLAIN = 'the address has letters that not every mail server can carry'
const BROKEN = 'it could not be worked out; the log says why'

/** Makes the job that does one claimed step. */
export function createStepping(parts: MailParts & { log: Logger }) {
  const { store, clock, config, calendar, addressees, messages, send, addressSecret, log } = parts
  const letters = config.settings.school.postalAddress !== undefined

  return async ([task]: Task[]): Promise<void> => {
    if (task === undefined) return
    try {
      await takeStep(task)
    } catch (error) {
      await broken(task, error)
    }
  }

  async function takeStep(task: Task): Promise<void> {
    const followUp = await store.readFollowUp(task.subject)
    const step = followUp?.cadence[task.step]
    if (followUp === undefined || step === undefined) {
      await store.finishTask(task, {
        state: 'skipped',
        note: 'the lead was erased',
        now: clock.now(),
      })
      return
    }
    const now = clock.now()
    // It may be late, or tried again: then as now, nobody is written to outside of the hours.
    const open = calendar.hoursFor(followUp.lead.state)[step.clock].open(now)
    if (open > now) {
      await store.postponeTask(task, {
        dueAt: open,
        note: `waits for the hours of the ${step.clock}`,
        countsAsAttempt: false,
      })
      return
    }
    if ('close' in step) await close(task, followUp, step)
    else await sendStep(task, followUp, step)
  }

  async function close(task: Task, followUp: FollowUp, step: Step): Promise<void> {
    const now = clock.now()
    const hours = calendar.hoursFor(followUp.lead.state)
    const from = closingMoment(followUp, task.step, hours) ?? now + HOUR
    if (from > now)
      await store.postponeTask(task, {
        dueAt: from,
        note: 'waits for the other steps',
        countsAsAttempt: false,
      })
    else await store.closeUnanswered(task, circumstances(task, followUp, step))
  }

  async function sendStep(task: Task, followUp: FollowUp, step: MessageStep): Promise<void> {
    const terms = circumstances(task, followUp, step)
    if ((await store.beginStep(task, terms)) !== 'go') return
    const started = { ...task, begun_at: task.begun_at ?? terms.now }
    const outcome = await send(started, () => contentOf(step, followUp.lead))
    if (outcome !== 'sent' && 'failure' in outcome) return failed(task, followUp, outcome.failure)
    const end =
      outcome === 'sent'
        ? ({ state: 'done', note: null } as const)
        : ({ state: 'skipped', note: outcome.skip } as const)
    await conclude(task, followUp, end)
  }

  async function contentOf(step: MessageStep, lead: Lead): Promise<Content | { skip: string }> {
    const now = clock.now()
    if (step.to === 'student') {
      if (!isPlainMailbox(lead.email)) return { skip: NOT_PLAIN }
      return messages.letter(step.message, await letterView(lead, now, config, addressees))
    }
    const addressee = await addressees.find(lead, step.to, now)
    if ('nobody' in addressee) return { skip: addressee.nobody }
    const latest = await store.readLatest(lead.id)
    if (latest === undefined) return { skip: 'the lead was erased' }
    const suppression = await store.readSuppression(addressHash(addressSecret, lead.email))
    return messages.reminder(step.message, {
      ...staffView(latest, addressee, now, addressees),
      role: step.to,
      waiting: now - lead.createdAt,
      attempts: latest.attempts,
      suppressed: suppression?.reason ?? null,
    })
  }

  /** What fails before there is a message is tried again like one, and shows like one. */
  async function broken(task: Task, error: unknown): Promise<void> {
    log.error({ err: error, task: task.id, lead: task.subject }, 'a step could not be taken')
    const now = clock.now()
    const since = task.begun_at ?? now
    if (now - since >= GIVE_UP_AFTER && task.attempts >= GIVE_UP_TRIES) {
      await store.finishTask(task, { state: 'dead', note: BROKEN, now })
    } else {
      const dueAt = now + retryDelay(task.attempts, Math.random())
      await store.postponeTask(task, { dueAt, note: BROKEN, begunAt: since })
    }
  }

  async function failed(task: Task, followUp: FollowUp, failure: Failure): Promise<void> {
    const { note, final, unknownAddress } = failure
    if (!final) {
      const dueAt = clock.now() + retryDelay(task.attempts, Math.random())
      await store.postponeTask(task, { dueAt, note })
      return
    }
    const step = followUp.cadence[task.step]
    const toStudent = step !== undefined && trackOf(step) === 'student'
    if (unknownAddress && toStudent) await bounced(parts, followUp.lead, note)
    await conclude(task, followUp, { state: 'dead', note })
  }

  async function conclude(
    task: Task,
    followUp: FollowUp,
    end: { state: 'done' | 'dead' | 'skipped'; note: string | null },
  ): Promise<void> {
    const now = clock.now()
    const name = followUp.cadence[task.step]?.name ?? String(task.step)
    const next = nextOf(task, followUp, { sent: end.state === 'done' })
    const held = await store.concludeStep(task, { ...end, name, next, now })
    if (!held) log.warn({ task: task.id }, 'a step was concluded by somebody else')
  }

  function circumstances(task: Task, followUp: FollowUp, step: Step): Circumstances {
    return {
      track: trackOf(step),
      addressHash: addressHash(addressSecret, followUp.lead.email),
      letters,
      next: nextOf(task, followUp, { sent: false }),
      now: clock.now(),
    }
  }

  /** The step that follows on its track; it keeps its distance from the last that was really sent. */
  function nextOf(
    task: Task,
    { lead, cadence, since, steps }: FollowUp,
    { sent }: { sent: boolean },
  ): PlannedStep | undefined {
    const track = trackOf(cadence[task.step] as Step)
    const next = nextOnTrack(cadence, track, task.step)
    if (next === undefined) return undefined
    const before = steps.findLast(
      ({ step, state }) => state === 'done' && trackOf(cadence[step] as Step) === track,
    )
    const last = sent
      ? { index: task.step, at: clock.now() }
      : before && { index: before.step, at: before.finishedAt ?? clock.now() }
    const clocks = calendar.hoursFor(lead.state)
    return { step: next, track, dueAt: dueAt(cadence, next, { start: since, last }, clocks) }
  }
}
