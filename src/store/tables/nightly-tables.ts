/** The table of nightly exports, as the queries see it. */
import type { Generated, GeneratedAlways } from 'kysely'

export type NightlyTables = { nightly_exports: NightlyExportsTable }

type NightlyExportsTable = {
  id: GeneratedAlways<number>
  /** The beginning of its files' names: lower case, digits and hyphens. */
  name: string
  /** The filter of the saved view that it was made from: the part of a URL after `?`. */
  filter: string
  /** The hour, in the school's time, at which it is written. */
  hour: number
  /** How many days a file stays. */
  keep_days: number
  created_at: number
  /** The name of the operator who made it. */
  created_by: string
  /** When its last file was written, and how many leads that contains. */
  written_at: Generated<number | null>
  file: Generated<string | null>
  leads: Generated<number | null>
  /** When the last attempt failed, if it did, and when the first failure in a row was. */
  failed_at: Generated<number | null>
  failed_since: Generated<number | null>
  failed_why: Generated<string | null>
}
