/** Our own PostgreSQL server, as safe as an operator's: each commit waits for its fsync. */
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import pg from 'pg'
import { startPostgresServer } from '../test/support/postgres-server.ts'

export type Postgres = {
  /** The id of its main process. */
  pid: number
  version: string
  /** Creates an empty database and returns its URL. */
  createDatabase: () => Promise<string>
  /** Drops a database, even if clients are connected. */
  dropDatabase: (url: string) => Promise<void>
  /** Ends the server and removes its files. */
  remove: () => Promise<void>
}

/** PostgreSQL's own defaults, which the server for tests lowers. */
const DEFAULTS = ['shared_buffers=128MB', 'max_wal_size=1GB']

/** Starts the server with PostgreSQL's own defaults, except for `settings`, and its data on the disk. */
export async function startPostgres(settings: string[] = []): Promise<Postgres> {
  const flags = [...DEFAULTS, ...settings].flatMap(setting => ['-c', setting])
  const server = await startPostgresServer({ durable: true, folder: tmpdir(), flags })
  const [row] = await query(server.url, 'show server_version')
  return {
    pid: server.pid,
    version: String(row?.['server_version']),
    createDatabase: async () => {
      const url = new URL(server.url)
      url.pathname = `bench_${randomBytes(6).toString('hex')}`
      await query(server.url, `create database ${url.pathname.slice(1)}`)
      return url.href
    },
    dropDatabase: async url => {
      await query(server.url, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
    },
    remove: () => server.remove(),
  }
}

/** Runs a query over its own connection and returns the rows. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
