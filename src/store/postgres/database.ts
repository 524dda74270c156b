/** PostgreSQL: reaching the server, and bringing the schema up to date. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { StoreUnavailable } from '../acceptance/store-unavailable.ts'
import { migrate } from '../migrations/migrate.ts'
import type { Ddl } from '../migrations/migration.ts'
import type { OpenOptions } from '../store.ts'
import { createPool, type Pool, queriesOver } from './connections.ts'
import { unfinishedMove } from './unfinished-move.ts'

/** PostgreSQL 14, as the server writes its version. */
const OLDEST = 14_0000

/** The advisory lock of a process that migrates: "frontdesk" on a telephone's keypad. */
const MIGRATION_LOCK = 376_683_375

const ddl: Ddl = {
  bigint: 'bigint',
  identity: column => column.primaryKey().generatedByDefaultAsIdentity(),
  table: sql``,
  keyedTable: sql``,
  changeConstraints: async (db, table, changes) => {
    for (const { name, to } of changes) {
      await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)},
        add constraint ${sql.ref(name)} ${sql.raw(to)}`.execute(db)
    }
  },
  widenChecks: async (db, table, changes) => {
    for (const { name, to } of changes) {
      // "Not valid" applies to new rows and reads no old ones, which would keep other replicas waiting.
      await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)},
        add constraint ${sql.ref(name)} ${sql.raw(to)} not valid`.execute(db)
    }
  },
  indexWords: async db => {
    // A short list of pending entries: every search reads it from its beginning.
    await sql`create index lead_words_search on lead_words
      using gin (array_to_tsvector(string_to_array(words, ' ')))
      with (gin_pending_list_limit = 256)`.execute(db)
    // Reads a query as FTS5 does, so that both engines are asked in the same words.
    await sql`create function lead_search(query text) returns table (rowid bigint)
      language sql stable as $$
        select lead_id from lead_words
        where array_to_tsvector(string_to_array(words, ' ')) @@
          replace(replace(replace(query, '"*', ''':*'), '"', ''''), ' AND ', ' & ')::tsquery
      $$`.execute(db)
  },
  indexWordsByBlock: async db => {
    // Also for processes of the version before, which do not know the column.
    await sql`alter table lead_words alter column by_block set default 1`.execute(db)
    await sql`create function words_by_block(lead_id bigint, words text) returns tsvector
      language sql immutable as $$
        select array_to_tsvector(string_to_array(
          (lead_id / 32768)::text || ':' ||
            replace(words, ' ', ' ' || (lead_id / 32768)::text || ':'), ' '))
      $$`.execute(db)
    await sql`create index lead_words_by_block on lead_words
      using gin (words_by_block(lead_id, words))
      with (gin_pending_list_limit = 256) where by_block = 1`.execute(db)
    const { rows } = await sql`select from lead_words limit 1`.execute(db)
    if (rows.length === 0) await sql`drop index lead_words_search`.execute(db)
    // Only a query by block has digits and a colon: no one can type one.
    await sql`create or replace function lead_search(query text) returns table (rowid bigint)
      language sql stable as $$
        select lead_id from lead_words
        where query ~ '^"[0-9]+:' and by_block = 1 and words_by_block(lead_id, words) @@
          replace(replace(replace(query, '"*', ''':*'), '"', ''''), ' AND ', ' & ')::tsquery
        union all
        select lead_id from lead_words
        where query !~ '^"[0-9]+:' and array_to_tsvector(string_to_array(words, ' ')) @@
          replace(replace(replace(query, '"*', ''':*'), '"', ''''), ' AND ', ' & ')::tsquery
      $$`.execute(db)
  },
  markChangedLeads: async db => {
    await sql`create function mark_changed_leads() returns trigger language plpgsql as $$
      begin insert into changed_leads (lead_id) select id from changed; return null; end $$`.execute(db)
    // One statement for all the leads of another: filing inserts many at once.
    for (const [event, rows] of [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ]) {
      await sql`create trigger ${sql.ref(`leads_marked_on_${event}`)}
        after ${sql.raw(`${event} on leads referencing ${rows}`)} table as changed
        for each statement execute function mark_changed_leads()`.execute(db)
    }
  },
}

