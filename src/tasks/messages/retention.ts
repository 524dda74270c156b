/** The email that tells the manager which leads the retention rules will erase, some days before. */
import type { Config } from '../../config/config.ts'
import { listAt, numberOfErasure } from '../../follow-up/erasure-days.ts'
import { MANAGER } from '../../leads/lead/staff.ts'
import type { Addressees } from '../../mail/addressees.ts'
import type { Content, Messages } from '../../mail/messages.ts'
import type { Clock } from '../../platform/time.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'

type Dependencies = {
  store: Pick<Store, 'countPlanned' | 'listPlanned'>
  clock: Clock
  config: Pick<Config, 'settings' | 'consoleUrl'>
  addressees: Addressees
  messages: Pick<Messages, 'retention'>
}

/** How many leads the email lists; the page behind it lists all. */
const MOST_LISTED = 50

/** The email of a task, which names the day of the erasure. It waits for its moment, also if a wrong clock has made it due. */
export async function retentionContent(
  { store, clock, config: { settings, consoleUrl }, addressees, messages }: Dependencies,
  { subject }: Task,
): Promise<Content | { skip: string } | { waitUntil: number; why: string }> {
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
