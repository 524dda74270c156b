/**
 * The last activity of a lead: what happened last with its person. It is saved with the lead, so that lists can be
 * sorted by it. Everything that inserts or undoes a timeline entry updates it in the same transaction.
 */
import { type Kysely, sql } from 'kysely'
import { IMPORTED } from '../../leads/lead/timeline-details.ts'
import type { TimelineEntry, TimelineKind } from '../../leads/lead/timeline-entries.ts'
import type { Schema } from '../tables/schema.ts'
import { asEntry } from './entry-row.ts'

/** Kinds that are news to someone who saw the lead some days ago. A new owner or an email to the staff is not news. */
const NEWS: readonly TimelineKind[] = [
  ...(['submission', 'reply', 'message', 'copy', 'staff-mail', 'email', 'attempt', 'stage', 'note'] as const),
  ...(['callback', 'callback-ended', 'paused', 'resumed', 'bounce', 'complaint', 'unsubscribed', 'not-me'] as const),
  'withdrawn',
]

type Happened = Pick<TimelineEntry, 'kind' | 'detail' | 'mail'>

const isImport = ({ kind, detail }: Happened): boolean => kind === 'submission' && detail === IMPORTED

/** An email counts only if we know who sent it: anyone can forge a sender. */
const isNews = ({ kind, mail }: Happened): boolean =>
  NEWS.includes(kind) && (kind !== 'email' || mail?.toPerson === true) && !mail?.unproven

/** Whether an entry of this kind means that someone has started to work with an imported person; our emails do not. */
const isMore = (entry: Happened): boolean => isNews(entry) && !isImport(entry) && entry.kind !== 'email'

type Entry = Happened & { id: number; leadId: number; at: number }

/** Updates the last activity from new entries. The row of an imported list counts only for the lead that it opened. */
export async function saveLastActivity(db: Kysely<Schema>, entries: readonly Entry[]): Promise<void> {
  const last = new Map(entries.filter(isNews).map(entry => [entry.leadId, entry]))
  if (last.size === 0) return
  const rows = [...last.values()].map(entry => {
    const imported = isImport(entry) ? 1 : isMore(entry) ? 0 : null
    const { leadId, at, id } = entry
    return sql`(cast(${leadId} as bigint), cast(${at} as bigint), cast(${id} as bigint), cast(${imported} as integer))`
  })
  await sql`with news (lead_id, at, entry, imported) as (values ${sql.join(rows)})
    update leads set last_at = news.at, last_entry = news.entry,
      imported = coalesce(news.imported, leads.imported)
    from news where leads.id = news.lead_id
      and (coalesce(news.imported, 0) = 0 or leads.last_entry is null)`.execute(db)
}

/** Does the same after an entry was undone, or after entries moved from one lead to another. */
export async function renewLastActivity(db: Kysely<Schema>, leadId: number): Promise<void> {
  const rows = await db
    .selectFrom('timeline')
    .selectAll()
    .where('lead_id', '=', leadId)
    .where('kind', 'in', NEWS)
    .where('undone_at', 'is', null)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const news = rows.map(asEntry).filter(isNews)
  const last = news.find(entry => !isImport(entry)) ?? news.at(-1)
  if (last === undefined) return
  await db
    .updateTable('leads')
    .set({ last_at: last.at, last_entry: last.id, imported: news.some(isMore) ? 0 : Number(news.some(isImport)) })
    .where('id', '=', leadId)
    .execute()
}

/** The entry of the last activity of each of these leads, by the id of the lead. */
export async function readLastActivity(
  db: Kysely<Schema>,
  ids: readonly number[],
): Promise<Map<number, TimelineEntry>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('leads')
    .innerJoin('timeline as e', 'e.id', 'leads.last_entry')
    .selectAll('e')
    .where('leads.id', 'in', ids)
    .execute()
  return new Map(rows.map(row => [row.lead_id, asEntry(row)]))
}
