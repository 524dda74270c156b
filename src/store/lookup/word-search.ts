/**
 * Finding leads by their words, in the order of their ids, which is the order of their first inquiries. The index has
 * each word once for every block of leads. A search looks through one block after another and stops when it has enough,
 * so its cost does not grow with the number of leads that have a common word.
 */
import { type Kysely, sql } from 'kysely'
import { hasWords, type WordSearch } from '../../leads/words/search-words.ts'
import type { Schema } from '../tables/schema.ts'

/** How many ids make a block, as in the index (`Ddl.indexWords`). */
const BLOCK = 32_768

/** How many words one statement looks for: in one block first, then in more. */
const MOST_WORDS = 256

/** If fewer leads of a block than this have all of the complete words, these words are rare. */
const RARE = 10

/** How many leads with rare words are read. */
const MOST_READ = 1_000

/** Words, and facts such as a state (`leads/words/search-words.ts`). A lead must have all of them. */
export type Wanted = {
  words?: WordSearch | undefined
  facts?: readonly string[] | undefined
  /** At least one word of each of these groups. */
  groups?: readonly (readonly string[])[] | undefined
  /** Leads that have all of these words are left out. */
  except?: WordSearch | undefined
}

/** With `after`, the search begins after that id. */
export type Part = { after?: number | undefined; oldestFirst?: boolean; limit: number }

/** Ids from the first to the last: upward if `onward` is 1. */
type Range = { first: number; last: number; onward: 1 | -1 }

/** The ids of the first leads that have all of these words. */
export async function findByWords(
  db: Kysely<Schema>,
  wanted: Wanted,
  { after, oldestFirst = false, limit }: Part,
): Promise<number[]> {
  const range = await rangeFrom(db, after, oldestFirst ? 1 : -1)
  const { words, except: _, ...others } = wanted
  const whole = { ...others, words: words && { ...words, prefix: undefined } }
  if (range === undefined || words?.prefix === undefined || termsOf(whole) === 0)
    return findInRange(db, wanted, range, limit)
  const [block, further] = afterBlock(range)
  const found = await findInRange(db, wanted, block, limit)
  if (found.length === limit || further === undefined) return found
  // Many words in each block may begin like this. If the complete words are rare, it is quicker to read the leads that
  // have them.
  const isRare = (await findInRange(db, whole, block, RARE)).length < RARE
  const few = isRare ? await findInRange(db, whole, further, MOST_READ) : []
  found.push(...(await having(db, wanted, few)))
  if (found.length >= limit || (isRare && few.length < MOST_READ)) return found.slice(0, limit)
  const rest = few.length === 0 ? further : from(further, (few.at(-1) ?? 0) + further.onward)
  return [...found, ...(await findInRange(db, wanted, rest, limit - found.length))]
}

/** The range that a search looks through; undefined if there is none. */
async function rangeFrom(db: Kysely<Schema>, after: number | undefined, onward: 1 | -1): Promise<Range | undefined> {
  const { rows } = await sql<{ least: number | null; most: number | null }>`
    select (select min(lead_id) from lead_words) as least,
      (select max(lead_id) from lead_words) as most`.execute(db)
  const { least = null, most = null } = rows[0] ?? {}
  if (least === null || most === null) return undefined
  const all: Range = onward === 1 ? { first: least, last: most, onward } : { first: most, last: least, onward }
  return after === undefined ? all : from(all, after + onward)
}

/** The part of a range after an id. */
function from({ first, last, onward }: Range, id: number): Range | undefined {
  const begin = (id - first) * onward > 0 ? id : first
  return (last - begin) * onward < 0 ? undefined : { first: begin, last, onward }
}

const blockOf = (id: number): number => Math.floor(id / BLOCK)

/** The first block of a range, and the others. */
function afterBlock(range: Range): [Range, Range | undefined] {
  const { first, onward } = range
  const end = blockOf(first) * BLOCK + (onward === 1 ? BLOCK - 1 : 0)
  return [{ first, last: end, onward }, from(range, end + onward)]
}

async function findInRange(
  db: Kysely<Schema>,
  wanted: Wanted,
  range: Range | undefined,
  limit: number,
): Promise<number[]> {
  if (range === undefined) return []
  const { first, last, onward } = range
  const found: number[] = []
  const most = Math.max(1, Math.floor(MOST_WORDS / termsOf(wanted)))
  const end = blockOf(last)
  const [beyond, order] = onward === 1 ? [sql`>=`, sql`asc`] : [sql`<=`, sql`desc`]
  for (let [block, blocks, looked] = [blockOf(first), 1, 0]; found.length < limit && (end - block) * onward >= 0; ) {
    const these = Array.from({ length: Math.min(blocks, Math.abs(end - block) + 1) }, (_, n) => block + n * onward)
    const { rows } = await sql<{ rowid: number }>`select rowid from lead_search(${queryText(wanted, these)})
      where rowid ${beyond} ${first} order by rowid ${order} limit ${limit - found.length}`.execute(db)
    found.push(...rows.map(({ rowid }) => rowid))
    block += these.length * onward
    looked += these.length
    // If the next blocks have as many matches, this many blocks are enough.
    const enough = Math.ceil(((limit - found.length) * looked) / found.length)
    blocks = Math.max(1, Math.min(most, 4 * blocks, enough))
  }
  return found
}

/** Which of these leads have the words. */
async function having(db: Kysely<Schema>, { words, except }: Wanted, ids: readonly number[]): Promise<number[]> {
  const stored = await readWords(db, ids)
  return ids.filter(id => {
    const all = stored.get(id) ?? ''
    return (words === undefined || hasWords(all, words)) && (except === undefined || !hasWords(all, except))
  })
}

/** The words of leads, as they are stored, by their ids. */
export async function readWords(db: Kysely<Schema>, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('lead_words').selectAll().where('lead_id', 'in', ids).execute()
  return new Map(rows.map(row => [row.lead_id, row.words]))
}

/** A query in the language of FTS5: each word with its block before it. */
function queryText({ words, facts = [], groups = [], except }: Wanted, blocks: readonly number[]): string {
  const inBlock = (block: number) => {
    const quoted = (word: string): string => `"${block}:${word}"`
    const quotedWords = ({ words, prefix }: WordSearch): string[] => [
      ...words.map(quoted),
      ...(prefix === undefined ? [] : [`${quoted(prefix)}*`]),
    ]
    const all = [
      ...facts.map(quoted),
      ...(words === undefined ? [] : quotedWords(words)),
      ...groups.map(group => `(${group.map(quoted).join(' OR ')})`),
    ].join(' AND ')
    return except === undefined ? `(${all})` : `((${all}) NOT (${quotedWords(except).join(' AND ')}))`
  }
  return blocks.map(inBlock).join(' OR ')
}

/** How many words a query has for one block. */
const termsOf = ({ words, facts = [], groups = [], except }: Wanted): number =>
  countWords(words) + countWords(except) + facts.length + groups.flat().length

const countWords = (search: WordSearch | undefined): number =>
  search === undefined ? 0 : search.words.length + (search.prefix === undefined ? 0 : 1)
