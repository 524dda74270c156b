/** The leads that match a filter as rows of a file, in batches. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cells, exportCells, exportTitles } from '../../leads/lead/export-columns.ts'
import type { Roster } from '../../leads/lead/staff.ts'
import type { InboxFilter, Position } from '../../store/lists/filter.ts'
import type { Store } from '../../store/store.ts'

/** This many leads are in memory at once. On SQLite, a submission that arrives waits until they have been read. */
const AT_ONCE = 150

/**
 * The rows of a file, in batches; the names of the columns come first. Reads the next leads only after the earlier ones
 * were consumed, and does not use the database while submissions arrive.
 */
export async function* exportRows(
  store: Pick<Store, 'listInbox' | 'backgroundDelay'>,
  filter: InboxFilter,
  roster: Roster,
): AsyncGenerator<Cells[]> {
  yield [exportTitles]
  for (let after: Position | undefined; ; ) {
    const { rows, next } = await store.listInbox(filter, { after, limit: AT_ONCE })
    if (rows.length > 0) yield rows.map(row => exportCells(row, roster))
    if (next === null) return
    after = next
    await sleep(store.backgroundDelay())
  }
}
