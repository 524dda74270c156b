/**
 * Finding leads by their words, in the order of their ids, which is that of their first inquiries. The index
 * has each word once for every block of leads, so that a search looks through one block after the other and
 * stops once it has enough: what it costs does not grow with the leads that have a common word.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { WordSearch } from '../../leads/words/search-words.ts'
import type { Schema } from '../tables/schema.ts'

/** The ids that are a block: as the index has it (`Ddl.indexWords`). */
const BLOCK = 32_768

/** How many blocks are looked through in one statement: first one, then more. */
const MOST_BLOCKS = 16

/** Words, and facts such as a state (`leads/words/search-words.ts`). A lead must have all of them. */
export type Wanted = {
  words?: WordSearch | undefined
  facts?: readonly string[] | undefined
  /** At least one word of each of these groups. */
  groups?: readonly (readonly string[])[] | undefined
  /** No lead that has all of these. */
  except?: WordSearch | undefined
  /** The only blocks that have such leads, if that is known (`blocksOf`). Default: all are looked through. */
  blocks?: readonly number[] | undefined
}

/** `after` is the id behind which to begin. */
export type Part = { after?: number | undefined; oldestFirst?: boolean; limit: number }

/** The ids of the first leads that have all of these words. */
export async function findByWords(
  db: Kysely<Schema>,
  wanted: Wanted,
  { after, oldestFirst = false, limit }: Part,
): Promise<number[]> {
  if (wanted.blocks !== undefined) {
    if (wanted.blocks.length === 0) return []
    const from = oldestFirst ? (after ?? -1) + 1 : (after ?? Number.MAX_SAFE_INTEGER) - 1
    return findInBlocks(db, wanted, { blocks: these(wanted.blocks), from, oldestFirst, limit })
  }
  const { least, most } = await range(db)
  if (least === null || most === null) return []
  const from = oldestFirst ? Math.max(least, (after ?? least - 1) + 1) : Math.min(most, (after ?? most + 1) - 1)
  const last = blockOf(oldestFirst ? most : least)
  const onward = oldestFirst ? 1 : -1
  const found: number[] = []
  let [first, blocks] = [blockOf(from), 1]
  while (found.length < limit && (last - first) * onward >= 0) {
    const end = first + onward * Math.min(blocks - 1, (last - first) * onward)
    const place = { blocks: between(Math.min(first, end), Math.max(first, end)), from }
    found.push(...(await findInBlocks(db, wanted, { ...place, oldestFirst, limit: limit - found.length })))
    first = end + onward
    blocks = Math.min(MOST_BLOCKS, 4 * blocks)
  }
  return found
}

const blockOf = (id: number): number => Math.floor(id / BLOCK)

/** The blocks that these leads are in. */
export const blocksOf = (ids: readonly number[]): number[] => [...new Set(ids.map(blockOf))]

const these = (blocks: readonly number[]) =>
  sql`values ${sql.join(blocks.map(block => sql`(cast(${block} as bigint))`))}`

const between = (low: number, high: number) =>
  sql`select cast(${low} as bigint) union all select block + 1 from blocks where block < ${high}`

async function range(db: Kysely<Schema>) {
  const { rows } = await sql<{ least: number | null; most: number | null }>`
    select (select min(lead_id) from lead_words) as least,
      (select max(lead_id) from lead_words) as most`.execute(db)
  return rows[0] ?? { least: null, most: null }
}

async function findInBlocks(
  db: Kysely<Schema>,
  wanted: Wanted,
  {
    blocks,
    from,
    oldestFirst,
    limit,
  }: { blocks: RawBuilder<unknown>; from: number; oldestFirst: boolean; limit: number },
): Promise<number[]> {
  const [beyond, order] = oldestFirst ? [sql.raw('>='), sql.raw('asc')] : [sql.raw('<='), sql.raw('desc')]
  const { rows } = await sql<{ rowid: number }>`with recursive blocks (block) as (${blocks})
    select found.rowid from blocks
    cross join lead_search(replace(${queryText(wanted)}, '@', blocks.block || ':')) as found
    where found.rowid ${beyond} ${from}
    order by rowid ${order} limit ${limit}`.execute(db)
  return rows.map(({ rowid }) => Number(rowid))
}

/** A query in the language of FTS5, with `@` for the block before each word. */
function queryText({ words, facts = [], groups = [], except }: Wanted): string {
  const all = [
    ...facts.map(quoted),
    ...(words === undefined ? [] : quotedWords(words)),
    ...groups.map(group => `(${group.map(quoted).join(' OR ')})`),
  ].join(' AND ')
  return except === undefined ? all : `(${all}) NOT (${quotedWords(except).join(' AND ')})`
}

const quoted = (word: string): string => `"@${word}"`

const quotedWords = ({ words, prefix }: WordSearch): string[] => [
  ...words.map(quoted),
  ...(prefix === undefined ? [] : [`${quoted(prefix)}*`]),
]
