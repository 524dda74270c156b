/** The stages of a lead, in their order, and the reasons for closing one. */
import type { Kind } from '../body/submission.ts'
import { capital } from '../body/tidy-text.ts'

export const stages = {
  student: ['new', 'contacted', 'qualified', 'applied', 'enrolled', 'closed'],
  site: ['new', 'contacted', 'meeting', 'agreement', 'active', 'closed'],
} as const satisfies Record<Kind, readonly string[]>

export const allStages: readonly string[] = [...new Set([...stages.student, ...stages.site])]

export const closedReasons = [
  'no reply',
  'never contacted',
  'not interested',
  'not eligible',
  'unreachable',
  'duplicate',
  'unsubscribed',
  'not a lead',
  'spam',
] as const

/**
 * Whether the lead was closed automatically, at the end of its cadence. No one at the school closed it, so people can
 * do with it everything that they can do with a new lead.
 */
export const endedByItself = (reason: string | null): boolean =>
  reason !== null && ['no reply', 'never contacted', 'unsubscribed', 'unreachable'].includes(reason)

/** The reasons for closing a lead that is not counted: not a person to follow up, or counted as another lead. */
export const notCounted: readonly string[] = ['spam', 'not a lead', 'duplicate']

export type ClosedReason = (typeof closedReasons)[number]

/** People's name for a stage. `contacted` is called `reached`: someone has reached the person. */
export const stageName = (stage: string): string => (stage === 'contacted' ? 'reached' : stage)

/** The stage with this name among people: `contacted` for `reached`. */
export const stageNamed = (name: string): string => (name === 'reached' ? 'contacted' : name)

/** People's name for the reason why a lead was closed. `never contacted`: no one has tried to reach the person. */
export const reasonName = (reason: string): string => (reason === 'never contacted' ? 'never called' : reason)

/** A stage in words: `Reached`, or `Closed (not a lead)`. */
export function stageInWords(stage: string, closedReason: string | null): string {
  const name = capital(stageName(stage))
  return closedReason === null ? name : `${name} (${reasonName(closedReason)})`
}
