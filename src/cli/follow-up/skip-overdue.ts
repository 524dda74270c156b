/** `frontdesk follow-up skip-overdue`: after a restore, keeps us from repeating steps that may have been done. */
import type { Settings } from '../../config/settings.ts'
import { createCalendar } from '../../follow-up/calendar.ts'
import { createLog } from '../../platform/log.ts'
import type { Store } from '../../store/store.ts'
import { skipOverdue } from '../../tasks/skip-overdue.ts'
import { count, print } from '../terminal/output.ts'
import { withStore } from '../terminal/with-store.ts'

export async function skip(): Promise<void> {
  await withStore(async (store, { config: { settings } }) => {
    const report = await skipIn(store, settings, 'skipped on the command line')
    print(report ?? 'Nothing is overdue.')
  })
}

const NAMED = 20

/** Skips overdue steps, for the reason in `note`. Returns what to say about it; undefined if none was overdue. */
export async function skipIn(store: Store, settings: Settings, note: string): Promise<string | undefined> {
  const calendar = createCalendar(settings)
  const deps = { store, clock: store.clock, calendar, log: createLog('silent') }
  const { steps, leads } = await skipOverdue(deps, note)
  if (steps === 0) return undefined
  const names = leads.slice(0, NAMED).join(', ')
  const more = leads.length > NAMED ? ` and ${leads.length - NAMED} more` : ''
  return (
    `Skipped ${count(steps, 'reminder or follow-up email', 'reminders and follow-up emails')} that were due. ` +
    `Ask the counselors whether these leads were reached: ${names}${more} (npx frontdesk leads list --stage new).`
  )
}
