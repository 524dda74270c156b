/** What a migration gets: the database, and the parts of its SQL that differ between engines. */
import type { ColumnDefinitionBuilder, Kysely, RawBuilder } from 'kysely'

/** The parts of the data definition that differ between engines. */
export type Ddl = {
  /** A 64-bit integer. */
  bigint: 'integer' | 'bigint'
  /** A key made by the database, never used twice. */
  identity: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder
  /** Ends a table: engine options. */
  table: RawBuilder<unknown>
  /** Ends a table that is looked up by its primary key alone. */
  keyedTable: RawBuilder<unknown>
  /**
   * Puts other constraints in the place of those that a table has. On SQLite this copies the table:
   * about 20 seconds for 500,000 rows.
   */
  changeConstraints: (db: Kysely<unknown>, table: string, changes: Change[]) => Promise<void>
  /**
   * The same for checks that allow more than before, so that every row is known to pass them. As quick for
   * a large table as for a small one.
   */
  widenChecks: (db: Kysely<unknown>, table: string, changes: Change[]) => Promise<void>
  /** Makes the words in the table `lead_words`, which have spaces in between, quick to find. */
  indexWords: (db: Kysely<unknown>) => Promise<void>
  /**
   * The same for leads whose column `by_block` is 1, with the block of the lead before each word, such as
   * `17:evening`: block 17 has the leads from 17 * 32768 on. `lead_search` then finds both.
   */
  indexWordsByBlock: (db: Kysely<unknown>) => Promise<void>
  /**
   * Adds a row to `changed_leads` with each insert, update and delete in `leads`, in its transaction, whichever
   * version of the program makes the change.
   */
  markChangedLeads: (db: Kysely<unknown>) => Promise<void>
}

/** A constraint by its name, its definition as it was written, and the one that takes its place. */
export type Change = { name: string; from: string; to: string }

export type Migration = (db: Kysely<unknown>, ddl: Ddl) => Promise<void>
