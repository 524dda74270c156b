/** Queries on the timeline: what happened to a lead, one entry after the other. */
import { type Kysely, sql } from 'kysely'
import { type Origin, originOf, textIn } from '../../leads/lead/timeline-details.ts'
import type { MailFacts, TimelineEntry, TimelineKind, Was } from '../../leads/lead/timeline-entries.ts'
import { wordsOfText } from '../../leads/words/search-words.ts'
import { readAttachments } from '../attachments/attachments.ts'
import { recordEventsOf } from '../events/record-events.ts'
import type { Schema } from '../tables/schema.ts'
import { asEntry, readMailFacts } from './entry-row.ts'
import { saveLastActivity } from './last-activity.ts'
import { addWords } from './lead-words.ts'

export type Entry = {
  at: number
  kind: TimelineKind
  detail?: string
  actor?: string | null
  submissionId?: number | null
  /** The values from before the action, if it can be undone. */
  was?: Was
  /** For an email that someone sent. */
  mail?: MailFacts | undefined
  /** The lead that it is about, if that lead is merged into this one. */
  mergedFrom?: number | undefined
}

export async function addEntry(db: Kysely<Schema>, leadId: number, entry: Entry): Promise<number> {
  const [id] = await insert(db, [{ ...entry, leadId }])
  if (id === undefined) throw new Error('An entry was not inserted')
  return id
}

type EntryOfLead = Entry & { leadId: number }

export async function addEntries(db: Kysely<Schema>, entries: readonly EntryOfLead[]): Promise<void> {
  await insert(db, entries)
}

/** Adds an entry to each of several leads; returns its id by the id of the lead. */
export async function addEntryToEach(
  db: Kysely<Schema>,
  entries: readonly EntryOfLead[],
): Promise<Map<number, number>> {
  const ids = await insert(db, entries)
  return new Map(entries.map(({ leadId }, index) => [leadId, ids[index] ?? 0]))
}

/** Inserts entries, records their events for destinations, and updates what lists show. Returns the ids, in order. */
async function insert(db: Kysely<Schema>, entries: readonly EntryOfLead[]): Promise<number[]> {
  if (entries.length === 0) return []
  const rows = await db.insertInto('timeline').values(entries.map(asRow)).returning('id').execute()
  const inserted = entries.map((entry, index) => ({
    detail: '',
    ...entry,
    mail: entry.mail ?? null,
    id: rows[index]?.id ?? 0,
  }))
  await recordEventsOf(db, inserted)
  await saveLastActivity(db, inserted)
  for (const { leadId, ...entry } of inserted) {
    const text = textIn(entry)
    if (text.trim() !== '') await addWords(db, { leadId, words: wordsOfText(text) })
  }
  return inserted.map(({ id }) => id)
}

const asRow = ({
  leadId,
  at,
  kind,
  detail = '',
  actor = null,
  submissionId = null,
  was,
  mail,
  mergedFrom,
}: EntryOfLead) => ({
  lead_id: leadId,
  at,
  kind,
  submission_id: submissionId,
  detail,
  actor,
  was: was === undefined ? null : JSON.stringify(was),
  mail: mail === undefined || Object.keys(mail).length === 0 ? null : JSON.stringify(mail),
  merged_from: mergedFrom ?? null,
})

export async function latestSubmission(db: Kysely<Schema>, leadId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('timeline')
    .select('submission_id')
    .where('lead_id', '=', leadId)
    .where('kind', '=', sql.lit('submission'))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.submission_id ?? undefined
}

