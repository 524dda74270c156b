/** Leads as rows of a file, for spreadsheets and for other programs. */

import { setTimeout as sleep } from 'node:timers/promises'
import { consentInShort } from '../../leads/body/consent.ts'
import { answersInWords } from '../../leads/body/ranked-answers.ts'
import { labelNames } from '../../leads/lead/labels.ts'
import { ownerName, type Roster } from '../../leads/lead/staff.ts'
import { reasonName, stageName } from '../../leads/lead/stages.ts'
import type { InboxFilter, Position } from '../../store/lists/filter.ts'
import type { InboxRow } from '../../store/lists/rows.ts'
import type { Store } from '../../store/store.ts'

const answer = ({ answers }: InboxRow, label: string): string =>
  answersInWords(answers).find(one => one.label === label)?.value ?? ''

/** A moment in ISO 8601, which every program reads the same. */
const moment = (at: number | null): string => (at === null ? '' : new Date(at).toISOString())

type Column = { name: string; value: (row: InboxRow, roster: Roster) => string | number }

const columns: Column[] = [
  { name: 'Lead', value: ({ lead }) => lead.id },
  { name: 'First wrote', value: ({ lead }) => moment(lead.createdAt) },
  { name: 'Kind', value: ({ lead }) => lead.kind },
  { name: 'Stage', value: ({ lead }) => stageName(lead.stage) },
  { name: 'Closed because', value: ({ lead }) => reasonName(lead.closedReason ?? '') },
  { name: 'Counselor', value: ({ lead }, roster) => ownerName(lead.owner, roster) },
  { name: 'First name', value: ({ lead }) => lead.firstName },
  { name: 'Last name', value: ({ lead }) => lead.lastName },
  { name: 'Email', value: ({ lead }) => lead.email },
  { name: 'Phone', value: ({ lead }) => lead.phone },
  { name: 'Latest phone', value: ({ lead }) => lead.latestPhone ?? '' },
  { name: 'Company', value: ({ lead }) => lead.company ?? '' },
  { name: 'Location', value: row => answer(row, 'Location') },
  { name: 'State', value: ({ lead }) => lead.state ?? '' },
  { name: 'Start', value: row => answer(row, 'Start') },
  { name: 'Interest', value: row => answer(row, 'Interest') },
  { name: 'Experience', value: row => answer(row, 'Experience') },
  { name: 'Source', value: row => answer(row, 'Source') },
  { name: 'Language', value: ({ lead }) => lead.language ?? '' },
  { name: 'Came from', value: ({ lead }) => lead.cameFrom ?? '' },
  { name: 'Campaign', value: ({ lead }) => lead.campaign ?? '' },
  { name: 'Page', value: ({ submission }) => submission?.form?.page ?? '' },
  { name: 'Linked from', value: ({ submission }) => submission?.form?.referrer ?? '' },
  { name: 'Calls and texts', value: ({ lead }) => consentInShort[lead.consent ?? 'not asked'].toLowerCase() },
  { name: 'Asked', value: ({ lead }) => moment(lead.consentAt) },
  { name: 'Tags', value: ({ labels }) => labelNames(labels, 'tag').join('; ') },
  { name: 'Programs', value: ({ labels }) => labelNames(labels, 'program').join('; ') },
  { name: 'Message', value: ({ written }) => written?.body.message ?? '' },
  { name: 'Inquiries', value: ({ inquiries }) => inquiries },
  { name: 'First tried', value: ({ lead }) => moment(lead.firstAttemptAt) },
  { name: 'First reached', value: ({ lead }) => moment(lead.firstContactAt) },
  { name: 'Replied', value: ({ lead }) => moment(lead.repliedAt) },
]

export type Cells = (string | number)[]

/** This many leads are in memory at once. On SQLite, a submission that arrives waits until they have been read. */
const AT_ONCE = 150

/**
 * The rows of a file, some at a time, with the names of the columns first. Reads the next leads only once
 * the earlier ones were taken, and leaves the database to the intake while submissions arrive.
 */
export async function* exportRows(
  store: Pick<Store, 'listInbox' | 'backgroundDelay'>,
  filter: InboxFilter,
  roster: Roster,
): AsyncGenerator<Cells[]> {
  yield [columns.map(({ name }) => name)]
  for (let after: Position | undefined; ; ) {
    const { rows, next } = await store.listInbox(filter, { after, limit: AT_ONCE })
    if (rows.length > 0) yield rows.map(row => columns.map(({ value }) => value(row, roster)))
    if (next === null) return
    after = next
    await sleep(store.backgroundDelay())
  }
}
