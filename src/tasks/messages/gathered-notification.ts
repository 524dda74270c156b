/** One email to a team instead of many notifications. */
import type { Kind } from '../../leads/body/submission.ts'
import type { Addressees } from '../../mail/addressees.ts'
import type { Content, Messages } from '../../mail/messages.ts'
import { type Clock, MINUTE } from '../../platform/time.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'

type Dependencies = {
  store: Pick<Store, 'readGathered' | 'readLeadOfSubmission'>
  clock: Clock
  addressees: Addressees
  messages: Pick<Messages, 'gathered'>
}

/** How many inquiries one email shows. */
const MOST_SHOWN = 50

/** The email that a claimed task sends for all that are gathered; or when to see whether another has sent it. */
export async function gatheredNotification(
  { store, clock, addressees, messages }: Dependencies,
  task: Task,
  kind: Kind,
): Promise<Content | { waitUntil: number; why: string } | { skip: string }> {
  const now = clock.now()
  const gathered = await store.readGathered(task, { now, limit: MOST_SHOWN })
  if (gathered === undefined) return { waitUntil: now + MINUTE, why: 'another email will stand for it' }
  const found = await Promise.all(gathered.shown.map(id => store.readLeadOfSubmission(id)))
  const inquiries = found.filter(about => about !== undefined)
  if (inquiries.length === 0) return { skip: 'the submissions are gone' }
  const more = gathered.tasks.length - inquiries.length
  const to = addressees.team(kind)
  const content = await messages.gathered({ to, kind, inquiries, more, now })
  return { ...content, gathered: gathered.tasks.filter(id => id !== task.id) }
}
