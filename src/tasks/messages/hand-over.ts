/** The emails about all leads of someone that were handed over, or given back: one for each person concerned. */
import type { Config } from '../../config/config.ts'
import { dayInWords } from '../../content/date-format.ts'
import { ownerName } from '../../leads/lead/staff.ts'
import type { Addressees } from '../../mail/addressees.ts'
import type { Content, Messages } from '../../mail/messages.ts'
import type { Clock } from '../../platform/time.ts'
import type { Store } from '../../store/store.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { byWhom } from './lead-changes.ts'

type Dependencies = {
  store: Pick<Store, 'readHandOver' | 'countHandedOver' | 'listHandedOver'>
  clock: Clock
  config: Pick<Config, 'settings'>
  addressees: Addressees
  messages: Pick<Messages, 'leadsHandedOver'>
}

/** How many leads an email lists; the others are in the inbox. */
const MOST_LISTED = 100

/** For the recipient at the task's step. */
export async function handOverMessage(
  { store, clock, config, addressees, messages }: Dependencies,
  { subject, step }: Pick<Task, 'subject' | 'step'>,
): Promise<Content | { skip: string }> {
  const now = clock.now()
  const handOver = await store.readHandOver(subject)
  const recipient = handOver?.recipients[step]
  if (handOver === undefined || recipient === undefined) return { skip: 'the hand-over is gone' }
  const { owner, kind, role, undone } = recipient
  const { school, admissions } = config.settings
  const away = role === 'stand-in' ? await addressees.standIn(recipient, now) : undefined
  if (role === 'stand-in' && away === undefined) return { skip: 'the counselor is not away' }
  const found =
    role === 'stand-in' ? await addressees.find(recipient, 'counselor', now) : addressees.member(owner, kind)
  if (found === undefined || 'skip' in found) return { skip: 'they are no longer in the settings' }
  const counts = await store.countHandedOver(subject)
  const listed =
    role === 'former'
      ? {
          leads: [],
          waiting: 0,
          total: sum(counts, one => (undone ? (one.owner === owner ? one.restored : 0) : one.leads)),
        }
      : await store.listHandedOver(subject, { owner, limit: MOST_LISTED, kind: owner === null ? kind : undefined })
  if (listed.total === 0) return { skip: 'the leads were assigned again' }
  const people = Map.groupBy(counts, one => one.owner)
  return messages.leadsHandedOver({
    ...found,
    ...listed,
    role,
    undone,
    now,
    owner,
    ownerName: ownerName(owner, admissions),
    from: handOver.fromName,
    by: byWhom(undone ? handOver.undoneBy : handOver.actor, admissions),
    awayUntil: away ? dayInWords(away.until, school) : null,
    owners: Array.from(people, ([id, rows]) => ({
      name: ownerName(id, admissions),
      leads: sum(rows, one => one.leads),
    })),
  })
}

const sum = <T>(rows: readonly T[], of: (row: T) => number): number => rows.reduce((total, row) => total + of(row), 0)
