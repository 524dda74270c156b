/**
 * An index for each reference to what may be deleted: without one, the database reads all of the table that refers, for
 * each row that it deletes.
 */
import { sql } from 'kysely'
import type { Migration } from './migration.ts'

export const references: Migration = async db => {
  // The index of the entries that file a submission leaves out the emails about it, so no reference is looked up there.
  await db.schema
    .createIndex('timeline_references')
    .on('timeline')
    .column('submission_id')
    .where(sql.ref('submission_id'), 'is not', null)
    .execute()
}
