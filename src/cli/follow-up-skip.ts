/** `frontdesk follow-up skip-overdue`: after a restore, do not do again what may have been done. */
import { createCalendar } from '../follow-up/calendar.ts'
import { createLog } from '../platform/log.ts'
import { skipOverdue } from '../tasks/skip-overdue.ts'
import { aboutSkipped } from './backup.ts'
import { print } from './output.ts'
import { withStore } from './with-store.ts'

export async function skip(): Promise<void> {
  await withStore(async (store, { config: { settings } }) => {
    const calendar = createCalendar(settings)
    const deps = { store, clock: store.clock, calendar, log: createLog('silent') }
    const skipped = await skipOverdue(deps, 'skipped on the command line')
    print(skipped.steps > 0 ? aboutSkipped(skipped) : 'Nothing is overdue.')
  })
}
