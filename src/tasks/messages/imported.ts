/** Tells an owner once that a list was imported, however many of its leads are theirs. */
import type { Config } from '../../config/config.ts'
import { actorName, TEAM } from '../../leads/lead/staff.ts'
import type { Addressees } from '../../mail/addressees.ts'
import type { Content, Messages } from '../../mail/messages.ts'
import type { Clock } from '../../platform/time.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'

type Dependencies = {
  store: Pick<Store, 'readImport'>
  clock: Clock
  config: Pick<Config, 'settings' | 'consoleUrl'>
  addressees: Addressees
  messages: Pick<Messages, 'imported'>
}

export async function importedNotification(
  { store, clock, config, addressees, messages }: Dependencies,
  { subject, step }: Pick<Task, 'subject' | 'step'>,
): Promise<Content | { skip: string }> {
  const list = await store.readImport(subject)
  const share = list?.owners[step]
  if (!list?.plan || !share || !['done', 'running'].includes(list.state)) return { skip: 'the import was undone' }
  const { owner, opened, joined } = share
  if (owner !== null && owner === list.createdBy) return { skip: 'they imported the list' }
  const { kind, source, mayWrite } = list.plan
  const found = await addressees.find({ owner, kind }, 'counselor', clock.now())
  const to = 'to' in found ? found.to : addressees.team(kind)
  const query = new URLSearchParams({ from: source, who: owner ?? TEAM })
  return messages.imported({
    to,
    kind,
    source,
    opened,
    joined,
    mayWrite,
    owner: owner !== null,
    by: actorName(list.createdBy, config.settings.admissions),
    url: `${config.consoleUrl}/inbox?${query}`,
  })
}
