/** What a button or form of a lead's page does: what it is given, and what it says happened. */
import type { Lead } from '../../leads/lead/lead.ts'
import type { ActionResult } from '../../store/actions/staff-actions.ts'
import type { ConsoleDeps } from '../frame/context.ts'

export type Fields = Record<string, string | undefined>

type Request = {
  deps: ConsoleDeps
  lead: Lead
  fields: Fields
  actor: string
  now: number
  /** The newest entry that the person saw, for an action that changes the lead. */
  seen: number | undefined
}

/**
 * What an action has led to: `text` says it, and `before` that nothing had to change; `undo` are the fields of the
 * form that undoes it.
 */
type Result =
  | { outcome: ActionResult; text: string; before?: string; undo?: Record<string, string> | undefined }
  | { problem: string }

export type LeadAction = {
  /** Whether it is asked for again if someone else changed the lead meanwhile. */
  changesLead: boolean
  run(request: Request): Promise<Result>
}
