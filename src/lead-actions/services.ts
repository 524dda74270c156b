/** What all lead actions share: the services that they need, the person who acts, and the result. */
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
  /** The key for hashes of addresses. */
  addressSecret: string
  /** Wakes up these lanes of the worker (default: all) and the pages that show leads. */
  changed(lanes?: readonly Lane[]): void
}

/** The person who does something to a lead. */
export type By = {
  /** The id of a counselor, `manager`, or a name. */
  actor: string
  /** The newest entry of the timeline that they saw. Default: the action applies whatever has happened since. */
  seen?: number | undefined
  /**
   * For the audit log: the operator and their network, or the name given to a command. The log records what staff do to
   * a lead in the console, and every import.
   */
  operator?: { id: number | null; name: string; network?: string } | undefined
  /** The kind of the operator's draft that becomes part of the action. */
  endsDraft?: ActionContext['endsDraft']
}

/**
 * Something that staff do to a lead, with all its consequences. Safe to call twice. If the lead was merged into
 * another, even a moment ago, the action changes that other lead instead.
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
 * Who acts, for a store method, and what the audit log says about it: a few words without anything that someone typed,
 * since audit entries remain after a person is erased.
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
