/** Checks that every message came once, to the right people, and at a time when we may write to them. */
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import { auditNews } from './audit-news.ts'
import { isNotice } from './audit-notices.ts'
import type { Expect, Facts, SubmissionFact, TaskFact } from './facts.ts'
import { isDaytime, isTimeToCall } from './hours.ts'
import { type Person, reachOf, readPerson } from './people.ts'
import { type Delivery, keyOf, type Message, type PostOffice } from './post-office.ts'
import { CHAT, CLOSING, HOLIDAYS, isStaff, LETTERS } from './school.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

/** The kinds of tasks without a message. */
const SILENT: readonly string[] = ['file', 'refile', 'import', 'deliver']

/** A receipt that comes later than this is sent only by day, like follow-up emails. */
const AT_ONCE = 30 * MINUTE

/** How often an erased person may have written in: the database no longer knows. */
const MOST_WAITS = 4

/** A person who was reached, or whose lead was closed, no longer needs a receipt. */
const TOO_LATE = /^it is too late: the lead is (?!new)/

/** How long a kill may delay the filing, and thus the start of the day without a second receipt. */
const FILED_WITHIN = 4 * HOUR

/** What the mail server knows of a message that came, or did not. */
type Sent = Pick<PostOffice, 'rejected' | 'mayBeLost'>

export function auditMessages(world: World, facts: Facts, expect: Expect): void {
  const ofTasks = new Set<string>()
  for (const task of facts.tasks) {
    if (SILENT.includes(task.kind)) continue
    ofTasks.add(keyOf(task))
    auditOnce(endedMeanwhile(world, task), task, expect, mayBegin(world, task, facts))
  }
  auditTasksExist(world, ofTasks, expect)
  const tasks = new Map(facts.tasks.map(task => [keyOf(task), task]))
  const ofPerson = Map.groupBy(facts.submissions, ({ person }) => person.n)
  for (const one of facts.submissions) {
    if (one.lead === undefined) continue
    auditNotification(world, one, tasks.get(`notify.${one.id}.0`), expect)
    if (one.kind === 'student') auditReceipt(world, ofPerson.get(one.person.n) ?? [], one, tasks, expect)
  }
  auditNews(world, facts, expect)
  const people = new Map(facts.leads.map(({ id, person }) => [id, person]))
  for (const message of world.post.byId.values())
    if (message.kind === 'step') auditStepMessage(message, people.get(message.subject), expect)
  auditErased(world, expect)
  auditAddresses(world, expect)
}

/**
 * Each message has a task. `known`: the keys of all tasks. Reminders that have begun again for someone who was then
 * answered do not all come again.
 */
export function auditTasksExist(
  { post, ledger }: Pick<World, 'post' | 'ledger'>,
  known: Set<string>,
  expect: Expect,
): void {
  for (const [id, message] of post.byId) {
    const { kind, subject, to } = message
    // The ledger also knows people with two leads.
    const answered = (ledger.leads.get(subject) ?? []).some(({ what }) => what === 'answered')
    const stopped = kind === 'step' && isStaff(to) && (answered || ledger.erasedLeads.has(subject))
    expect(stopped || known.has(keyOf(message)), `message ${id} has no task`)
  }
}

/** Every email must go to someone who has an address: at the school, or a person who gave it. */
function auditAddresses({ post, people, lists, pairs }: World, expect: Expect) {
  for (const { id, to } of post.byId.values()) {
    const person = people[readPerson(to) ?? -1]
    expect(
      isStaff(to) || person?.phoneOnly === false || lists.mayWrite(to) || pairs.isOne(to),
      `message ${id} went to ${to}`,
    )
  }
}

/** No one knows of an email about a callback that was on its way when someone recorded what came of that. */
function endedMeanwhile({ ledger, post }: World, { kind, subject }: TaskFact): { post: Sent } {
  const { endedDuring = [] } = (kind === 'news' && ledger.promises.about(subject)) || {}
  const mayBeLost = (delivery: Delivery) => post.mayBeLost(delivery) || endedDuring.includes(delivery.tick)
  return { post: { rejected: post.rejected, mayBeLost } }
}

/**
 * How often a task may be created. Reminders start again whenever someone is waiting again, and a digest is due
 * again when its morning comes again.
 */
function mayBegin({ time }: World, { kind, subject, messages }: TaskFact, { waits }: Facts) {
  if (kind === 'digest' || kind === 'daily') return 1 + time.setsBack(subject)
  // A report is due again when the Monday after its week comes again.
  if (kind === 'report') return 1 + time.setsBack(mondayAfter(subject))
  const reminds = kind === 'step' && messages.every(({ to }) => isStaff(to))
  return reminds ? (waits.get(subject) ?? MOST_WAITS) : 1
}

/** The Monday after a week that begins on a Monday, both as yyyymmdd. */
const mondayAfter = (monday: number): number => {
  const day = String(monday).replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3')
  const next = new Date(Date.parse(day) + 7 * DAY).toISOString()
  return Number(next.slice(0, 10).replaceAll('-', ''))
}

/**
 * There must be one Message-ID for each time that a task was created, and no more than `most`. A message
 * may come again only after a delivery whose success no replica could know. A task that is not done may
 * have had only such deliveries. Only the step that closes a lead is done without a message.
 */
