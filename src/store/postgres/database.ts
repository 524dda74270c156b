/** PostgreSQL: reaching the server, and bringing the schema up to date. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { migrate } from '../migrations/migrate.ts'
import type { Ddl } from '../migrations/migration.ts'
import type { OpenOptions } from '../store.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import { createPool, type Pool, queriesOver } from './connections.ts'
import { unfinishedMove } from './move-marker.ts'

/** PostgreSQL 14, as the server writes its version. */
const OLDEST = 14_0000

/** Who migrates, or wants to, holds this lock: "frontdesk" in the letters of a telephone. */
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
}

/**
 * Does what needs the server; what fails because the server is away is done again, once a second,
 * for as long as the options say. Throws with a plain reason.
 */
export async function patiently<T>(
  url: string,
  { timeout: patience = 0, onWaiting = () => {} }: OpenOptions,
  work: () => Promise<T>,
): Promise<T> {
  for (const end = performance.now() + patience; ; await sleep(1000)) {
    try {
      return await work()
    } catch (thrown) {
      const error = thrown instanceof StoreUnavailable ? thrown.cause : thrown
      const reason = reasonOf(error, url)
      if (!mayPass(error) || performance.now() >= end) throw new Error(reason, { cause: error })
      onWaiting(reason)
    }
  }
}

/**
 * Brings the schema up to date; of several processes that do so at once, one does it and the others
 * wait. Returns where from a move into it is unfinished, if one is.
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
 * Whether somebody has to change the configuration or the server's rights. All else passes: a server
 * that is not there yet, starting, full, out of space, or a standby until it is promoted.
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
  if (version < OLDEST) throw new Error('PostgreSQL 14 or newer is needed')
  if (encoding !== 'UTF8') throw new Error(`the database must have encoding UTF8, not ${encoding}`)
}

async function upgrade(pool: Pool): Promise<void> {
  const db = queriesOver<unknown>(pool)
  await db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(tx)
    await migrate(tx, ddl, Date.now())
    // A crash of the server forgets the limits, which harms nobody; each hit then costs no fsync.
    await sql`create unlogged table if not exists limits (
      key text primary key, points bigint not null, until bigint not null)`.execute(tx)
    await keepQueueClean(tx)
  })
}

/**
 * A task leaves its traces in the index of what is due, through which each look for work then wades:
 * they are to be cleared away early, not when a fifth of all tasks ever has changed. Set once, since
 * the operator may know better, and since it waits for a vacuum.
 */
async function keepQueueClean(tx: Kysely<unknown>): Promise<void> {
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
    '28000': `the server lets ${decodeURIComponent(username)} not in: ${message}`,
    '3D000': `there is no database ${database}; make one with: createdb ${database}`,
    '42501': `${decodeURIComponent(username)} has too few rights: ${message}`,
  }
  return reasons[code ?? ''] ?? message ?? String(code)
}
