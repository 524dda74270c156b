/**
 * Stepping: one step of a lead's cadence, at its time. Whether it may still be is asked once more in
 * the moment of doing it; whatever becomes of it, sent, skipped or given up, opens the next step.
 */
import type { Logger } from 'pino'
import {
  type Cadence,
  dueAt,
  type MessageStep,
  nextOnTrack,
  type Step,
  trackOf,
} from '../follow-up/cadence.ts'
import { addressHash } from '../leads/address-hash.ts'
import { type Signal, signalNotes } from '../leads/screening.ts'
import type { Lead } from '../leads/submission.ts'
import type { Content } from '../mail/messages.ts'
import type { Circumstances, FollowUp, PlannedStep } from '../store/steps.ts'
import type { Task } from '../store/tasks.ts'
import { letterView } from './letters.ts'
import { bounced, type MailParts } from './mailing.ts'
import { retryDelay } from './retry.ts'
import type { Failure } from './sending.ts'

/** Makes the job that does one claimed step. */
export function createStepping(parts: MailParts & { log: Logger }) {
  const { store, clock, config, calendar, addressees, messages, send, addressSecret, log } = parts
  const letters = config.settings.school.postalAddress !== undefined

  return async ([task]: Task[]): Promise<void> => {
    if (task === undefined) return
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
    const open = calendar.clocksFor(followUp.lead.state)[step.clock].open(now)
    if (open > now) {
      await store.postponeTask(task, {
        dueAt: open,
        note: `waits for the hours of the ${step.clock}`,
      })
      return
    }
    if ('close' in step) await store.closeUnanswered(task, circumstances(task, followUp, step))
    else await sendStep(task, followUp, step)
  }

  async function sendStep(task: Task, followUp: FollowUp, step: MessageStep): Promise<void> {
    const begun = await store.beginStep(task, circumstances(task, followUp, step))
    if (begun !== 'go') return
    const started = { ...task, begun_at: task.begun_at ?? clock.now() }
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
      return messages.letter(step.message, letterView(lead, now, config, addressees))
    }
    const addressee = await addressees.find(lead, step.to, now)
    if ('nobody' in addressee) return { skip: addressee.nobody }
    const latest = await store.readLatest(lead.id)
    if (latest === undefined) return { skip: 'the lead was erased' }
    const suppression = await store.readSuppression(addressHash(addressSecret, lead.email))
    return messages.reminder(step.message, {
      ...addressee,
      ...latest,
      lead,
      notes: latest.signals.map(signal => signalNotes[signal as Signal]),
      owner: addressees.owner(lead)?.name ?? null,
      role: step.to,
      waiting: now - lead.createdAt,
      suppressed: suppression?.reason ?? null,
      now,
    })
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
    const held = await store.concludeStep(task, { ...end, name, next: nextOf(task, followUp), now })
    if (!held) log.warn({ task: task.id }, 'a step was concluded by somebody else')
  }

  function circumstances(task: Task, followUp: FollowUp, step: Step): Circumstances {
    return {
      track: trackOf(step),
      addressHash: addressHash(addressSecret, followUp.lead.email),
      letters,
      next: nextOf(task, followUp),
      now: clock.now(),
    }
  }

  function nextOf(task: Task, { lead, cadence, since }: FollowUp): PlannedStep | undefined {
    const progress = { start: since, last: { index: task.step, at: clock.now() } }
    return nextStep(cadence, progress, calendar.clocksFor(lead.state))
  }
}

type Clocks = Parameters<typeof dueAt>[3]

/** The step that follows another on its track, and when it is due. */
function nextStep(
  cadence: Cadence,
  { start, last }: { start: number; last: { index: number; at: number } },
  clocks: Clocks,
): PlannedStep | undefined {
  const step = cadence[last.index]
  const next = step && nextOnTrack(cadence, trackOf(step), last.index)
  if (next === undefined) return undefined
  return { step: next, dueAt: dueAt(cadence, next, { start, last }, clocks) }
}