export function auditOnce({ post }: { post: Sent }, task: TaskFact, expect: Expect, most: number): void {
  const key = keyOf(task)
  const { messages, state } = task
  expect(messages.length <= most, `${key} came with ${messages.length} Message-IDs`)
  const deliveries = messages.flatMap(one => one.deliveries)
  const silent = task.kind === 'step' && (task.step === CLOSING || task.step === CHAT)
  if (state === 'done' && !silent) expect(deliveries.length > 0, `${key} is done but never came`)
  const known = messages.flatMap((one, i) => {
    // The earlier ones were sent, whatever happened to the last.
    const done = state === 'done' || i < most - 1
    return done ? one.deliveries.slice(0, -1) : one.deliveries
  })
  const needless = known.filter(delivery => !post.mayBeLost(delivery))
  expect(needless.length === 0, `${key} (${state}) came ${deliveries.length} times, ${needless.length} needlessly`)
  if (task.kind !== 'step' && state === 'dead') {
    const rejected = post.rejected.has(key) || /\b550 5\.1\.1\b/.test(task.note ?? '')
    expect(rejected, `${key} was given up: ${task.note}`)
  }
}

function auditNotification(
  { post }: World,
  { id, person }: SubmissionFact,
  task: TaskFact | undefined,
  expect: Expect,
) {
  const ended = task?.state === 'done' || post.rejected.has(`notify.${id}.0`) || (task && isNotice(task)) === true
  expect(ended, `the notification of submission ${id} is ${task?.state}: ${task?.note}`)
  for (const { to, about } of task?.messages ?? [])
    expect(isStaff(to) && about === person.n, `the notification of ${id} went to ${to} about ${about}`)
}

function auditReceipt(
  world: World,
  ofPerson: SubmissionFact[],
  one: SubmissionFact,
  tasks: Map<string, TaskFact>,
  expect: Expect,
) {
  const { id, person, accepted } = one
  const task = tasks.get(`receipt.${id}.0`)
  const what = `the receipt of submission ${id}`
  if (task === undefined || accepted === undefined) return expect(false, `${what} has no task`)
  const wishes = world.ledger.addresses.get(person.email) ?? []
  if (task.state === 'skipped') {
    const again = ofPerson.some(
      other => other.id !== id && (other.accepted?.at ?? 0) > accepted.at - DAY - FILED_WITHIN,
    )
    const [, reason] = /^this address is suppressed: (.*)$/.exec(task.note ?? '') ?? []
    const suppressed = reason === 'bounced' ? person.unknown : wishes.some(({ what }) => reasons[what] === reason)
    const late = task.finishedAt - accepted.at >= AT_ONCE
    const known = /less than a day/.test(task.note ?? '') ? again : late && TOO_LATE.test(task.note ?? '')
    const unasked = person.phoneOnly && task.note === 'they did not ask us to write by email'
    const right = unasked || (reason === undefined ? known : suppressed)
    expect(right, `${what} was skipped, but not because ${task.note}`)
  } else {
    const ended = task.state === 'done' || person.unknown || world.post.rejected.has(keyOf(task))
    expect(ended, `${what} is ${task.state}: ${task.note}`)
    const before = ofPerson.find(
      other =>
        other.id < id &&
        (other.accepted?.at ?? 0) > accepted.at - DAY + FILED_WITHIN &&
        tasks.get(`receipt.${other.id}.0`)?.state === 'done',
    )
    expect(before === undefined, `${what} is the second within a day, after that of ${before?.id}`)
  }
  for (const { to, deliveries } of task.messages) {
    expect(readPerson(to) === person.n, `${what} went to ${to}`)
    const first = deliveries[0]?.tick ?? 0
    const stop = wishes.find(({ from }) => from <= first)
    expect(stop === undefined, `${what} came after: ${stop?.what}`)
    for (const { at } of deliveries) {
      const late = at - accepted.at >= AT_ONCE + SKEW
      expect(!late || inHours(at, shown => isDaytime(person.state, shown)), `${what} came late and ${local(at)}`)
    }
  }
}

const reasons = {
  unsubscribed: 'unsubscribed',
  'not me': 'not me',
  complaint: 'complaint',
  erased: 'unsubscribed',
} as const

/** Follow-up emails come by day in every zone of the state, and reminders during calling hours. */
function auditStepMessage(message: Message, person: Person | undefined, expect: Expect) {
  const { subject, step, to, deliveries } = message
  const toStaff = isStaff(to)
  if (person !== undefined) {
    const letter = person.kind === 'student' && LETTERS.has(step)
    const right = letter ? readPerson(to) === person.n : toStaff && message.about === person.n
    expect(right, `step ${step} of lead ${subject} went to ${to}`)
  }
  for (const { at } of deliveries) {
    const open = inHours(at, shown =>
      toStaff ? isTimeToCall(person ?? { state: undefined }, shown, HOLIDAYS) : isDaytime(person?.state, shown),
    )
    // The state of a person who has been erased is no longer known.
    const judged = toStaff || person !== undefined
    expect(open || !judged, `step ${step} of lead ${subject} came to ${to} ${local(at)}`)
  }
}

/** Whether it was a permitted time by the clock of any replica. */
const inHours = (at: number, open: (shown: number) => boolean) => open(at) || open(at + SKEW)

const local = (at: number) => `at ${new Date(at).toISOString()}`

/** No message about an erased person may be sent after the erasure, unless they write in again. */
function auditErased({ ledger, post, people }: World, expect: Expect) {
  const erased = new Map(
    people.flatMap(person => {
      const { n, email } = person
      const asked = ledger.addresses.get(email)?.find(({ what }) => what === 'erased')
      const found = asked ?? ledger.retained.get(reachOf(person))
      const copies = [0, 1].map(copy => ledger.accepted.get(`${n}x${copy}`)?.tick ?? 0)
      return found && Math.max(...copies) < found.tick ? [[n, found.from] as const] : []
    }),
  )
  for (const { id, about, to, deliveries } of post.byId.values()) {
    const from = erased.get(about ?? readPerson(to) ?? -1)
    const first = deliveries[0]?.tick ?? 0
    expect(from === undefined || first < from, `message ${id} came after the erasure`)
  }
}