/**
 * Does `work`, and repeats it once a second if it fails because the server is away, for as long as the
 * timeout allows. Throws with a plain reason.
 */
export async function retryWhileAway<T>(
  url: string,
  { timeout = 0, onWaiting = () => {} }: OpenOptions,
  work: () => Promise<T>,
): Promise<T> {
  const end = performance.now() + timeout
  for (;;) {
    try {
      return await work()
    } catch (thrown) {
      const error = thrown instanceof StoreUnavailable ? thrown.cause : thrown
      const reason = reasonOf(error, url)
      if (!mayPass(error) || performance.now() >= end) throw new Error(reason, { cause: error })
      onWaiting(reason)
    }
    await sleep(1000)
  }
}

/**
 * Brings the schema up to date; if several processes try at once, one does it and the others wait.
 * Returns the file from which a move into this database is unfinished, if there is one.
 */
export async function prepareDatabase(url: string): Promise<string | undefined> {
  const pool = createPool(url, { most: 1, within: 0 })
  try {
    await requireUsable(pool)
    await upgrade(pool)
    return await unfinishedMove(pool)
  } finally {
    await pool.end()
  }
}

/**
 * Whether a failure may pass by itself: a server that is not there yet, starting, full, out of space,
 * or a standby until it is promoted. Otherwise someone has to change the configuration or the rights.
 */
function mayPass(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return /timeout|terminated/i.test(message)
  return !FINAL_CLASSES.has(code.slice(0, 2)) && !/CERT|TLS|SELF_SIGNED|UNABLE_TO/.test(code)
}

/** PostgreSQL, appendix A: not supported, authorization, no such database, access rule or syntax. */
const FINAL_CLASSES = new Set(['0A', '28', '3D', '42'])

async function requireUsable(pool: Pool): Promise<void> {
  const { rows } = await pool.query(
    `select current_setting('server_version_num')::int as version,
       current_setting('server_encoding') as encoding`,
  )
  const { version, encoding } = rows[0]
  if (version < OLDEST) throw new Error('PostgreSQL 14 or newer is required')
  if (encoding !== 'UTF8') throw new Error(`the database must have encoding UTF8, not ${encoding}`)
}

async function upgrade(pool: Pool): Promise<void> {
  const db = queriesOver<unknown>(pool)
  await db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(tx)
    await migrate(tx, ddl, Date.now())
    // Unlogged: a crash of the server loses the limits, which is harmless, and a hit costs no fsync.
    await sql`create unlogged table if not exists limits (
      key text primary key, points bigint not null, until bigint not null)`.execute(tx)
    await vacuumTasksEarly(tx)
  })
}

/**
 * Makes the server vacuum the tasks early, not only when a fifth of all tasks has changed: each task
 * leaves dead entries in the index of due tasks, which every claim has to skip. Set only once, because
 * the operator may know better and because it waits for a running vacuum.
 */
async function vacuumTasksEarly(tx: Kysely<unknown>): Promise<void> {
  const untouched = sql`select from pg_class where oid = 'tasks'::regclass and reloptions is null`
  if ((await untouched.execute(tx)).rows.length === 0) return
  await sql`alter table tasks set (autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 50000, vacuum_index_cleanup = on)`.execute(tx)
}

/** Why the database cannot be used, in words that lead to the fix. Never names the password. */
function reasonOf(error: unknown, url: string): string {
  const { code, message } = error as NodeJS.ErrnoException
  const { hostname, port, username, pathname } = new URL(url)
  const place = `${hostname || 'localhost'}:${port || 5432}`
  const database = decodeURIComponent(pathname.slice(1))
  const reasons: Record<string, string> = {
    ECONNREFUSED: `nothing listens at ${place}`,
    ENOTFOUND: `there is no host ${hostname}`,
    '28P01': `the server refuses the password of ${decodeURIComponent(username)}`,
    '28000': `the server does not let ${decodeURIComponent(username)} connect: ${message}`,
    '3D000': `there is no database ${database}; create it with: createdb ${database}`,
    '42501': `${decodeURIComponent(username)} has too few rights: ${message}`,
  }
  if (/does not support SSL/.test(message ?? ''))
    return `${place} does not support TLS: if no one else can read the network in between, add ?sslmode=disable to the URL`
  return reasons[code ?? ''] ?? message ?? String(code)
}
