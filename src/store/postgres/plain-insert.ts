/**
 * The plain insert of a batch. It is enough for most batches in a rush, and takes about half of the server's time. It
 * assumes that every key is new and no address is locked. Otherwise, the whole statement fails without any effect, and
 * `acceptance.ts` continues with the statement that can distinguish the arrivals.
 */
import { hash } from 'node:crypto'
import pg from 'pg'
import type { Pool } from './connections.ts'
import { countedFrom, parametersOf, type WithLockout } from './counted-lockouts.ts'

/** With fewer arrivals than this, speed does not matter, and a repeat should not cause an error in the server's log. */
const SMALLEST = 8

/** After a failure, this many batches do without the plain insert: repeats come in groups. */
const PAUSE = 32

export class PlainInsert {
  readonly #pool: Pool
  #pause = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Stores a batch, all or nothing, and returns whether it did. `named`: the statement may have a name. */
  async store(arrivals: readonly WithLockout[], named: boolean): Promise<boolean> {
    if (arrivals.length < SMALLEST || this.#pause-- > 0) return false
    this.#pause = 0
    const counts = arrivals.some(({ lockout }) => lockout !== null)
    const { text, name } = counts ? COUNTING : PLAIN
    const all = parametersOf(arrivals)
    const values = counts ? all : all.slice(0, 2)
    const client = await this.#pool.connect()
    try {
      await client.query({ text, values, ...(named && { name }) })
      client.release()
      return true
    } catch (error) {
      const failed = error instanceof pg.DatabaseError && [TAKEN, LOCKED].includes(error.code ?? '')
      client.release(!failed)
      if (!failed) throw error
      this.#pause = PAUSE
      return false
    }
  }
}

/** PostgreSQL, appendix A: unique_violation, and division_by_zero, by which the statement fails for a lockout. */
const TAKEN = '23505'
const LOCKED = '22012'

/**
 * The parameters are those of `parametersOf`. A batch without lockouts needs only the first two: counting none would
 * take a tenth of the server's time. As in every other statement, keys come before lockouts, each in order. `counted`
 * needs the number of the keys, so all of them are written first.
 */
function plain(counts: boolean): { text: string; name: string } {
  const counted = `
counted as (${countedFrom('(select lockout from arrivals where (select count(*) from keys) > 0) as a')}
),`
  const text = `
with arrivals as materialized (
  select *, nextval('submissions_id_seq') as id from json_to_recordset($1::json) as a (
    kind text, "receivedAt" bigint, key text, fingerprint text, email text, answer int,
    body text, form text, "clientAddress" text, lockout text)
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
  ${counts ? 'returning 1' : ''}
),${counts ? counted : ''}
task as (
  insert into tasks (lane, kind, subject, through, due_at, state, attempts, created_at)
  select 'filing', 'file', min(id), max(id), 0, 'due', 0, $2 from stored
)
select ${counts ? '1 / (count(*) filter (where points > $3) = 0)::int from counted' : '1'}`
  // Named as in acceptance.ts.
  return { text, name: `plain_${hash('sha256', text, 'hex').slice(0, 16)}` }
}

const PLAIN = plain(false)
const COUNTING = plain(true)
