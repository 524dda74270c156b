/** A row of the timeline as an entry. */
import type { Selectable } from 'kysely'
import type { MailFacts, TimelineEntry, Was } from '../../leads/lead/timeline-entries.ts'
import type { Schema } from '../tables/schema.ts'

export const asEntry = (row: Selectable<Schema['timeline']>): TimelineEntry => ({
  id: row.id,
  at: row.at,
  kind: row.kind,
  submissionId: row.submission_id,
  detail: row.detail,
  actor: row.actor,
  was: row.was === null ? null : (JSON.parse(row.was) as Was),
  mail: readMailFacts(row.mail),
  undoneAt: row.undone_at,
  ...(row.merged_from !== null && { mergedFrom: row.merged_from }),
})

export const readMailFacts = (json: string | null): MailFacts | null =>
  json === null ? null : (JSON.parse(json) as MailFacts)