/** The text of the lead's latest reply, if no submission came after it. */
export async function latestReply(db: Kysely<Schema>, leadId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('timeline')
    .select(['kind', 'detail'])
    .where('lead_id', '=', leadId)
    .where('kind', 'in', ['reply', 'submission'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.kind === 'reply' ? row.detail : undefined
}

/** The time range in which an entry may come from the same button pressed twice. Later: the clock was ahead. */
export const pressedTwice = (now: number, within: number) => ({ since: now - within, until: now + within })

/**
 * How many entries of a kind a lead has had since a moment and, with `until`, before another. With `detail`, `actor`,
 * `origin` or `address` (undefined: the lead's), only entries that have them count. Entries that were undone do not count.
 */
export async function countEntries(
  db: Kysely<Schema>,
  leadId: number,
  {
    kind,
    since,
    until = Number.MAX_SAFE_INTEGER,
    ...only
  }: {
    kind: TimelineKind
    since: number
    until?: number
    actor?: string | null
    detail?: string
    origin?: Origin
    address?: string | undefined
  },
): Promise<number> {
  const entries = await db
    .selectFrom('timeline')
    .select(['actor', 'detail', 'mail'])
    .where('lead_id', '=', leadId)
    .where('kind', '=', kind)
    .where('at', '>', since)
    .where('at', '<', until)
    .where('undone_at', 'is', null)
    .execute()
  return entries.filter(
    ({ actor, detail, mail }) =>
      (only.actor === undefined || only.actor === actor) &&
      (only.detail === undefined || only.detail === detail) &&
      (only.origin === undefined || only.origin === originOf(readMailFacts(mail))) &&
      (!('address' in only) || only.address === readMailFacts(mail)?.address),
  ).length
}

/** An entry of a timeline by its id, with the lead it is about; undefined if it is gone. */
export async function readEntry(
  db: Kysely<Schema>,
  id: number,
): Promise<(TimelineEntry & { leadId: number }) | undefined> {
  const row = await db.selectFrom('timeline').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return undefined
  const [entry = asEntry(row)] = await withAttachments(db, [asEntry(row)])
  return { ...entry, leadId: row.lead_id }
}

/**
 * Up to `limit` entries of a lead, newest first; with `before`, only entries before that one. Unmerging is recorded
 * with both leads; if they are merged again, this lists only one of the two entries.
 */
export async function readTimeline(
  db: Kysely<Schema>,
  leadId: number,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('timeline')
    .selectAll()
    .where('lead_id', '=', leadId)
    .$if(before !== undefined, query => query.where('id', '<', before as number))
    .where(eb =>
      eb.or([
        eb('kind', '<>', sql.lit('unmerged')),
        eb.not(
          eb.exists(
            eb
              .selectFrom('timeline as other')
              .select('other.id')
              .where('other.lead_id', '=', leadId)
              .where('other.kind', '=', sql.lit('unmerged'))
              .whereRef('other.at', '=', 'timeline.at')
              .whereRef('other.id', '<', 'timeline.id'),
          ),
        ),
      ]),
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return withAttachments(db, rows.map(asEntry))
}

/** Adds its attachments to each email's entry. */
export async function withAttachments<E extends TimelineEntry>(
  db: Kysely<Schema>,
  entries: readonly E[],
): Promise<E[]> {
  const emails = entries.filter(({ kind }) => WITH_ATTACHMENTS.includes(kind))
  const found = await readAttachments(
    db,
    emails.map(({ id }) => id),
  )
  return entries.map(entry => {
    const attachments = found.get(entry.id)
    return attachments === undefined ? entry : { ...entry, attachments }
  })
}

const WITH_ATTACHMENTS: readonly TimelineKind[] = ['reply', 'claim', 'copy', 'staff-mail', 'message']

/** The lead's latest entry of these kinds; with `before`, before that one; with `standing`, without undone ones. */
export async function readLatestEntry(
  db: Kysely<Schema>,
  leadId: number,
  kinds: readonly TimelineKind[],
  { before, standing = false }: { before?: number; standing?: boolean } = {},
): Promise<TimelineEntry | undefined> {
  const row = await db
    .selectFrom('timeline')
    .selectAll()
    .where('lead_id', '=', leadId)
    .where('kind', 'in', kinds)
    .$if(before !== undefined, query => query.where('id', '<', before as number))
    .$if(standing, query => query.where('undone_at', 'is', null))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && asEntry(row)
}

/** How many emails with one of these details a lead's timeline records. */
export async function countEmails(db: Kysely<Schema>, leadId: number, details: readonly string[]): Promise<number> {
  if (details.length === 0) return 0
  const { emails } = await db
    .selectFrom('timeline')
    .select(eb => eb.fn.countAll<number>().as('emails'))
    .where('lead_id', '=', leadId)
    .where('kind', '=', sql.lit('email'))
    .where('detail', 'in', details)
    .executeTakeFirstOrThrow()
  return Number(emails)
}
