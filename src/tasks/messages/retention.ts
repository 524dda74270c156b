/** The email that tells the manager which leads the retention rules will erase, some days before. */
import { listAt, numberOfErasure } from '../../follow-up/erasure-days.ts'
import { MANAGER } from '../../leads/lead/staff.ts'
import type { MakeContent } from './message-data.ts'

/** How many leads the email lists; the page behind it lists all. */
const MOST_LISTED = 50

/** The email of a task, which names the day of the erasure. It waits for its moment, also if a wrong clock has made it due. */
export const retentionContent: MakeContent = async ({ store, clock, config, addressees, messages }, { subject }) => {
  const { settings, consoleUrl } = config
  const { privacy, school } = settings
  const planned = (await store.countPlanned()).find(one => numberOfErasure(one.eraseAt, school.timeZone) === subject)
  if (planned === undefined) return { skip: 'nothing will be erased on that day' }
  const { eraseAt } = planned
  const due = listAt(eraseAt, privacy)
  if (due > clock.now()) return { waitUntil: due, why: 'waits for the days of notice' }
  const listed = await store.listPlanned(eraseAt, { after: 0, limit: MOST_LISTED })
  const to = addressees.member(MANAGER, 'student')?.to ?? addressees.team('student')
  return messages.retention({
    to,
    eraseAt,
    total: planned.leads,
    leads: listed.map(lead => ({ lead, url: `${consoleUrl}/leads/${lead.id}` })),
    url: `${consoleUrl}/privacy/planned`,
  })
}
