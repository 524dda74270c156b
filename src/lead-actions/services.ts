/** What all lead actions have in common: the services that they need, the person who acts, and the result. */
import type { Config } from '../config/config.ts'
import type { Settings } from '../config/settings.ts'
import type { Calendar } from '../follow-up/calendar.ts'
import type { Lead } from '../leads/lead/lead.ts'
import type { Addressees } from '../mail/staff-addressees.ts'
import type { Clock } from '../platform/time.ts'
import type { ActionContext, Changed } from '../store/actions/change-lead.ts'
import type { Store } from '../store/store.ts'
import type { Lane } from '../store/tables/schema.ts'

export type Services = {
  store: Store
  clock: Clock
  config: Config
  settings: Settings
  calendar: Calendar
  addressees: Addressees
  /** The key of the hashes of addresses. */
  addressSecret: string
  /** Wakes up these lanes of the worker (default: all) and the pages that show leads. */
  changed(lanes?: readonly Lane[]): void
}

/** The person who does something to a lead. */
export type By = {
  /** The id of a counselor, `manager`, or a name. */
  actor: string
  /** The newest entry of the timeline that they saw. Default: it does not matter what has happened since. */
  seen?: number | undefined
  /**
   * For the audit log, which records what staff do to a lead in the console, and every import: the operator and their
   * network, or the name given to a command.
   */
  operator?: { id: number | null; name: string; network?: string } | undefined
  /** The kind of the operator's draft that becomes part of the action. */
  endsDraft?: ActionContext['endsDraft']
}

/**
 * Something that staff do to a lead, with everything that follows from it. Safe to call twice. If the lead was merged
 * into another, even a moment ago, it stays as it is, and the other lead changes.
 */
export type LeadAction<Input = object, Result = Changed> = (
  services: Services,
  lead: Lead,
  input: Input,
  by: By,
) => Promise<Result>

/** The input is wrong, as the sentence says; nothing has changed. */
export type Invalid = { outcome: 'invalid'; problem: string }

export const invalid = (problem: string): Invalid => ({ outcome: 'invalid', problem })

/**
 * Who acts, for a store method, and what the audit log says about it: a few words that contain nothing that someone
 * typed, since entries outlive people who are erased.
 */
export function actedOn(
  { clock }: Pick<Services, 'clock'>,
  { actor, seen, operator, endsDraft }: By,
  { action = 'changed', detail }: { action?: string; detail?: string },
): ActionContext & { actor: string } {
  const now = clock.now()
  if (operator === undefined) return { actor, seen, now }
  const { id: operatorId, name, network } = operator
  return { actor, seen, now, endsDraft, audit: { at: now, operatorId, actor: name, action, detail, network } }
}

/** If the lead has changed, wakes up workers and pages. */
export async function andTell<Result extends { outcome: string }>(
  { changed }: Pick<Services, 'changed'>,
  acting: Promise<Result>,
): Promise<Result> {
  const result = await acting
  if (result.outcome === 'done') changed()
  return result
}
