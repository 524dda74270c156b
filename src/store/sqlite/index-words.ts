/** The index of the words that searches find leads by, on SQLite: FTS5 (sqlite.org/fts5.html). */
import type { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'

/**
 * Indexes `lead_words`, and keeps the index up to date. The words are folded already, so they only need to be split at
 * spaces. The tokenizer `ascii` does that if the colon, which facts contain, counts as a part of a word.
 * `secure-delete` removes deleted words from the index instead of only marking them.
 */
export async function indexWords(db: Kysely<unknown>): Promise<void> {
  const block = (row: string) => `(${row}.lead_id / 32768) || ':'`
  const words = (row: string) => `${block(row)} || replace(${row}.words, ' ', ' ' || ${block(row)})`
  const add = `insert into lead_search (rowid, words) values (new.lead_id, ${words('new')});`
  const remove = `insert into lead_search (lead_search, rowid, words)
    values ('delete', old.lead_id, ${words('old')});`
  for (const statement of [
    `create virtual table lead_search using fts5 (words, content = 'lead_words',
      content_rowid = 'lead_id', detail = none, columnsize = 0, prefix = '2 3',
      tokenize = "ascii tokenchars ':'")`,
    `insert into lead_search (lead_search, rank) values ('secure-delete', 1)`,
    `create trigger lead_words_added after insert on lead_words begin ${add} end`,
    `create trigger lead_words_removed after delete on lead_words begin ${remove} end`,
    `create trigger lead_words_changed after update on lead_words begin ${remove} ${add} end`,
  ])
    await sql.raw(statement).execute(db)
}

/** How many pages `mergeWords` writes at once: a few milliseconds. */
const PAGES = 16

/**
 * Merges parts of the index a little further, if there are many. Each transaction that adds leads adds a part. To
 * remove a lead's word, SQLite looks it up in every part: with 15 of them, that takes six times as long.
 */
export const mergeWords = (db: DatabaseSync): void =>
  db.exec(`insert into lead_search (lead_search, rank) values ('merge', ${PAGES})`)
