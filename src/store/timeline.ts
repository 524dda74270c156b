/** Queries on the timeline: what happened to a lead, one entry after the other. */
import { type Kysely, sql } from 'kysely'
import type { TimelineEntry, TimelineKind } from '../leads/timeline.ts'
import type { Schema } from './schema.ts'

export type Entry = {
  at: number
  kind: TimelineKind
  detail?: string
  actor?: string | null
  submissionId?: number | null
}

/** Adds an entry; returns its id. */
export async function addEntry(
  db: Kysely<Schema>,
  leadId: number,
  { at, kind, detail = '', actor = null, submissionId = null }: Entry,
): Promise<number> {
  const { id } = await db
    .insertInto('timeline')
    .values({ lead_id: leadId, at, kind, submission_id: submissionId, detail, actor })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The lead's latest submission. */
export async function latestSubmission(
  db: Kysely<Schema>,
  leadId: number,
): Promise<number | undefined> {
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

/** How many entries of a kind a lead has since a moment, if given with this detail and by this actor. */
export async function countEntries(
  db: Kysely<Schema>,
  leadId: number,
  {
    kind,
    since,
    ...only
  }: { kind: TimelineKind; since: number; actor?: string | null; detail?: string },
): Promise<number> {
  const entries = await db
    .selectFrom('timeline')
    .select(['actor', 'detail'])
    .where('lead_id', '=', leadId)
    .where('kind', '=', kind)
    .where('at', '>', since)
    .execute()
  return entries.filter(
    ({ actor, detail }) =>
      (only.actor === undefined || only.actor === actor) &&
      (only.detail === undefined || only.detail === detail),
  ).length
}

/** An entry of a timeline by its id, with the lead it is about; undefined if it is gone. */
export async function readEntry(
  db: Kysely<Schema>,
  id: number,
): Promise<(TimelineEntry & { leadId: number }) | undefined> {
  const row = await db
    .selectFrom('timeline')
    .select(['lead_id', 'at', 'kind', 'submission_id', 'detail', 'actor'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { lead_id, submission_id, ...entry } = row
  return { ...entry, leadId: lead_id, submissionId: submission_id }
}
