/** What is wrong with filing, mail and destinations, in sentences for the banners on every page. */
import { counted } from '../../leads/body/tidy-text.ts'
import { lateWork } from '../../leads/words/late-work.ts'
import { lostDestination } from '../../leads/words/lost-destinations.ts'
import { addressSentenceIn, isAboutAllMail, isDeferredAddress } from '../../mail/transport/mailer.ts'
import { SECOND } from '../../platform/time.ts'
import type { Backlog } from '../../store/mail/backlog.ts'
import { isToPerson } from '../../store/tables/task-kinds.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import type { ConsoleDeps, MailTrouble } from './context.ts'

/** How long a result is reused: a banner may be a little late, but must not cost a query on each page. */
const FRESH = 20 * SECOND

/** How many messages in each state we read. A person who sees a banner then looks at the list. */
const LOOKED_AT = 100
/** The names of the recipients are looked up for this many of the messages. */
const ADDRESSED = 20
/** At most this many addresses get a banner of their own. */
const NAMED = 3

/** The responses of mail servers end with or without a period. */
const withStop = (words: string): string => (/[.!?]$/.test(words) ? words : `${words}.`)

/**
 * What keeps messages from going out. If messages wait for another attempt, and the reason is neither a single address
 * nor their sending hours, the console says that no email, or not every email, goes out. It reports separately a staff
 * address that the mail server rejects, and messages that were given up, since other mail may be going out by now.
 */
export function watchMail({ store, clock, settings, conversations }: ConsoleDeps) {
  let known: { at: number; counted: Promise<Backlog>; troubles: Promise<MailTrouble[]> } | undefined
  /** The current result. `forget` makes the next call read it again, after someone has repaired something. */
  return { troubles, recent, backlog, forget }

  function forget(): void {
    known = undefined
  }

  function troubles(): Promise<MailTrouble[]> {
    return readRecently().troubles
  }

  function recent(): Promise<Backlog> {
    return readRecently().counted
  }

  function readRecently() {
    const now = clock.now()
    return fresh(now) ?? readFrom(store.countBacklog(now), now)
  }

  function backlog(): Promise<Backlog> {
    const now = clock.now()
    const counting = store.countBacklog(now)
    if (fresh(now) === undefined) readFrom(counting, now)
    return counting
  }

  function fresh(now: number) {
    return known && Math.abs(now - known.at) < FRESH ? known : undefined
  }

  function readFrom(counted: Promise<Backlog>, now: number) {
    known = { at: now, counted, troubles: counted.then(backlog => read(backlog, now)).catch(() => []) }
    return known
  }

  async function read(backlog: Backlog, now: number): Promise<MailTrouble[]> {
    const { mailFailedToStaff, mailRetrying, scansFailing, lostDestinations } = backlog
    const retrying = mailRetrying === 0 ? [] : await list('retrying')
    // A mistyped address of a student is a note on the lead, where the counselor sees it.
    const failed = mailFailedToStaff === 0 ? [] : (await list('failed')).filter(isToStaff)
    const rejected = [...retrying, ...failed].filter(isRejected)
    const stopped = retrying.filter(({ note }) => isAboutAllMail(note ?? ''))
    const others = mailFailedToStaff - failed.filter(isRejected).length
    return [
      ...lateWork(backlog, settings.lateness, now),
      ...(await aboutMail(stopped, mailRetrying - (retrying.length - stopped.length))),
      ...(failed.every(isRejected) ? [] : [givenUp(others)]),
      ...(await aboutAddresses(rejected)),
      ...(scansFailing === null ? [] : [doesNotScan(scansFailing)]),
      ...lostDestinations.map(one => ({ ...lostDestination(one), destination: one.id })),
    ]
  }

  /** If a message was sent after each of these was first tried, other mail is going out. */
  async function aboutMail(stopped: readonly Task[], count: number): Promise<MailTrouble[]> {
    const [first] = stopped
    if (first === undefined) return []
    const sentAt = (await store.lastSentAt(clock.now())) ?? 0
    const some = stopped.every(({ begun_at, created_at }) => (begun_at ?? created_at) < sentAt)
    return [doesNotFlow(some ? 'Some emails are not going out.' : 'No email is going out.', count, first)]
  }

  async function list(state: 'retrying' | 'failed'): Promise<Task[]> {
    const rows = await store.listDelivery({ state, limit: LOOKED_AT })
    // A message that someone has just retried has not failed again yet.
    return rows.map(({ task }) => task).filter(({ attempts }) => attempts > 0)
  }

  async function aboutAddresses(rejected: readonly Task[]): Promise<MailTrouble[]> {
    const found = new Map<string, { name: string; sentence: string; count: number }>()
    for (const task of rejected.slice(0, ADDRESSED)) {
      const message = await conversations.messageOf(task)
      if (!('content' in message)) continue
      const { address, name } = message.content.to
      const { count = 0 } = found.get(address) ?? {}
      const sentence = addressSentenceIn(task.note ?? '') ?? ''
      found.set(address, { name, sentence, count: count + 1 })
    }
    const { counselors, manager } = settings.admissions
    const people = [...counselors, ...(manager === undefined ? [] : [manager])]
    return [...found].slice(0, NAMED).map(([address, { name, sentence, count }]) => {
      // An address that the mail server defers may be right: its mailbox is full, or its server is busy.
      const person = isDeferredAddress(sentence) ? undefined : people.find(({ email }) => email === address)?.name
      return {
        title: `${address} gets no email.`,
        text: `${sentence}. Not delivered: ${counted(count, 'message')} to ${name}.`,
        ...(person === undefined ? {} : { person }),
      }
    })
  }
}

const isToStaff = (task: Task): boolean => !isToPerson(task)

const isRejected = (task: Task): boolean => isToStaff(task) && addressSentenceIn(task.note ?? '') !== undefined

const doesNotFlow = (title: string, count: number, { note }: Task): MailTrouble => ({
  title,
  text: `${counted(count, 'message')} could not be sent yet: ${withStop(note ?? 'the mail server is unavailable')}`,
})

const doesNotScan = ({ emails, reason }: NonNullable<Backlog['scansFailing']>): MailTrouble => ({
  title: 'Attachments cannot be checked for viruses.',
  text: `The attachments of ${counted(emails, 'email')} are waiting, and no one can open them: ${withStop(reason)} The person who runs Frontdesk can repair the scanner.`,
  elsewhere: true,
})

const givenUp = (count: number): MailTrouble => ({
  title: 'Messages to the staff failed.',
  text: `${counted(count, 'message')} could not be sent for days, and ${count === 1 ? 'is' : 'are'} not tried again.`,
})
