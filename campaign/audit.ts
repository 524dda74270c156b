/** Holds what is in the database, and what was mailed, against the plan and the clients' ledger. */
import type { DatabaseAddress } from '../src/config/environment.ts'
import { clientKey } from '../src/leads/idempotency.ts'
import type { Kind } from '../src/leads/submission.ts'
import { sql } from '../test/support/engines.ts'
import type { Ledger } from './ledger.ts'
import { type Delivered, type Mailbox, TEAMS } from './mailbox.ts'
import { type Planned, readMark } from './plan.ts'

export type Evidence = {
  database: DatabaseAddress
  plan: Planned[]
  ledger: Ledger
  mailbox: Mailbox
  /** How many messages may have been on their way when something went wrong. */
  mayRepeat: number
  /** Whether a try may not have been counted: its claim was given back while it was on its way. */
  uncounted: boolean
}

type Stored = { id: number; planned: Planned; body: number; lead: number }

/** What is wrong, one sentence each; nothing when all is well. */
export async function audit(evidence: Evidence): Promise<string[]> {
  const violations: string[] = []
  const expect = (holds: boolean, otherwise: string) => {
    if (!holds) violations.push(otherwise)
  }
  const stored = await auditSubmissions(evidence, expect)
  auditAnswers(evidence, stored, expect)
  await auditKeys(evidence, expect)
  await auditLeads(evidence, stored, expect)
  const attempts = await auditTasks(evidence, stored, expect)
  auditMail(evidence, stored, attempts, expect)
  await auditTables(evidence, expect)
  return violations
}

type Expect = (holds: boolean, otherwise: string) => void

/** Every planned submission is stored, once, as it was sent. */
async function auditSubmissions({ database, plan }: Evidence, expect: Expect) {
  const rows = await sql(
    database,
    `select s.id, s.kind, s.key, s.email, s.answer, s.body, t.lead_id
     from submissions s left join timeline t on t.submission_id = s.id and t.kind = 'submission'
     order by s.id`,
  )
  const byKey = new Map<number, Stored>()
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

/** Every copy has the answer that what is stored calls for. */
function auditAnswers({ ledger }: Evidence, stored: Stored[], expect: Expect) {
  for (const { planned, body } of stored)
    for (const violation of ledger.violationsOf(planned, body)) expect(false, violation)
  for (const status of ledger.statuses.keys())
    expect(
      [200, 422, 503].includes(status),
      `${ledger.statuses.get(status)} × status ${status}, such as ${ledger.unexpected.get(status)}`,
    )
}

/** The index of keys says the same as the submissions. */
async function auditKeys({ database }: Evidence, expect: Expect) {
  const wrong = await sql(
    database,
    `select s.id, k.key from submissions s left join idempotency_keys k on k.submission_id = s.id
     where k.key is null or k.key <> s.key
     union all
     select k.submission_id, k.key from idempotency_keys k
     left join submissions s on s.id = k.submission_id where s.id is null`,
  )
  for (const row of wrong) expect(false, `key ${row['key']} stands for submission ${row['id']}`)
}

/** One lead for each kind and address, made of its submissions. */
async function auditLeads({ database }: Evidence, stored: Stored[], expect: Expect) {
  const groups = Map.groupBy(stored, ({ planned: { kind, email } }) => leadKey(kind, email))
  const leads = await sql(database, 'select id, kind, email_key, stage from leads')
  expect(leads.length === groups.size, `${leads.length} leads, not ${groups.size}`)
  for (const { id, kind, email_key, stage } of leads) {
    const group = groups.get(leadKey(kind as Kind, String(email_key))) ?? []
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

/** Every task is done, once for each submission; returns how often each message was tried. */
async function auditTasks({ database }: Evidence, stored: Stored[], expect: Expect) {
  const attempts: Attempts = { notify: new Map(), receipt: new Map() }
  const skipped = new Set<number>()
  const tasks = await sql(
    database,
    `select id, kind, subject, state, attempts, lease_until, note from tasks where kind <> 'step'`,
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
  const noted = new Map(sent.map(({ id, detail, n }) => [`${detail} ${id}`, Number(n)]))
  for (const { id, planned } of stored) {
    expect(attempts.notify.has(id), `submission ${id} has no task to notify`)
    expect(noted.get(`notify ${id}`) === 1, `its lead was not noted to be notified of ${id} once`)
    const receipts = Number(attempts.receipt.has(id)) + Number(skipped.has(id))
    const wanted = planned.kind === 'student' ? 1 : 0
    expect(receipts === wanted, `submission ${id} has ${receipts} tasks for a receipt`)
    const receiptNotes = noted.get(`receipt ${id}`) ?? 0
    expect(
      receiptNotes === Number(attempts.receipt.has(id)),
      `the receipt of ${id} is noted ${receiptNotes} times`,
    )
  }
  const strays = attempts.notify.size - stored.length
  expect(strays === 0, `${strays} tasks to notify about nothing that is stored`)
  return attempts
}

/** Each submission has its message, each student's address its receipt; repeats are the same again. */
function auditMail(
  { mailbox, mayRepeat, uncounted }: Evidence,
  stored: Stored[],
  attempts: Attempts,
  expect: Expect,
) {
  const { repeated } = mailbox
  expect(repeated <= mayRepeat, `${repeated} messages came again; ${mayRepeat} may have to`)
  for (const violation of mailbox.violations) expect(false, violation)
  const isTeam = ({ to }: Delivered) => Object.values(TEAMS).includes(to)
  const messages = [...mailbox.byId.values()]
  const notifications = Map.groupBy(messages.filter(isTeam), ({ about }) => about?.n)
  const receipts = Map.groupBy(
    messages.filter(one => !isTeam(one)),
    ({ to }) => to.toLowerCase(),
  )
  for (const { id, planned, body } of stored) {
    const [told, ...more] = notifications.get(planned.n) ?? []
    expect(told !== undefined, `nobody was told of submission ${id}`)
    expect(more.length === 0, `submission ${id} was told under ${more.length + 1} Message-IDs`)
    const right = told?.to === TEAMS[planned.kind] && told.about?.body === body
    expect(right, `the notification of submission ${id} is not about it: ${JSON.stringify(told)}`)
    const tried = (attempts.notify.get(id) ?? 0) + Number(uncounted)
    expect((told?.times ?? 0) <= tried, `${id} was told ${told?.times} times in ${tried} tries`)
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
    expect(chosen === 1, `${chosen} submissions of ${address} called for a receipt`)
    expect((receipt?.times ?? 0) <= tried, `${address} has a receipt more often than tried`)
  }
  expect(notifications.size === stored.length, `${notifications.size} submissions were told`)
  expect(receipts.size === byAddress.size, `${receipts.size} addresses have receipts`)
}

/** Nothing is where nothing should be, and the file is whole. */
async function auditTables({ database }: Evidence, expect: Expect) {
  const [held] = await sql(database, 'select count(*) as n from quarantine')
  expect(Number(held?.['n']) === 0, `${held?.['n']} submissions are in quarantine`)
  if (database.engine === 'postgres') return
  const [integrity] = await sql(database, 'pragma integrity_check')
  expect(integrity?.['integrity_check'] === 'ok', 'the database file is damaged')
}
