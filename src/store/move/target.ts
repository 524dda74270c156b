/** The PostgreSQL database that a move writes: a new one, or one in which the same move stopped. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { createPool } from '../postgres/connections.ts'
import { prepareDatabase, whileAway } from '../postgres/database.ts'
import { markMove, unfinishedMove, unmarkMove } from '../postgres/unfinished-move.ts'
import { MoveRefused } from './refused.ts'
import { batchOf, keyOf, type Row, type Table, tables } from './tables.ts'

/** The type of bytes in the catalog of PostgreSQL. */
const BYTEA = 17

export type Target = Awaited<ReturnType<typeof openTarget>>

/**
 * Brings the schema up to date. `name`: what messages call the database. `batch`: how many rows are read at once.
 * Throws with a plain reason.
 */
export async function openTarget(url: string, name: string, most?: number) {
  await whileAway(url, {}, () => prepareDatabase(url))
  const pool = createPool(url, { most: 1, within: 0 })
  const client = await pool.connect()
  // Bytes are read as the server writes them. The source gives them in the same form.
  client.setTypeParser(BYTEA, text => text)
  // A move that was killed may still be at work in the server. Its name keeps it from looking like a service.
  await client.query(`set application_name = 'frontdesk move'`)

  return {
    name,

    count: (table: Table): Promise<number> => count(client, table),

    /** Begins or continues a move from a file. Throws MoveRefused if neither is possible. */
    async begin(source: string): Promise<void> {
      await requireUnused(client, name)
      const unfinished = await unfinishedMove(client)
      if (unfinished !== undefined && unfinished !== source) {
        throw new MoveRefused(`The database ${name} holds the unfinished move of ${unfinished}. Move into a new one.`)
      }
      await transaction(client, async () => {
        if (unfinished === undefined) {
          await markMove(client, source)
          await requireEmpty(client, name)
        }
        // The marks of leads that have changed are copied with everything else.
        await client.query('alter table leads disable trigger user')
      })
    },

    /** The key of the last row; undefined if there is none. */
    async lastKey(table: Table): Promise<Row | undefined> {
      const { rows } = await client.query(
        `select ${keyOf(table)} from ${table.name} order by ${orderOf(table, 'desc')} limit 1`,
      )
      return rows[0]
    },

    /** Inserts the rows that are missing: a killed move may still be inserting its last batch. */
    async insert({ name }: Table, batch: Row[]): Promise<void> {
      const columns = Object.keys(batch[0] ?? {}).join(', ')
      await client.query(
        `insert into ${name} (${columns})
         select ${columns} from json_populate_recordset(null::${name}, $1) on conflict do nothing`,
        [JSON.stringify(batch)],
      )
    },

    /** All rows in the order of their key, with these columns. */
    async *batches(table: Table, columns: string[]): AsyncGenerator<Row[]> {
      await client.query('begin read only')
      try {
        await client.query(
          `declare every_row cursor for
           select ${columns.join(', ')} from ${table.name} order by ${orderOf(table, 'asc')}`,
        )
        for (;;) {
          const { rows } = await client.query(`fetch ${batchOf(table, most)} from every_row`)
          if (rows.length === 0) return
          yield rows
        }
      } finally {
        await client.query('rollback')
      }
    },

    /** Makes the database continue after these ids. */
    async continueIds(highest: { table: string; id: number }[]): Promise<void> {
      for (const { table, id } of highest) {
        await client.query(`select setval(pg_get_serial_sequence($1, 'id'), $2)`, [table, id])
      }
    },

    /** From now on, services can start. */
    async finish(): Promise<void> {
      // Updates the statistics, so that the first queries are planned for full tables.
      await client.query(`analyze ${tables.map(({ name }) => name).join(', ')}`)
      await client.query('alter table leads enable trigger user')
      await unmarkMove(client)
    },

    async close(): Promise<void> {
      client.release(true)
      await pool.end()
    },
  }
}

async function count(client: PoolClient, table: Table): Promise<number> {
  const { rows } = await client.query(`select count(*) as n from ${table.name}`)
  return rows[0].n
}

async function requireUnused(client: PoolClient, database: string): Promise<void> {
  // A connection that ended a moment ago may still be listed.
  for (let tries = 0; tries < 20; tries++, await sleep(100)) {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database()
         and application_name = 'frontdesk'`,
    )
    if (rowCount === 0) return
  }
  throw new MoveRefused(`A service is running on the database ${database}: stop it first.`)
}

async function requireEmpty(client: PoolClient, database: string): Promise<void> {
  for (const table of tables) {
    const rows = await count(client, table)
    if (rows === 0) continue
    const what = table.name === 'submissions' ? 'submissions' : `rows in ${table.name}`
    throw new MoveRefused(
      `The database ${database} is not empty: it already holds ${rows} ${what}. Move into a new one.`,
    )
  }
}

async function transaction(client: PoolClient, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** SQLite orders text by its bytes. */
const orderOf = ({ key }: Table, direction: 'asc' | 'desc'): string =>
  key.map(({ column, type }) => `${column}${type === 'text' ? ' collate "C"' : ''} ${direction}`).join(', ')
