/**
 * The plain insert of a batch. It is enough for most batches in a rush, and takes about half of the server's time. It
 * assumes that every key is new. If one is not, the unique index rejects the whole statement, nothing has happened, and
 * `acceptance.ts` goes on with the statement that can tell the keys apart.
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Arrival } from '../acceptance/arrival.ts'
import type { Pool } from './connections.ts'

/**
 * With fewer arrivals than this, speed does not matter, and a repeat should not become an error in the server's log.
 */
const SMALLEST = 8

/** After a key that was taken, this many batches do without the plain insert: repeats come in groups. */
const PAUSE = 32

export class PlainInsert {
  readonly #pool: Pool
  #pause = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Stores a batch, all or nothing, and returns whether it did. It cannot apply lockouts. `named`: the statement may
   * have a name.
   */
  async store(arrivals: readonly Arrival[], named: boolean): Promise<boolean> {
    if (arrivals.length < SMALLEST || this.#pause-- > 0) return false
    this.#pause = 0
    const now = Math.max(...arrivals.map(({ receivedAt }) => receivedAt))
    const client = await this.#pool.connect()
    try {
      await client.query({ text: PLAIN, values: [JSON.stringify(arrivals), now], ...(named && { name: PLAIN_NAME }) })
      client.release()
      return true
    } catch (error) {
      const taken = error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION
      client.release(!taken)
      if (!taken) throw error
      this.#pause = PAUSE
      return false
    }
  }
}

/** PostgreSQL, appendix A. */
const UNIQUE_VIOLATION = '23505'

/** $1 is the arrivals as JSON, $2 now. Keys are written in order, as in every other statement. */
const PLAIN = `
with arrivals as materialized (
  select *, nextval('submissions_id_seq') as id from json_to_recordset($1::json) as a (
    kind text, "receivedAt" bigint, key text, fingerprint text, email text, answer int,
    body text, form text, "clientAddress" text)
),
stored as (
  insert into submissions
    (id, kind, received_at, key, fingerprint, email, answer, body, form, client_address, batch)
  select id, kind, "receivedAt", key, fingerprint, email, answer, body, form, "clientAddress", min(id) over ()
  from arrivals order by id
  returning id, key
),
keys as (
  insert into idempotency_keys (key, submission_id) select key, id from stored order by key
),
task as (
  insert into tasks (lane, kind, subject, through, due_at, state, attempts, created_at)
  select 'filing', 'file', min(id), max(id), 0, 'due', 0, $2 from stored
)
select 1`

/** Named as in acceptance.ts. */
const PLAIN_NAME = `plain_${createHash('sha256').update(PLAIN).digest('hex').slice(0, 16)}`
