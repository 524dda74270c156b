/** The person that someone means with what they type into the search, if they know the person already. */
import { readReach } from '../body/person-key.ts'
import { parseWords, type WordSearch } from './search-words.ts'

/** The person, by the key of an address or a number, or by whole words of a name. */
export type NamedPerson = { reach: string } | { names: WordSearch }

/** The fewest characters that the words must have together: a shorter text fits too many people to identify one. */
const SHORTEST_NAME = 3

/** Reads a whole address, a whole number or a name; undefined for anything less. */
export function namedPerson(text: string, country: string): NamedPerson | undefined {
  const reach = readReach(text, country)
  if (reach !== undefined) return { reach }
  const names = parseWords(text)
  if (names === undefined) return undefined
  const letters = [...names.words, names.prefix].join('')
  return letters.length >= SHORTEST_NAME && /\p{L}/u.test(letters) ? { names } : undefined
}
