/** Compares the database and the messages that were sent with the plan and the clients' ledger. */
import type { DatabaseAddress } from '../src/config/environment.ts'
import { clientKey } from '../src/leads/body/idempotency.ts'
import type { Kind } from '../src/leads/body/submission.ts'
import { sql } from '../test/support/engines.ts'
import type { Ledger } from './ledger.ts'
import type { Mailbox } from './mail-server.ts'
import { type PlannedSubmission, readMark, TEAMS } from './plan.ts'

export type Evidence = {
  database: DatabaseAddress
  plan: PlannedSubmission[]
  ledger: Ledger
  mailbox: Mailbox
  /** How many messages were possibly being sent when something went wrong. */
  mayRepeat: number
  /** Whether an attempt may be missing from the count: its claim was released while it was being sent. */
  uncounted: boolean
}

type StoredSubmission = { id: number; planned: PlannedSubmission; body: number; lead: number }

/** Returns every violation as a sentence. The list is empty if everything is right. */
export async function audit(evidence: Evidence): Promise<string[]> {
  const violations: string[] = []
  const expect = (holds: boolean, otherwise: string) => {
    if (!holds) violations.push(otherwise)
  }
  const stored = await auditSubmissions(evidence, expect)
  auditResponses(evidence, stored, expect)
  await auditKeys(evidence, expect)
  await auditLeads(evidence, stored, expect)
  const attempts = await auditTasks(evidence, stored, expect)
  auditMail(evidence, stored, attempts, expect)
  await auditTables(evidence, expect)
  return violations
}

type Expect = (holds: boolean, otherwise: string) => void

/** Every planned submission must be stored once, as it was sent. */
async function auditSubmissions({ database, plan }: Evidence, expect: Expect) {
  const rows = await sql(
    database,
    `select s.id, s.kind, s.key, s.email, s.answer, s.body, t.lead_id
     from submissions s left join timeline t on t.submission_id = s.id and t.kind = 'submission'
     order by s.id`,
  )
  const byKey = new Map<number, StoredSubmission>()
  for (const row of rows) {
    const id = Number(row['id'])
    const mark = readMark(String(row['body']))
    const planned = plan[mark?.n ?? -1]
    if (mark === undefined || planned === undefined) {
      expect(false, `submission ${id} was never sent`)
      continue
    }
    expect(!byKey.has(mark.n), `key ${mark.n} is stored twice: ${byKey.get(mark.n)?.id} and ${id}`)
    const { kind, key, email } = planned
    const right =
      row['kind'] === kind &&
      row['email'] === email &&
      row['answer'] === 200 &&
      JSON.parse(String(row['body'])).email === email &&
      (key === undefined || row['key'] === clientKey(kind, key)) &&
      planned.bodies.includes(mark.body)
    expect(right, `submission ${id} is not what was sent as key ${mark.n}`)
    byKey.set(mark.n, { id, planned, body: mark.body, lead: Number(row['lead_id']) })
  }
  for (const { n } of plan) expect(byKey.has(n), `key ${n} is not stored`)
  return [...byKey.values()]
}

/** Every copy must have got the response that follows from the stored submission. */
function auditResponses({ ledger }: Evidence, stored: StoredSubmission[], expect: Expect) {
  for (const { planned, body } of stored)
    for (const violation of ledger.violationsOf(planned, body)) expect(false, violation)
  for (const status of ledger.statuses.keys())
    expect(
      [200, 422, 503].includes(status),
      `${ledger.statuses.get(status)} × status ${status}, such as ${ledger.unexpected.get(status)}`,
    )
}

/** The index of keys must agree with the submissions. */
async function auditKeys({ database }: Evidence, expect: Expect) {
  const wrong = await sql(
    database,
    `select s.id, k.key from submissions s left join idempotency_keys k on k.submission_id = s.id
     where k.key is null or k.key <> s.key
     union all
     select k.submission_id, k.key from idempotency_keys k
     left join submissions s on s.id = k.submission_id where s.id is null`,
  )
  for (const row of wrong) expect(false, `key ${row['key']} points to submission ${row['id']}`)
}

/** There must be one lead for each kind and address, with all submissions of that address. */
async function auditLeads({ database }: Evidence, stored: StoredSubmission[], expect: Expect) {
  const groups = Map.groupBy(stored, ({ planned: { kind, email } }) => leadKey(kind, email))
  const leads = await sql(database, 'select id, kind, person_key, stage from leads')
  expect(leads.length === groups.size, `${leads.length} leads, not ${groups.size}`)
  for (const { id, kind, person_key, stage } of leads) {
    const group = groups.get(leadKey(kind as Kind, String(person_key))) ?? []
    const right = stage === 'new' && group.some(one => one.id === id)
    expect(right, `lead ${id} has no submission of its own`)
    const astray = group.filter(({ lead }) => lead !== id)
    expect(astray.length === 0, `${astray.length} submissions did not join lead ${id}`)
  }
  const [counted] = await sql(
    database,
    `select count(*) as n, count(distinct submission_id) as different from timeline
     where kind = 'submission'`,
  )
  const all = stored.length
  const once = Number(counted?.['n']) === all && Number(counted?.['different']) === all
  expect(once, `the timelines hold ${counted?.['n']} submissions, not ${all}`)
}

const leadKey = (kind: Kind, email: string) => `${kind} ${email.toLowerCase()}`

type Attempts = { notify: Map<number, number>; receipt: Map<number, number> }

