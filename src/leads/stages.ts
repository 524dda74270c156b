/** The stages of a lead, in their order, and the reasons for closing one. */
import type { Kind } from './submission.ts'

export const stages = {
  student: ['new', 'contacted', 'qualified', 'applied', 'enrolled', 'closed'],
  site: ['new', 'contacted', 'meeting', 'agreement', 'active', 'closed'],
} as const satisfies Record<Kind, readonly string[]>

export const allStages: readonly string[] = [...new Set([...stages.student, ...stages.site])]

/** Why a lead was closed. */
export const closedReasons = [
  'no reply',
  'not interested',
  'not eligible',
  'unreachable',
  'duplicate',
  'unsubscribed',
  'spam',
] as const

/**
 * Whether a reason is one that the end of a cadence gives: nobody of the school has closed the lead, so
 * what can be done with it is what can be done with a new one.
 */
export const endedByItself = (reason: string | null): boolean =>
  reason !== null && ['no reply', 'unsubscribed', 'unreachable'].includes(reason)

export type ClosedReason = (typeof closedReasons)[number]
