/** Who invited an operator: of two people who must agree to erase someone, neither may have invited the other. */
import type { Migration } from './migration.ts'

export const whoInvited: Migration = async (db, ddl) => {
  await db.schema
    .alterTable('operators')
    // Null: the command line, the first operator, or a version before 34.
    .addColumn('invited_by', ddl.bigint, c => c.references('operators.id'))
    .execute()
}
