/** What the inbox shows besides its filters, read in one snapshot, so that its list and its counts agree. */
import type { Kysely } from 'kysely'
import { type Draft, readOwnNotes } from '../leads/drafts.ts'
import type { InboxFilter, Page } from '../lists/filter.ts'
import { countInbox, type InboxPage, listInbox } from '../lists/inbox.ts'
import { listViews, type SavedView } from '../lists/saved-views.ts'
import { type ColleaguesLeads, type ColleaguesQuery, findColleaguesLeads } from '../lookup/colleagues-leads.ts'
import type { Schema } from '../tables/schema.ts'
import { inSnapshot } from '../tables/snapshot.ts'
import { type Absence, listAbsences } from '../team/absences.ts'

export const readInboxPage = (
  db: Kysely<Schema>,
  {
    operatorId,
    filter,
    page,
    counted,
    most,
    today,
    colleagues,
  }: {
    operatorId: number
    filter: InboxFilter
    page: Page
    /** The filters to count leads for, each up to `most`. */
    counted: readonly InboxFilter[]
    most: number
    /** The day at the school, yyyy-mm-dd. */
    today: string
    /** Names to look for among the leads that the operator does not see. Default: none. */
    colleagues?: ColleaguesQuery | undefined
  },
): Promise<{
  list: InboxPage
  /** The counts, in the order of the filters. */
  counts: number[]
  views: SavedView[]
  /** The absences from today on. */
  absences: Absence[]
  colleagues: ColleaguesLeads
  /** Notes that the operator has typed about these leads and not saved yet, by the id of the lead. */
  notes: Map<number, Draft>
}> =>
  inSnapshot(db, async tx => {
    const found = colleagues ? await findColleaguesLeads(tx, colleagues) : { leads: [], tooMany: false }
    return {
      list: await listInbox(tx, filter, page),
      counts: await countInbox(tx, counted, most),
      views: await listViews(tx, operatorId),
      absences: await listAbsences(tx, today),
      colleagues: found,
      notes: await readOwnNotes(tx, { operatorId, leads: found.leads.map(({ id }) => id) }),
    }
  })
