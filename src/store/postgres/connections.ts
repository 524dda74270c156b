/**
 * Connections to PostgreSQL. Waiting for one has a limit. A connection that may be broken is not used again. A
 * connection that breaks while idle does not end the process.
 *
 * We rely on nothing that outlives a transaction on the server (no session settings, no session locks), so a pooler in
 * between may lend a connection for a single transaction.
 */
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
} from 'kysely'
import pg from 'pg'
import { isLoopback } from '../../platform/loopback.ts'
import { type StoreUnavailable, unavailable } from '../acceptance/store-unavailable.ts'
import type { Schema } from '../tables/schema.ts'
import { timeLimits } from './time-limits.ts'

export type Pool = pg.Pool

/** A transaction whose client is idle for this long is rolled back, so that its locks are released. */
const IDLE_IN_TRANSACTION = '10s'

/** 64-bit integers: ids and milliseconds. */
const INT8 = 20
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? exactNumber : pg.types.getTypeParser(oid, format as 'text'),
}

/** Throws rather than round: an id beyond 2^53, as some engines generate them, would name another row. */
function exactNumber(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`The database has the number ${text}; this program holds numbers up to 2^53 exactly`)
}

/**
 * Creates a pool of up to `most` connections, each made when it is first needed. A statement that takes longer than
 * `within` milliseconds fails, and its connection is closed; 0 means no limit.
 */
export function createPool(url: string, { most, within }: { most: number; within: number }): Pool {
  const pool = new pg.Pool({ ...connectionTo(url), max: most, query_timeout: within })
  // A connection that breaks is replaced when one is next needed; a query on it fails on its own.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  return pool
}

/** The options that every connection shares. */
export const connectionTo = (url: string): pg.PoolConfig => ({
  connectionString: url,
  ...(isRemote(url) && ENCRYPTED),
  connectionTimeoutMillis: timeLimits.connection,
  application_name: 'frontdesk',
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types: types as never,
})

/** TLS without checking the certificate: most schools' servers have one of no authority. The URL may override this. */
const ENCRYPTED: pg.PoolConfig = { ssl: { rejectUnauthorized: false } }

function isRemote(url: string): boolean {
  const { hostname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  // If there is no host, or a folder's path in its place, the URL names a socket of this machine.
  return host !== '' && !host.startsWith('/') && !host.startsWith('%2F') && !isLoopback(host)
}

export const queriesOver = <Tables = Schema>(pool: Pool): Kysely<Tables> =>
  new Queries<Tables>({ dialect: new BoundedDialect({ pool: withoutBroken(pool) }) })

/** How often a transaction is repeated if PostgreSQL ends it because of a deadlock. */
const REPEATED = 5

/** PostgreSQL, appendix A. */
const DEADLOCK = '40P01'

/** If two transactions deadlock, PostgreSQL ends one and rolls it back. It is then repeated from its beginning. */
class Queries<Tables> extends Kysely<Tables> {
  override transaction() {
    const transaction = super.transaction()
    const execute = transaction.execute.bind(transaction)
    transaction.execute = async work => {
      for (let left = REPEATED; ; left--) {
        try {
          return await execute(work)
        } catch (error) {
          if (left === 0 || (error as { code?: unknown }).code !== DEADLOCK) throw error
        }
      }
    }
    return transaction
  }
}

class BoundedDialect extends PostgresDialect {
  readonly #config: ConstructorParameters<typeof PostgresDialect>[0]
  constructor(config: ConstructorParameters<typeof PostgresDialect>[0]) {
    super(config)
    this.#config = config
  }
  override createDriver() {
    return new BoundedDriver(this.#config)
  }
}

class BoundedDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection) {
    const begin = `begin; set local idle_in_transaction_session_timeout = '${IDLE_IN_TRANSACTION}'`
    await connection.executeQuery(CompiledQuery.raw(begin))
  }
}

/** The pool as Kysely uses it. If more than a statement fails, throws StoreUnavailable and closes the connection. */
function withoutBroken(pool: Pool): PostgresPool {
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect().catch(error => {
      throw unavailable(error)
    })
    let failure: StoreUnavailable | undefined
    const query = async (...args: unknown[]) => {
      // On a broken connection, a rollback would wait in vain for the same time again.
      if (failure !== undefined) throw failure
      try {
        return await (client.query as (...args: unknown[]) => Promise<unknown>)(...args)
      } catch (error) {
        if (isAboutStatement(error)) throw error
        failure = unavailable(error)
        throw failure
      }
    }
    const release = () => client.release(failure !== undefined)
    return { query, release } as PostgresPoolClient
  }
  return { connect, end: () => pool.end(), options: pool.options }
}

/**
 * The classes of errors after which a connection is as good as before: unsupported features, cardinality, data,
 * constraints, aborted and conflicting transactions, syntax, limits of a statement (PostgreSQL, appendix A). After any
 * other error, such as from a server that is read-only since a failover, a new connection may work better.
 */
const ABOUT_STATEMENT = new Set(['0A', '21', '22', '23', '25', '40', '42', '54'])
const READ_ONLY = '25006'

/** Unsupported features, syntax, and a parameter that the server does not know. */
const NOT_SUPPORTED = new Set(['0A000', '42601', '22023'])

/** Whether a server has refused a statement because it lacks the statement or a part of it. */
export const isNotSupported = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && NOT_SUPPORTED.has(error.code ?? '')

function isAboutStatement(error: unknown): boolean {
  // The driver complains about an argument or a result, not the server.
  if (error instanceof TypeError || error instanceof RangeError) return true
  const code = error instanceof pg.DatabaseError ? error.code : undefined
  return code !== undefined && code !== READ_ONLY && ABOUT_STATEMENT.has(code.slice(0, 2))
}
