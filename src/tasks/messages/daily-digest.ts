/** The digest of an operator who wants one email a day: what would otherwise have been emails of their own. */
import type { Config } from '../../config/config.ts'
import type { EmailAddress } from '../../leads/body/email.ts'
import type { Content, Messages } from '../../mail/messages.ts'
import type { Clock } from '../../platform/time.ts'
import type { Notice } from '../../store/operators/notices.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'

type Dependencies = {
  store: Pick<Store, 'listDailyNotices' | 'readMail' | 'readOperator'>
  config: Pick<Config, 'consoleUrl'>
  messages: Pick<Messages, 'dailyDigest'>
  clock: Clock
}

/** How many notices one digest lists; the console has the others. */
const MOST_LISTED = 100

/** Everything that came before this moment is in the digest; what came later is in the next one. */
export const endOfDigest = ({ begun_at }: Task, now: number): number => begun_at ?? now

/** `contentOf` makes the message that a notice stands for: its subject says what it is about. */
export async function dailyDigest(
  { store, config, messages, clock }: Dependencies,
  task: Task,
  contentOf: (task: Task) => Promise<Content | object>,
): Promise<Content | { skip: string }> {
  const operator = await store.readOperator(task.step)
  if (operator === undefined) return { skip: 'the operator is gone' }
  const now = clock.now()
  const notices = await store.listDailyNotices(task.step, endOfDigest(task, now))
  const read = async ({ taskId, at }: Notice) => {
    const about = await store.readMail(taskId)
    const content = about && (await contentOf(about))
    if (content === undefined || !('subject' in content)) return []
    const url = `${config.consoleUrl}/${content.lead ? `leads/${content.lead.id}` : 'inbox'}`
    return [{ what: content.subject, at, url }]
  }
  const listed = (await Promise.all(notices.slice(0, MOST_LISTED).map(read))).flat()
  if (listed.length === 0) return { skip: 'there is nothing left to list' }
  return messages.dailyDigest({
    to: { name: operator.name, address: operator.email as EmailAddress },
    entries: listed,
    more: Math.max(0, notices.length - MOST_LISTED),
    url: `${config.consoleUrl}/today`,
    now,
  })
}
