/** The tables of imported lists, as the queries see them. */
import type { Generated, GeneratedAlways } from 'kysely'

export type ImportTables = { imports: ImportsTable; import_rows: ImportRowsTable }

/**
 * `reading`: the file is being stored. `draft`: someone chooses the columns. `checking`, `running` and `undoing` are
 * passes over the rows; they end in `checked`, `done` and `undone`. `discarded`: its rows will be deleted.
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
  /** Equal only for the same file in the folder of status lists; null if someone uploaded the list. */
  file_key: Generated<string | null>
  /** The names of the columns, as JSON. */
  headers: string
  /** Equal for files with the same headers. */
  headers_digest: string
  /**
   * The choices for the list, as JSON: for people as in `leads/import/inquiry-of-row.ts`, for a status list as in
   * `status-list.ts` beside it.
   */
  plan: string | null
  state: ImportState
  row_count: Generated<number>
  /** The number of the last row that the current pass has done, and how many rows it has done. */
  through: Generated<number>
  done: Generated<number>
  /** How many rows of the last pass opened a lead, joined one, were imported before, or are wrong. */
  opened: Generated<number>
  joined: Generated<number>
  repeated: Generated<number>
  rejected: Generated<number>
  /** How many leads stayed when the import was undone. */
  kept: Generated<number>
  /** How many rows of a status list move a lead, and how many have a word that someone chose to leave out. */
  moved: Generated<number>
  left_out: Generated<number>
  /** JSON, by owner ('' for the team): how many leads are new, and how many existed before. */
  owners: Generated<string>
  /** When the import ended or, after an undo, when the undo ended. */
  finished_at: number | null
  /** Whether the rows are still stored. */
  has_rows: Generated<0 | 1>
}

export type ImportPurpose = 'people' | 'status'

export type RowOutcome = 'opened' | 'joined' | 'moved' | 'repeated' | 'left out' | 'rejected' | 'undone' | 'kept'

/** The uploaded rows: personal data, which is deleted a day after the import. */
type ImportRowsTable = {
  import_id: number
  /** The number that a spreadsheet shows for the row. */
  row_number: number
  /** As JSON. */
  cells: string
  /** The key of the person's address, which an erasure looks for; null until a pass has read the row. */
  person_key: string | null
  /** The idempotency key of the inquiry. In a status list, the stage to which the row moves a lead. */
  key: string | null
  outcome: RowOutcome | null
  /** What is wrong with the row, as JSON. */
  problems: string | null
  /** The inquiry that was made from the row. */
  submission_id: number | null
  /** For a row of a status list: its lead, and the timeline's entry that says that the lead was moved. */
  lead_id: Generated<number | null>
  entry_id: Generated<number | null>
}
