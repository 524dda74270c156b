/** The emails about many leads at once: one for each person concerned, however many of the leads are theirs. */
import { dayAsOf } from '../../content/date-format.ts'
import { actorName, ownerName, TEAM } from '../../leads/lead/staff.ts'
import { byWhom, type MakeContent } from './message-data.ts'

/** A list was imported: for the owner that the task's step identifies. */
export const importedContent: MakeContent = async (
  { store, clock, config, addressees, messages },
  { subject, step },
) => {
  const list = await store.readImport(subject)
  const share = list?.owners[step]
  if (!list?.plan || !share || !['done', 'running'].includes(list.state)) return { skip: 'the import was undone' }
  const { owner, opened, joined } = share
  if (owner !== null && owner === list.createdBy) return { skip: 'they imported the list' }
  const { kind, source, mayWrite } = list.plan
  const found = await addressees.find({ owner, kind }, 'counselor', clock.now())
  const query = new URLSearchParams({ from: source, who: owner ?? TEAM })
  return messages.imported({
    to: 'to' in found ? found.to : addressees.team(kind),
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

/** How many leads an email lists; the others are in the inbox. */
const MOST_LISTED = 100

/** All of someone's leads were handed over, or given back: for the recipient that the task's step identifies. */
export const handOverContent: MakeContent = async (
  { store, clock, calendar, config, addressees, messages },
  { subject, step },
) => {
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
    awayUntil: away ? dayAsOf(away.until, calendar.today(now), school) : null,
    owners: Array.from(people, ([id, rows]) => ({
      name: ownerName(id, admissions),
      leads: sum(rows, one => one.leads),
    })),
  })
}

const sum = <T>(rows: readonly T[], of: (row: T) => number): number => rows.reduce((total, row) => total + of(row), 0)
