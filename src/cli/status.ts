/** `frontdesk` without a command: how many people wait, how many of them too long, and whether mail goes out. */
import { type Config, loadConfig } from '../config/config.ts'
import { isNewDatabase } from '../config/data-folder.ts'
import { createCalendar } from '../follow-up/calendar.ts'
import { lostDestinationLine } from '../leads/words/lost-destinations.ts'
import { HOUR } from '../platform/time.ts'
import type { Backlog } from '../store/mail/backlog.ts'
import type { Store } from '../store/store.ts'
import { count, print } from './terminal/output.ts'
import { terminal } from './terminal/terminal.ts'
import { wait } from './terminal/times.ts'
import { withStore } from './terminal/with-store.ts'

/** Counts up to this number. */
const MOST = 1000

/** Someone should have tried to reach a person within this much of school hours. */
const OVERDUE = HOUR

/** Prints three lines, and one for each destination that was lost; before the first start, says how to start. */
export async function printStatus(): Promise<void> {
  if (isNewDatabase(await loadConfig(terminal().env))) {
    return print('The database does not exist yet. To start the service, which creates it: npx frontdesk serve')
  }
  await withStore(async (store, { config, now }) => {
    const backlog = await store.countBacklog(now)
    const lost = backlog.lostDestinations.map(one => `Lost:     ${lostDestinationLine(one)}`)
    print([...(await peopleLines(store, config, now)), mailLine(backlog, config), ...lost].join('\n'))
  })
}

async function peopleLines(store: Store, { settings }: Config, now: number): Promise<string[]> {
  const waiting = await store.listLeads({ stage: 'new', oldestFirst: true, limit: MOST })
  const [longest] = waiting
  if (longest === undefined) return ['Waiting:  no one', 'Overdue:  no one']
  const { school } = createCalendar(settings)
  const tried = await store.listTried(waiting.map(({ id }) => id))
  const overdue = waiting.filter(
    ({ id, createdAt, pausedAt }) => !tried.has(id) && !pausedAt && school.elapsed(createdAt, now) > OVERDUE,
  )
  const people = waiting.length < MOST ? personCount(waiting.length) : `${MOST} people or more`
  return [
    `Waiting:  ${people}, the longest for ${wait(now - longest.createdAt)} (npx frontdesk leads list --waiting)`,
    overdue.length === 0
      ? 'Overdue:  no one'
      : `Overdue:  ${personCount(overdue.length)}, no one tried to reach them within an hour of school hours`,
  ]
}

const personCount = (number: number): string => count(number, 'person', 'people')

function mailLine({ mailRetrying, mailFailedToStaff, mailFailedToStudents }: Backlog, { imapUrl }: Config): string {
  const failed = mailFailedToStaff + mailFailedToStudents
  const mailbox = imapUrl === undefined ? 'no mailbox is watched' : 'a mailbox is set up for replies'
  return `Mail:     ${failed} failed, ${mailRetrying} retrying; ${mailbox}`
}
