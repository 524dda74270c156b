/** The tables of hand-overs: each gives all of one person's leads to others. */
import type { GeneratedAlways } from 'kysely'

export type HandOverTables = { hand_overs: HandOversTable; hand_over_leads: HandOverLeadsTable }

type HandOversTable = {
  id: GeneratedAlways<number>
  /** When it began. Its entries in timelines have this moment, too. */
  at: number
  from_owner: string
  from_name: string
  actor: string
  /** JSON: who gets the leads. */
  plan: string
  state: 'running' | 'done' | 'undoing' | 'undone'
  /** A number that grows with every portion. */
  version: number
  /** JSON: the credit of each counselor who takes turns, after the turns so far, by `pool id`. */
  turns: string
  /** JSON: who gets an email about it. The position in this list is the step of the email's task. */
  recipients: string
  finished_at: number | null
  undone_by: string | null
}

type HandOverLeadsTable = {
  hand_over_id: number
  lead_id: number
  /** Who got the lead; null for the team. */
  owner: string | null
  /** The entry in the lead's timeline that says so. */
  entry_id: number
  /** 1 once the lead was given back; 0 if it was not, because someone changed its owner since. */
  restored: 0 | 1 | null
}
