/** The tables of imported lists, as the queries see them. */
import type { Generated, GeneratedAlways } from 'kysely'

export type ImportTables = { imports: ImportsTable; import_rows: ImportRowsTable }

/**
 * `reading`: the file is being stored. `draft`: someone chooses the columns. `checking`, `running` and `undoing` are
 * passes over the rows, each with its result: `checked`, `done`, `undone`. `discarded`: its rows are to be deleted.
 */
export type ImportState =
  | 'reading'
  | 'draft'
  | 'checking'
  | 'checked'
  | 'running'
  | 'done'
  | 'undoing'
  | 'undone'
  | 'discarded'

type ImportsTable = {
  id: GeneratedAlways<number>
  created_at: number
  /** Who imported it, as a timeline records an actor. */
  created_by: string
  file_name: string
  /** `people`: it adds people. `status`: it moves leads to other stages. */
  purpose: Generated<ImportPurpose>
  /** Equal only for the same file in the folder of status lists; null if someone uploaded it. */
  file_key: Generated<string | null>
  /** The names of the columns, as JSON. */
  headers: string
  /** Equal for files with the same headers. */
  headers_digest: string
  /** What someone chose (`leads/import/inquiry-of-row.ts`, of a status list `status-list.ts` beside it), as JSON. */
  plan: string | null
  state: ImportState
  row_count: Generated<number>
  /** The number of the last row that the pass under way has done, and how many it has done. */
  through: Generated<number>
  done: Generated<number>
  /** How many rows of the last pass opened a lead, joined one, were imported before, or are wrong. */
  opened: Generated<number>
  joined: Generated<number>
  repeated: Generated<number>
  rejected: Generated<number>
  /** How many leads stayed when the import was undone. */
  kept: Generated<number>
  /** How many rows of a status list move a lead, and how many have a word that someone has left out. */
  moved: Generated<number>
  left_out: Generated<number>
  /** By owner ('' for the team), how many leads are new, and how many were there, as JSON. */
  owners: Generated<string>
  /** When the import ended, or undoing it did. */
  finished_at: number | null
  /** Whether the rows are still stored. */
  has_rows: Generated<0 | 1>
}

export type ImportPurpose = 'people' | 'status'

export type RowOutcome = 'opened' | 'joined' | 'moved' | 'repeated' | 'left out' | 'rejected' | 'undone' | 'kept'

/** What was uploaded, row by row: personal data, which is deleted a day after the import. */
type ImportRowsTable = {
  import_id: number
  /** As a spreadsheet shows it. */
  row_number: number
  /** As JSON. */
  cells: string
  /** The key of the person's address, by which the row is erased; null until a pass has read the row. */
  person_key: string | null
  /** The idempotency key of the inquiry; of a row of a status list that moves a lead, the stage. */
  key: string | null
  outcome: RowOutcome | null
  /** What is wrong with it, as JSON. */
  problems: string | null
  /** The inquiry that was made of it. */
  submission_id: number | null
  /** The lead that a row of a status list is about, and the entry of its timeline that says that it was moved. */
  lead_id: Generated<number | null>
  entry_id: Generated<number | null>
}
