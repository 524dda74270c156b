/** A database of version 2 of the schema, the last without a follow-up, with what it may have held. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { Kysely, PostgresDialect, SqliteDialect, sql as sqlOf } from 'kysely'
import pg from 'pg'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { intake } from '../../src/store/migrations/1-intake.ts'
import { replicas } from '../../src/store/migrations/2-replicas.ts'
import type { Ddl } from '../../src/store/migrations/migration.ts'
import { testClock } from '../support/clock.ts'
import { type Engine, newDatabase, sql } from '../support/engines.ts'

const unchanging = {
  changeConstraints: async () => {},
  widenChecks: async () => {},
  indexWords: async () => {},
  indexWordsByBlock: async () => {},
  markChangedLeads: async () => {},
}
const ddls: Record<Engine, Ddl> = {
  sqlite: {
    ...unchanging,
    bigint: 'integer',
    identity: column => column.primaryKey().autoIncrement(),
    table: sqlOf`strict`,
    keyedTable: sqlOf`strict, without rowid`,
  },
  postgres: {
    ...unchanging,
    bigint: 'bigint',
    identity: column => column.primaryKey().generatedByDefaultAsIdentity(),
    table: sqlOf``,
    keyedTable: sqlOf``,
  },
}

const connect = (database: DatabaseAddress) =>
  new Kysely<unknown>({
    dialect:
      database.engine === 'sqlite'
        ? new SqliteDialect({ database: adapt(new DatabaseSync(database.file)) as never })
        : new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url, max: 1 }) }),
  })

const adapt = (raw: DatabaseSync) => ({
  close: () => raw.close(),
  prepare: (text: string) => {
    const statement = raw.prepare(text)
    return {
      reader: statement.columns().length > 0,
      all: (values: SQLInputValue[]) => statement.all(...values),
      run: (values: SQLInputValue[]) => statement.run(...values),
    }
  },
})

const body = JSON.stringify({
  firstName: 'Zoë',
  lastName: "O'Öztürk 🏥",
  email: 'zoe@mail.example',
  phone: '512-555-0199',
  state: 'TX',
}).replaceAll("'", "''")

export const submission = (n: number, kind = 'student', answer = 200) =>
  `insert into submissions
     (kind, received_at, key, fingerprint, email, answer, body, client_address, batch)
   values ('${kind}', ${testClock().now()}, 'key ${n}', 'print', 'zoe@mail.example', ${answer}, '${body}', '::1', null)`

export const task = (lane: string, kind: string, subject: number, state: string, through = 'null') =>
  `insert into tasks (lane, kind, subject, through, due_at, state, attempts, note, created_at)
   values ('${lane}', '${kind}', ${subject}, ${through}, 0, '${state}', 3, 'ä', 7)`

export const entry = (lead: number, kind: string, submission: number) =>
  `insert into timeline (lead_id, at, kind, submission_id, detail)
   values (${lead}, 5, '${kind}', ${submission}, 'tooFast,links')`

/** What version 2 may have held. Submission 4 waits to be filed; the last of everything is gone. */
const rows = [
  submission(1),
  submission(2, 'site'),
  submission(3, 'site', 400),
  submission(4),
  submission(5, 'site', 400),
  `insert into idempotency_keys select key, id from submissions`,
  `insert into leads (id, kind, stage, closed_reason, email, email_key, first_name, last_name, phone,
     created_at, updated_at)
   values (1, 'student', 'closed', 'no reply', 'zoe@mail.example', 'zoe@mail.example', 'Zoë', 'Ö', '1',
     1, 2), (2, 'site', 'meeting', null, 'zoe@mail.example', 'zoe@mail.example', 'Zoë', 'Ö', '1', 1, 2)`,
  entry(1, 'submission', 1),
  entry(1, 'email', 1),
  entry(2, 'submission', 2),
  entry(2, 'email', 2),
  task('filing', 'file', 1, 'done', '3'),
  task('mail', 'notify', 1, 'done'),
  task('mail', 'receipt', 1, 'dead'),
  task('mail', 'notify', 2, 'skipped'),
  task('filing', 'file', 4, 'due', '4'),
  task('mail', 'digest', 20261122, 'due'),
  `insert into quarantine (submission_id, reason, email_key, signals, state, held_at)
   values (3, 'honeypot', 'zoe@mail.example', 'links', 'held', 3)`,
  `insert into message_texts values ('digest', 'zoe@mail.example', 3)`,
  `insert into secrets values ('links', 'a secret')`,
  'delete from submissions where id = 5',
  'delete from timeline where id = 4',
  'delete from tasks where id = 6',
]

/** A database as version 2 of the schema left it. */
export async function ofVersion2(t: TestContext, engine: Engine): Promise<DatabaseAddress> {
  const database = await newDatabase(t, engine)
  const db = connect(database)
  await intake(db, ddls[engine])
  await replicas(db, ddls[engine])
  await db.destroy()
  for (const statement of [
    'create table schema_versions (version integer primary key, applied_at bigint not null)',
    'insert into schema_versions values (1, 0), (2, 0)',
    ...rows,
  ]) {
    await sql(database, engine === 'sqlite' ? statement.replace('bigint', 'integer') : statement)
  }
  return database
}
