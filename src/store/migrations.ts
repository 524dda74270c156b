/**
 * The schema, step by step. A step that has been released is never edited; a change is a new step.
 * The schema states the rules: what a column may hold and what may exist once.
 */
import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, sql } from 'kysely'

/** What of the data definition differs between engines. */
export type Ddl = {
  /** A 64-bit integer. */
  bigint: 'integer' | 'bigint'
  /** A key made by the database, never used twice. */
  identity: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder
  /** Ends a table: engine options. */
  table: RawBuilder<unknown>
  /** Ends a table that is looked up by its primary key alone. */
  keyedTable: RawBuilder<unknown>
}

type Migration = (db: Kysely<unknown>, ddl: Ddl) => Promise<void>

const migrations: readonly Migration[] = [
  async (db, ddl) => {
    await db.schema
      .createTable('submissions')
      .addColumn('id', ddl.bigint, ddl.identity)
      .addColumn('kind', 'text', c => c.notNull().check(sql`kind in ('site', 'student')`))
      .addColumn('received_at', ddl.bigint, c => c.notNull())
      .addColumn('key', 'text', c => c.notNull())
      .addColumn('fingerprint', 'text', c => c.notNull())
      .addColumn('email', 'text', c => c.notNull())
      .addColumn('answer', 'integer', c => c.notNull().check(sql`answer in (200, 400)`))
      .addColumn('body', 'text', c => c.notNull())
      .addColumn('client_address', 'text', c => c.notNull())
      .modifyEnd(ddl.table)
      .execute()

    await db.schema
      .createTable('idempotency_keys')
      .addColumn('key', 'text', c => c.primaryKey().notNull())
      .addColumn('submission_id', ddl.bigint, c => c.notNull())
      .modifyEnd(ddl.keyedTable)
      .execute()

    await db.schema
      .createTable('tasks')
      .addColumn('id', ddl.bigint, ddl.identity)
      .addColumn('lane', 'text', c => c.notNull().check(sql`lane in ('filing', 'mail')`))
      .addColumn('kind', 'text', c =>
        c.notNull().check(sql`kind in ('file', 'refile', 'notify', 'receipt', 'digest')`),
      )
      .addColumn('subject', ddl.bigint, c => c.notNull())
      .addColumn('through', ddl.bigint)
      .addColumn('due_at', ddl.bigint, c => c.notNull())
      .addColumn('state', 'text', c =>
        c.notNull().check(sql`state in ('due', 'done', 'dead', 'skipped')`),
      )
      .addColumn('attempts', 'integer', c => c.notNull())
      .addColumn('lease_until', ddl.bigint)
      .addColumn('lease_token', 'text')
      .addColumn('note', 'text')
      .addColumn('created_at', ddl.bigint, c => c.notNull())
      .addColumn('finished_at', ddl.bigint)
      .addCheckConstraint('tasks_range', sql`(kind = 'file') = (through is not null)`)
      .addUniqueConstraint('tasks_once', ['kind', 'subject'])
      .modifyEnd(ddl.table)
      .execute()
    await db.schema
      .createIndex('tasks_due')
      .on('tasks')
      .columns(['lane', 'due_at', 'id'])
      .where(sql.ref('state'), '=', sql.lit('due'))
      .execute()
    await db.schema
      .createIndex('tasks_dead')
      .on('tasks')
      .columns(['lane', 'id'])
      .where(sql.ref('state'), '=', sql.lit('dead'))
      .execute()

    await db.schema
      .createTable('leads')
      .addColumn('id', ddl.bigint, c => c.primaryKey().notNull().references('submissions.id'))
      .addColumn('kind', 'text', c => c.notNull().check(sql`kind in ('site', 'student')`))
      .addColumn('stage', 'text', c =>
        c.notNull().check(
          sql`case kind
            when 'site' then stage in ('new', 'contacted', 'meeting', 'agreement', 'active', 'closed')
            else stage in ('new', 'contacted', 'qualified', 'applied', 'enrolled', 'closed') end`,
        ),
      )
      .addColumn('closed_reason', 'text', c =>
        c.check(
          sql`closed_reason in ('no reply', 'not interested', 'not eligible', 'unreachable',
            'duplicate', 'unsubscribed', 'spam')`,
        ),
      )
      .addColumn('email', 'text', c => c.notNull())
      .addColumn('email_key', 'text', c => c.notNull())
      .addColumn('first_name', 'text', c => c.notNull())
      .addColumn('last_name', 'text', c => c.notNull())
      .addColumn('phone', 'text', c => c.notNull())
      .addColumn('phone_e164', 'text')
      .addColumn('company', 'text')
      .addColumn('state', 'text')
      .addColumn('created_at', ddl.bigint, c => c.notNull())
      .addColumn('updated_at', ddl.bigint, c => c.notNull())
      .addCheckConstraint('leads_closed', sql`(stage = 'closed') = (closed_reason is not null)`)
      .modifyEnd(ddl.table)
      .execute()
    await db.schema
      .createIndex('leads_one_open')
      .unique()
      .on('leads')
      .columns(['email_key', 'kind'])
      .where(sql.ref('stage'), '<>', sql.lit('closed'))
      .execute()

    await db.schema.createIndex('leads_email').on('leads').column('email_key').execute()

    await db.schema
      .createTable('timeline')
      .addColumn('id', ddl.bigint, ddl.identity)
      .addColumn('lead_id', ddl.bigint, c => c.notNull().references('leads.id'))
      .addColumn('at', ddl.bigint, c => c.notNull())
      .addColumn('kind', 'text', c => c.notNull().check(sql`kind in ('submission', 'email')`))
      .addColumn('submission_id', ddl.bigint, c => c.references('submissions.id'))
      .addColumn('detail', 'text', c => c.notNull())
      .modifyEnd(ddl.table)
      .execute()
    await db.schema.createIndex('timeline_lead').on('timeline').columns(['lead_id', 'id']).execute()
    await db.schema
      .createIndex('timeline_submission')
      .unique()
      .on('timeline')
      .column('submission_id')
      .where(sql.ref('kind'), '=', sql.lit('submission'))
      .execute()

    await db.schema
      .createTable('quarantine')
      .addColumn('submission_id', ddl.bigint, c =>
        c.primaryKey().notNull().references('submissions.id'),
      )
      .addColumn('reason', 'text', c => c.notNull().check(sql`reason in ('honeypot', 'screening')`))
      .addColumn('email_key', 'text', c => c.notNull())
      .addColumn('signals', 'text', c => c.notNull())
      .addColumn('state', 'text', c =>
        c.notNull().check(sql`state in ('held', 'released', 'dismissed')`),
      )
      .addColumn('held_at', ddl.bigint, c => c.notNull())
      .addColumn('decided_at', ddl.bigint)
      .modifyEnd(ddl.table)
      .execute()
    await db.schema
      .createIndex('quarantine_state')
      .on('quarantine')
      .columns(['state', 'held_at'])
      .execute()
    await db.schema
      .createIndex('quarantine_held_email')
      .on('quarantine')
      .column('email_key')
      .where(sql.ref('state'), '=', sql.lit('held'))
      .execute()

    await db.schema
      .createTable('message_texts')
      .addColumn('digest', 'text', c => c.notNull())
      .addColumn('email_key', 'text', c => c.notNull())
      .addColumn('seen_at', ddl.bigint, c => c.notNull())
      .addPrimaryKeyConstraint('message_texts_key', ['digest', 'email_key'])
      .modifyEnd(ddl.keyedTable)
      .execute()
    await db.schema
      .createIndex('message_texts_seen')
      .on('message_texts')
      .column('seen_at')
      .execute()
  },

  // What it takes for several processes to share a database.
  async (db, ddl) => {
    await db.schema.alterTable('submissions').addColumn('batch', ddl.bigint).execute()
    await db.schema
      .createTable('secrets')
      .addColumn('name', 'text', c => c.primaryKey().notNull())
      .addColumn('value', 'text', c => c.notNull())
      .modifyEnd(ddl.keyedTable)
      .execute()

    // What keeps each query as quick with millions of leads as with none. Without statistics, SQLite
    // would find a person by leads_kind rather than by the address, were that alone in its index.
    await db.schema.dropIndex('leads_email').execute()
    for (const [name, columns] of [
      ['leads_person', ['email_key', 'kind']],
      ['leads_recent', ['created_at', 'id']],
      ['leads_stage', ['stage', 'created_at', 'id']],
      ['leads_kind', ['kind', 'created_at', 'id']],
    ] as const) {
      await db.schema
        .createIndex(name)
        .on('leads')
        .columns([...columns])
        .execute()
    }
    await db.schema
      .createIndex('tasks_skipped')
      .on('tasks')
      .columns(['lane', 'id'])
      .where(sql.ref('state'), '=', sql.lit('skipped'))
      .execute()
    await db.schema
      .createIndex('submissions_refused')
      .on('submissions')
      .column('received_at')
      .where(sql.ref('answer'), '=', sql.lit(400))
      .execute()
    await db.schema
      .createIndex('quarantine_listed')
      .on('quarantine')
      .columns(['state', 'submission_id'])
      .execute()
  },
]

/**
 * Brings the schema up to date inside one transaction, which the caller has opened so that a second
 * process waits for it. Safe to call at every start. Throws when the database is newer than this
 * program.
 */
export async function migrate(db: Kysely<unknown>, ddl: Ddl, now: number): Promise<void> {
  await db.schema
    .createTable('schema_versions')
    .ifNotExists()
    .addColumn('version', 'integer', c => c.primaryKey().notNull())
    .addColumn('applied_at', ddl.bigint, c => c.notNull())
    .modifyEnd(ddl.table)
    .execute()
  const versions = db as Kysely<{ schema_versions: { version: number; applied_at: number } }>
  const { done } = await versions
    .selectFrom('schema_versions')
    .select(eb => eb.fn.coalesce(eb.fn.max('version'), sql<number>`0`).as('done'))
    .executeTakeFirstOrThrow()
  if (Number(done) > migrations.length) {
    throw new Error(
      `The database has schema version ${done}; this program knows ${migrations.length}`,
    )
  }
  for (const [index, migration] of migrations.entries()) {
    if (index < Number(done)) continue
    await migration(db, ddl)
    await versions
      .insertInto('schema_versions')
      .values({ version: index + 1, applied_at: now })
      .execute()
  }
}
