/** The tables of what is written into files every night. */
import type { Generated, GeneratedAlways } from 'kysely'

export type NightlyTables = { nightly_exports: NightlyExportsTable }

type NightlyExportsTable = {
  id: GeneratedAlways<number>
  /** The beginning of its files: lower case, digits and hyphens. */
  name: string
  /** The filter of the saved view that it was made from: the part of a URL after `?`. */
  filter: string
  /** At which hour of the school's time it is written. */
  hour: number
  /** For how many days a file stays. */
  keep_days: number
  created_at: number
  /** The name of the operator who made it. */
  created_by: string
  /** The file that was written last, and how many leads are in it. */
  written_at: Generated<number | null>
  file: Generated<string | null>
  leads: Generated<number | null>
  /** The last attempt, if it has failed, and the first of those that failed in a row. */
  failed_at: Generated<number | null>
  failed_since: Generated<number | null>
  failed_why: Generated<string | null>
}
