/** The tables of sources, and of what leads cost. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Kind } from '../../leads/body/submission.ts'
import type { SourceKind } from '../../leads/source/lead-source.ts'

export type SourceTables = { sources: SourcesTable; source_costs: SourceCostsTable }

type SourcesTable = {
  id: GeneratedAlways<number>
  name: string
  kind: SourceKind
  lead_kind: Kind
  language: string
  may_write: 0 | 1
  /** Where each field is in its posts (`leads/source/mapping.ts`), as JSON. */
  mapping: string
  key_hash: string
  /** The previous key, and when it stops working. */
  former_key_hash: Generated<string | null>
  former_key_until: Generated<number | null>
  created_at: number
  off_at: Generated<number | null>
  /** When the last post came that could not become a lead, and why. */
  rejected_at: Generated<number | null>
  rejected_why: Generated<string | null>
}

/** The cost of a source's leads in a month. */
type SourceCostsTable = {
  /** The source as in insight: where people came from, in lower case. */
  source: string
  /** The month as yyyy-mm. */
  month: string
  cents: number
}
