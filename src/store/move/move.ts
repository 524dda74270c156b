/**
 * Moves a whole installation from SQLite to PostgreSQL: copies every row, ids included, then reads both sides again and
 * compares them. No row of the file is changed. A move that stopped for any reason continues after the last row that it
 * copied. Until the move is finished, no service starts on the target; after that, no service starts on the file.
 */
import { createHash } from 'node:crypto'
import { MoveRefused } from './refused.ts'
import type { Source } from './source.ts'
import { type Row, type Table, tables } from './tables.ts'
import type { Target } from './target.ts'

/** Called after each batch, and for each table once both sides are verified to be the same. */
export type Progress = {
  copied(table: string, rows: number, of: number): void
  verified(table: string, rows: number): void
}

/** Throws MoveRefused when the move is not possible, or the target differs from what was moved. */
export async function move(source: Source, target: Target, progress: Progress): Promise<void> {
  source.lock()
  await target.begin(source.file)
  for (const table of tables) await copy(table, source, target, progress)
  await target.continueIds(source.highestIds())
  for (const table of tables) await verify(table, source, target, progress)
  // In this order, so that no service can start on both at any moment.
  source.finish(target.name)
  await target.finish()
}

async function copy(table: Table, source: Source, target: Target, progress: Progress): Promise<void> {
  const all = source.count(table)
  let copied = await target.count(table)
  for (const batch of source.batches(table, await target.lastKey(table))) {
    await target.insert(table, batch)
    copied += batch.length
    progress.copied(table.name, copied, all)
  }
}

async function verify(table: Table, source: Source, target: Target, progress: Progress): Promise<void> {
  const columns = source.columns(table)
  const there = await digest(source.batches(table))
  const here = await digest(target.batches(table, columns))
  if (there.rows !== here.rows || there.sum !== here.sum) {
    throw new MoveRefused(
      `The table ${table.name} is not the same on both sides (${there.rows} rows in the file, ` +
        `${here.rows} in the database): one of them was changed while the move was unfinished. ` +
        `The file is intact. Move it into a new database.`,
    )
  }
  progress.verified(table.name, there.rows)
}

/** The number of rows and a checksum over all of their columns, in their order. */
async function digest(batches: Iterable<Row[]> | AsyncIterable<Row[]>) {
  const hash = createHash('sha256')
  let rows = 0
  for await (const batch of batches) {
    rows += batch.length
    for (const row of batch) hash.update(JSON.stringify(Object.values(row)))
  }
  return { rows, sum: hash.digest('hex') }
}
