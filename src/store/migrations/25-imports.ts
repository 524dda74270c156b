/** Lists of people that someone uploads: their rows, until the import can no longer be undone. */
import type { Migration } from './migration.ts'

export const imports: Migration = async (db, ddl) => {
  await db.schema
    .createTable('imports')
    .addColumn('id', ddl.bigint, ddl.identity)
    .addColumn('created_at', ddl.bigint, c => c.notNull())
    .addColumn('created_by', 'text', c => c.notNull())
    .addColumn('file_name', 'text', c => c.notNull())
    .addColumn('headers', 'text', c => c.notNull())
    .addColumn('headers_digest', 'text', c => c.notNull())
    .addColumn('plan', 'text')
    .addColumn('state', 'text', c => c.notNull())
    .addColumn('row_count', 'integer', c => c.notNull().defaultTo(0))
    // Of the pass under way: the last row it has done.
    .addColumn('through', 'integer', c => c.notNull().defaultTo(0))
    .addColumn('done', 'integer', c => c.notNull().defaultTo(0))
    .addColumn('opened', 'integer', c => c.notNull().defaultTo(0))
    .addColumn('joined', 'integer', c => c.notNull().defaultTo(0))
    .addColumn('repeated', 'integer', c => c.notNull().defaultTo(0))
    .addColumn('refused', 'integer', c => c.notNull().defaultTo(0))
    .addColumn('kept', 'integer', c => c.notNull().defaultTo(0))
    .addColumn('owners', 'text', c => c.notNull().defaultTo('{}'))
    .addColumn('finished_at', ddl.bigint)
    .addColumn('has_rows', 'integer', c => c.notNull().defaultTo(1))
    .modifyEnd(ddl.table)
    .execute()
  await db.schema.createIndex('imports_headers').on('imports').columns(['headers_digest', 'id']).execute()

  await db.schema
    .createTable('import_rows')
    .addColumn('import_id', ddl.bigint, c => c.notNull().references('imports.id'))
    .addColumn('row_number', 'integer', c => c.notNull())
    .addColumn('cells', 'text', c => c.notNull())
    .addColumn('email_key', 'text')
    .addColumn('key', 'text')
    .addColumn('outcome', 'text')
    .addColumn('problems', 'text')
    .addColumn('submission_id', ddl.bigint)
    .addPrimaryKeyConstraint('import_rows_key', ['import_id', 'row_number'])
    .modifyEnd(ddl.keyedTable)
    .execute()
  await db.schema.createIndex('import_rows_email').on('import_rows').columns(['import_id', 'email_key']).execute()
  await db.schema
    .createIndex('import_rows_outcome')
    .on('import_rows')
    .columns(['import_id', 'outcome', 'row_number'])
    .execute()

  // Lanes that the workers of the previous version do not know: for the imports, and for the emails about them.
  await ddl.widenChecks(db, 'tasks', [
    {
      name: 'tasks_lane_check',
      from: `check (lane in ('filing', 'mail', 'follow-up', 'letters', 'pauses', 'messages'))`,
      to: `check (lane in ('filing', 'mail', 'follow-up', 'letters', 'pauses', 'messages', 'imports',
        'reports'))`,
    },
    {
      name: 'tasks_kind_check',
      from: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset', 'message', 'report'))`,
      to: `check (kind in ('file', 'refile', 'notify', 'receipt', 'digest', 'step', 'news', 'account',
        'resume', 'unattended', 'forward', 'strays', 'invitation', 'reset', 'message', 'report',
        'import', 'imported'))`,
    },
  ])
}
