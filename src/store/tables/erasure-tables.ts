/** The tables about erasures, as the queries see them. Times are Unix milliseconds. */
import type { GeneratedAlways } from 'kysely'
import type { AskedReason, ErasureReason } from '../../leads/lead/erasure-reasons.ts'

export type PrivacyTables = {
  erasures: ErasuresTable
  erasure_requests: ErasureRequestsTable
  lead_holds: LeadHoldsTable
  /** The leads that the retention rules will erase at a moment, unless something happens to them before. */
  planned_erasures: { lead_id: number; erase_at: number; planned_at: number }
}

/** The register of erasures. Nothing in it identifies a person who was erased. Never deleted. */
type ErasuresTable = {
  id: GeneratedAlways<number>
  at: number
  /** The name of an operator, or words such as `command line`. */
  asked_by: string
  /** The name of the second operator; null if the settings do not ask for one. */
  confirmed_by: string | null
  reason: ErasureReason
  people: number
  leads: number
  submissions: number
  messages: number
}

/** Requests to erase a person, which a second operator confirms. */
type ErasureRequestsTable = {
  id: GeneratedAlways<number>
  /** The person's address or, without one, their number; null once the request no longer waits. */
  person: string | null
  reason: AskedReason
  asked_by: number
  created_at: number
  expires_at: number
  /** Null while it waits. */
  outcome: 'erased' | 'refused' | 'withdrawn' | 'expired' | null
  decided_at: number | null
  /** A name, or words such as `command line`; null if the request expired. */
  decided_by: string | null
}

/** Leads that no retention rule erases. */
type LeadHoldsTable = {
  lead_id: number
  reason: string
  /** Null until someone ends the hold. */
  until: number | null
  /** Who set the hold, as in a timeline. */
  actor: string
  created_at: number
}