/** Every task must be done, once for each submission. Returns the number of attempts for each message. */
async function auditTasks({ database }: Evidence, stored: StoredSubmission[], expect: Expect) {
  const attempts: Attempts = { notify: new Map(), receipt: new Map() }
  const skipped = new Set<number>()
  const tasks = await sql(
    database,
    `select id, kind, subject, state, attempts, lease_until, note
     from tasks where kind not in ('step', 'unattended', 'report')`,
  )
  for (const task of tasks) {
    const subject = Number(task['subject'])
    if (task['kind'] === 'receipt' && task['state'] === 'skipped') {
      skipped.add(subject)
      continue
    }
    const done = task['state'] === 'done' && task['lease_until'] === null
    expect(done, `task ${task['id']} is not done: ${JSON.stringify(task)}`)
    if (task['kind'] === 'notify' || task['kind'] === 'receipt')
      attempts[task['kind']].set(subject, Number(task['attempts']))
  }
  const sent = await sql(
    database,
    `select submission_id as id, detail, count(*) as n from timeline where kind = 'email'
     group by submission_id, detail`,
  )
  const recorded = new Map(sent.map(({ id, detail, n }) => [`${detail} ${id}`, Number(n)]))
  for (const { id, planned } of stored) {
    expect(attempts.notify.has(id), `submission ${id} has no notification task`)
    expect(recorded.get(`notify ${id}`) === 1, `the notification of ${id} is not recorded exactly once`)
    const receipts = Number(attempts.receipt.has(id)) + Number(skipped.has(id))
    const wanted = planned.kind === 'student' ? 1 : 0
    expect(receipts === wanted, `submission ${id} has ${receipts} receipt tasks`)
    const receiptsRecorded = recorded.get(`receipt ${id}`) ?? 0
    expect(
      receiptsRecorded === Number(attempts.receipt.has(id)),
      `the receipt of ${id} is recorded ${receiptsRecorded} times`,
    )
  }
  const strays = attempts.notify.size - stored.length
  expect(strays === 0, `${strays} notification tasks are not about a stored submission`)
  return attempts
}

/**
 * Each submission must have a notification and each student's address a receipt. Repeats must be identical. In a run of
 * more than five minutes, reminders come too, and go to the staff only.
 */
function auditMail(
  { mailbox, mayRepeat, uncounted }: Evidence,
  stored: StoredSubmission[],
  attempts: Attempts,
  expect: Expect,
) {
  const { repeated } = mailbox
  expect(repeated <= mayRepeat, `${repeated} messages came again; at most ${mayRepeat} may`)
  for (const violation of mailbox.violations) expect(false, violation)
  const messages = Map.groupBy(mailbox.byId.values(), ({ kind }) => kind)
  const notifications = Map.groupBy(messages.get('notify') ?? [], ({ about }) => about?.n)
  const receipts = Map.groupBy(messages.get('receipt') ?? [], ({ to }) => to.toLowerCase())
  for (const [kind, ofKind] of messages) {
    if (kind === 'notify' || kind === 'receipt') continue
    const astray = ofKind.filter(({ to }) => kind !== 'step' || !isTeam(to))
    expect(astray.length === 0, `${astray.length} messages of the kind ${kind} came, such as to ${astray[0]?.to}`)
  }
  for (const { id, planned, body } of stored) {
    const [notification, ...more] = notifications.get(planned.n) ?? []
    expect(notification !== undefined, `no notification of submission ${id} was sent`)
    expect(more.length === 0, `submission ${id} has notifications with ${more.length + 1} Message-IDs`)
    const right = notification?.to === TEAMS[planned.kind] && notification.about?.body === body
    expect(right, `the notification of submission ${id} is not about it: ${JSON.stringify(notification)}`)
    const tried = (attempts.notify.get(id) ?? 0) + Number(uncounted)
    expect(
      (notification?.times ?? 0) <= tried,
      `the notification of ${id} came ${notification?.times} times in ${tried} attempts`,
    )
  }
  const students = stored.filter(({ planned }) => planned.kind === 'student')
  const byAddress = Map.groupBy(students, ({ planned }) => planned.email.toLowerCase())
  for (const [address, group] of byAddress) {
    const [receipt, ...more] = receipts.get(address) ?? []
    expect(receipt !== undefined, `${address} has no receipt`)
    expect(more.length === 0, `${address} has ${more.length + 1} different receipts`)
    const tries = group.map(({ id }) => attempts.receipt.get(id) ?? 0)
    const tried = tries.reduce((sum, one) => sum + one, Number(uncounted))
    const chosen = tries.filter(one => one > 0).length
    expect(chosen === 1, `${chosen} submissions of ${address} led to a receipt`)
    expect((receipt?.times ?? 0) <= tried, `${address} got more receipts than there were attempts`)
  }
  expect(notifications.size === stored.length, `${notifications.size} submissions have notifications`)
  expect(receipts.size === byAddress.size, `${receipts.size} addresses have receipts`)
}

const isTeam = (address: string): boolean => Object.values(TEAMS).includes(address)

/** The quarantine must be empty, and the database file intact. */
async function auditTables({ database }: Evidence, expect: Expect) {
  const [held] = await sql(database, 'select count(*) as n from quarantine')
  expect(Number(held?.['n']) === 0, `${held?.['n']} submissions are in quarantine`)
  if (database.engine === 'postgres') return
  const [integrity] = await sql(database, 'pragma integrity_check')
  expect(integrity?.['integrity_check'] === 'ok', 'the database file is damaged')
}
