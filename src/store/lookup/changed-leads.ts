/**
 * Which leads have changed since someone last asked. Every change leaves an entry in a timeline, so a cursor is the id
 * of an entry. PostgreSQL gives out an id before its transaction ends, so an entry may appear after one with a higher
 * id. So the cursor also keeps the ids that were missing, and later calls look for them again.
 */
import { type Kysely, sql } from 'kysely'
import { MINUTE } from '../../platform/time.ts'
import type { Schema } from '../tables/schema.ts'

/** Ids that were missing: the first and the last of them, and when we first noticed. */
export type Gap = readonly [from: number, to: number, seenAt: number]

/** The newest entry that the reader knows of, and its time. It knows all entries before it, except those in `gaps`. */
export type ChangesCursor = { after: number; at: number; gaps: readonly Gap[] }

export type ChangedLeads = {
  /** Includes leads that were merged into others. Some of these leads may be gone by now. */
  ids: number[]
  cursor: ChangesCursor
  more: boolean
}

/** How many entries are read at once. */
const ENTRIES = 200

/** An id that is missing for longer than this, in milliseconds, was never used: no transaction is open for so long. */
const GIVEN_UP_AFTER = 1 * MINUTE

/** How far behind the newest entry a missing entry can still appear, in ids, and how many gaps a cursor keeps. */
const LATEST = 5_000
const MOST_GAPS = 30

/**
 * The leads with entries after the cursor; without a cursor, only a cursor to begin with. Undefined if the cursor does
 * not belong to these data, because a backup was restored. It looks the same if the newest entry was erased.
 */
export async function listChangedLeads(
  db: Kysely<Schema>,
  { cursor, now, limit = ENTRIES }: { cursor: ChangesCursor | undefined; now: number; limit?: number },
): Promise<ChangedLeads | undefined> {
  const newest = await newestEntry(db)
  if (cursor === undefined) {
    const from = Math.max(0, newest - LATEST)
    const rows = await db.selectFrom('timeline').select(['id', 'at']).where('id', '>', from).orderBy('id').execute()
    const { id: after, at } = rows.at(-1) ?? BEGINNING
    return { ids: [], cursor: { after, at, gaps: latest(gapsBetween(from, rows, now)) }, more: false }
  }
  const { after } = cursor
  const known = after === 0 ? BEGINNING : await entryWith(db, after)
  if (known === undefined ? newest < after : known.at !== cursor.at) return undefined
  const late = await entriesIn(db, cursor.gaps)
  const rows = await entriesAfter(db, after, limit)
  const { id: through, at } = rows.at(-1) ?? { id: after, at: cursor.at }
  const gaps = [
    ...cursor.gaps.filter(([, , seenAt]) => seenAt > now - GIVEN_UP_AFTER).flatMap(gap => without(gap, late)),
    ...gapsBetween(after, rows, now).filter(([, to]) => to > newest - LATEST),
  ]
  return {
    ids: [...new Set([...late, ...rows].flatMap(leadsOf))],
    cursor: { after: through, at, gaps: latest(gaps) },
    more: rows.length === limit,
  }
}

type Row = { id: number; at: number; lead_id: number; was: string | null }

/** Stands for an entry before the first one. */
const BEGINNING = { id: 0, at: 0 }

const columns = ['id', 'at', 'lead_id', sql<string | null>`case when kind = 'merged' then was end`.as('was')] as const

async function newestEntry(db: Kysely<Schema>): Promise<number> {
  const row = await db.selectFrom('timeline').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id ?? 0
}

const entryWith = (db: Kysely<Schema>, id: number) =>
  db.selectFrom('timeline').select('at').where('id', '=', id).executeTakeFirst()

const entriesAfter = (db: Kysely<Schema>, after: number, limit: number): Promise<Row[]> =>
  db.selectFrom('timeline').select(columns).where('id', '>', after).orderBy('id').limit(limit).execute()

async function entriesIn(db: Kysely<Schema>, gaps: readonly Gap[]): Promise<Row[]> {
  if (gaps.length === 0) return []
  return db
    .selectFrom('timeline')
    .select(columns)
    .where(eb => eb.or(gaps.map(([from, to]) => eb.and([eb('id', '>=', from), eb('id', '<=', to)]))))
    .orderBy('id')
    .execute()
}

/** The lead of an entry, and the lead that the entry says was merged into it. */
function leadsOf({ lead_id, was }: Row): number[] {
  const { merge } = (was === null ? {} : JSON.parse(was)) as { merge?: { lead: number } }
  return merge === undefined ? [lead_id] : [lead_id, merge.lead]
}

/** The ids that are missing between entries, which are in order, after `from`. */
function gapsBetween(from: number, rows: readonly { id: number }[], now: number): Gap[] {
  return rows.flatMap(({ id }, index) => {
    const before = rows[index - 1]?.id ?? from
    return id > before + 1 ? [[before + 1, id - 1, now] as const] : []
  })
}

/** The rest of a gap, without the ids that were found. */
function without(gap: Gap, found: readonly { id: number }[]): Gap[] {
  const [from, to, seenAt] = gap
  const inside = found.filter(({ id }) => id >= from && id <= to)
  return [...gapsBetween(from - 1, [...inside, { id: to + 1 }], seenAt)]
}

const latest = (gaps: readonly Gap[]): Gap[] => gaps.toSorted(([one], [other]) => one - other).slice(-MOST_GAPS)
