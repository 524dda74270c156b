/** Keeping the index of words in few parts, where many leads are about to be deleted. */
import type { DatabaseSync } from 'node:sqlite'

/** How many pages are written at once: a few milliseconds. */
const PAGES = 16

/**
 * Merges parts of the index a little further, if there are many. Each transaction that adds leads adds a part, and to
 * take a word of a lead out, SQLite looks it up in every part: with 15 of them, that takes six times as long.
 */
export const mergeWords = (db: DatabaseSync): void =>
  db.exec(`insert into lead_search (lead_search, rank) values ('merge', ${PAGES})`)
