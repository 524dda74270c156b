/** What the page for writing to a person shows beside the form: what they and we have written before. */
import type { Kysely } from 'kysely'
import type { Lead } from '../../leads/lead/lead.ts'
import type { TimelineEntry, TimelineKind } from '../../leads/lead/timeline-entries.ts'
import { readUploads, type Upload } from '../attachments/attachments.ts'
import { type Draft, readDrafts } from '../leads/drafts.ts'
import { asEntry } from '../leads/entry-row.ts'
import { findLead } from '../leads/leads.ts'
import { withAttachments } from '../leads/timeline.ts'
import { countHistory } from '../lookup/history-counts.ts'
import { type HistoryPart, readSubmissions } from '../lookup/lead-history.ts'
import type { Schema } from '../tables/schema.ts'
import { inSnapshot } from '../tables/snapshot.ts'

export type WritePage = {
  lead: Lead
  /** The latest inquiries, newest first, each with the id of its entry. */
  submissions: HistoryPart['submissions']
  /** The latest emails between us and the person, newest first. */
  emails: TimelineEntry[]
  drafts: Draft[]
  /** The files that operators have attached to emails that they have not sent. */
  uploads: Upload[]
  /** The id of the timeline's newest entry. */
  version: number
}

const INQUIRIES = 3
const EMAILS = 20
const KINDS: readonly TimelineKind[] = ['reply', 'message', 'copy']

/** Reads what that page shows, of the kept lead if the lead was merged. Undefined if the lead does not exist. */
export const readWritePage = (db: Kysely<Schema>, leadId: number): Promise<WritePage | undefined> =>
  inSnapshot(db, async tx => {
    const lead = await findLead(tx, leadId)
    if (lead === undefined) return undefined
    const { id } = lead
    const { version } = await countHistory(tx, id)
    return {
      lead,
      submissions: await readSubmissions(tx, id, { limit: INQUIRIES }),
      emails: await readEmails(tx, id),
      drafts: await readDrafts(tx, id),
      uploads: await readUploads(tx, id),
      version,
    }
  })

async function readEmails(db: Kysely<Schema>, leadId: number): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('timeline')
    .selectAll()
    .where('lead_id', '=', leadId)
    .where('kind', 'in', KINDS)
    .where('undone_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(EMAILS)
    .execute()
  return withAttachments(db, rows.map(asEntry))
}
