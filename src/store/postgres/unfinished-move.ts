/**
 * The marker of an unfinished move: a table that exists from before the first row is copied until all rows are
 * verified. No service starts on a database with the marker; the same move may continue there.
 */
import type { ClientBase } from 'pg'

type Queries = Pick<ClientBase, 'query'>

/** The file from which an unfinished move into this database copies; undefined if there is none. */
export async function unfinishedMove(db: Queries): Promise<string | undefined> {
  const { rows } = await db.query(`select to_regclass('unfinished_move') is not null as found`)
  if (!rows[0].found) return undefined
  const marker = await db.query<{ source: string }>('select source from unfinished_move')
  return marker.rows[0]?.source
}

/** Call it inside a transaction: if two moves begin at the same time, one waits for the other and then fails. */
export async function markMove(db: Queries, source: string): Promise<void> {
  await db.query('create table unfinished_move (source text not null)')
  await db.query('insert into unfinished_move values ($1)', [source])
}

export async function unmarkMove(db: Queries): Promise<void> {
  await db.query('drop table unfinished_move')
}
