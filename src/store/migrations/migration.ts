/** What a migration is given: the database, and the parts of its SQL that differ between engines. */
import type { Kysely } from 'kysely'

/** The parts of the data definition that differ between engines. */
export type Ddl = {
  bigint: string
  bytes: string
  /** The type of a primary key that the database generates and never uses twice. */
  id: string
  /** Ends a table: engine options. */
  table: string
  /** Ends a table that is looked up by its primary key alone. */
  keyedTable: string
  /**
   * Replaces checks of a table with checks that allow more, so that all rows are known to pass. Takes the same time for
   * a large table as for a small one.
   */
  widenChecks: (db: Kysely<unknown>, table: string, changes: Change[]) => Promise<void>
  /**
   * Indexes the words in the table `lead_words`, which are separated by spaces. `lead_search` finds each word after the
   * number of its lead's block, such as `17:evening`. Block 17 has the leads from 17 * 32768 on.
   */
  indexWords: (db: Kysely<unknown>) => Promise<void>
  /**
   * Adds a row to `changed_leads` with each insert, update and delete in `leads`, in its transaction, whichever
   * version of the program makes the change.
   */
  markChangedLeads: (db: Kysely<unknown>) => Promise<void>
}

/** A constraint by its name, its definition as it was written, and the definition that replaces it. */
export type Change = { name: string; from: string; to: string }

export type Migration = (db: Kysely<unknown>, ddl: Ddl) => Promise<void>
