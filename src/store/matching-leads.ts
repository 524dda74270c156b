/** The index of the words that leads are found by, as a table. */
import { sql } from 'kysely'
import type { WordSearch } from '../leads/search-words.ts'

/** The ids of the leads that have all of these words, as `rowid`. The words are those of `leads/search-words.ts`. */
export function matchingLeads(words: WordSearch, facts: readonly string[]) {
  const terms = [
    ...facts.map(quoted),
    ...words.words.map(quoted),
    ...(words.prefix === undefined ? [] : [`${quoted(words.prefix)}*`]),
  ]
  return sql<{ rowid: number }>`lead_search(${terms.join(' AND ')})`
}

/** Neither letters nor digits nor the colon of a fact need to be escaped. */
const quoted = (word: string): string => `"${word}"`
