/** The leads of a saved view, as an admin sees them, as the bytes of a CSV file. */
import type { Settings } from '../../config/settings.ts'
import type { Calendar } from '../../follow-up/calendar.ts'
import type { Store } from '../../store/store.ts'
import type { SignedIn } from '../frame/access.ts'
import { csvPieces } from '../frame/download.ts'
import { filterOf, readFields } from '../lists/inbox-filter.ts'
import { exportRows } from './export-rows.ts'

type ViewServices = { store: Pick<Store, 'listInbox' | 'backgroundDelay'>; settings: Settings; calendar: Calendar }

/** `filter` is the part of a URL after `?`; `count` is called with the number of leads in each piece. */
export function viewAsCsv(
  { store, settings, calendar }: ViewServices,
  filter: string,
  count: (leads: number) => void,
): AsyncIterable<Uint8Array> {
  const fields = readFields(Object.fromEntries(new URLSearchParams(filter)))
  const operator = { role: 'admin', counselor: undefined } as SignedIn
  const rows = exportRows(store, filterOf(fields, { operator, settings, calendar }), settings.admissions)
  return csvPieces(counted(rows, count))
}

/** Reports how many leads each batch has; the first batch also has the names of the columns. */
async function* counted<Row>(
  batches: AsyncIterable<readonly Row[]>,
  count: (leads: number) => void,
): AsyncGenerator<readonly Row[]> {
  let isFirst = true
  for await (const rows of batches) {
    if (!isFirst) count(rows.length)
    isFirst = false
    yield rows
  }
}
