/** Compares the database and the messages that were sent with what the world has recorded. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from '../../test/support/engines.ts'
import { auditAlarms } from './audit-alarms.ts'
import { auditAssignment } from './audit-assignment.ts'
import { auditCallbacks } from './audit-callbacks.ts'
import { auditLetters } from './audit-letters.ts'
import { auditLists } from './audit-lists.ts'
import { auditManager } from './audit-manager.ts'
import { auditMessages } from './audit-messages.ts'
import { auditNotices } from './audit-notices.ts'
import { auditPairs } from './audit-pairs.ts'
import { auditPromised } from './audit-promised.ts'
import { auditReceivers } from './audit-receivers.ts'
import { auditReminders } from './audit-reminders.ts'
import { auditRetention } from './audit-retention.ts'
import { auditScheduled } from './audit-scheduled.ts'
import { auditStages } from './audit-stages.ts'
import { auditSteps } from './audit-steps.ts'
import { type Expect, type Facts, type LeadFact, readFacts } from './facts.ts'
import { reachOf } from './people.ts'
import { keyOf } from './post-office.ts'
import { COUNSELORS, LAST_NAME, PEOPLE_DOMAIN } from './school.ts'
import type { World } from './world.ts'

/** Returns every violation as a sentence. The list is empty if everything is right. */
export async function audit(world: World): Promise<string[]> {
  const violations = [...world.ledger.violations, ...world.desks.flatMap(desk => desk.violations)]
  const expect: Expect = (holds, otherwise) => {
    if (!holds) violations.push(otherwise)
  }
  await learnAnswers(world)
  const facts = await readFacts(world)
  learnDeferred(world, facts)
  auditSubmissions(world, facts, expect)
  auditStages(world, facts, expect)
  auditSteps(world, facts, expect)
  auditReminders(world, facts, expect)
  auditLetters(world, facts.leads, expect)
  auditMessages(world, facts, expect)
  auditAssignment(world, facts, expect)
  auditCallbacks(world, withPairs(world, facts), expect)
  auditPromised(world, facts, expect)
  auditManager(world, expect)
  auditScheduled(world, facts, expect)
  await auditLists(world, facts, expect)
  await auditPairs(world, facts, expect)
  auditRetention(world, expect)
  await auditReceivers(world, facts, expect)
  await auditNotices(world, facts, expect)
  await auditAlarms(world, expect)
  await auditTables(world, expect)
  auditLogs(world, expect)
  return violations
}

/** Tells the mail server for which messages the recipients were that it deferred. The logs quote its replies. */
function learnDeferred({ folder, post }: World, { tasks }: Facts) {
  const keys = new Map(tasks.map(task => [task.id, keyOf(task)]))
  for (const file of globSync(join(folder, 'logs', '*.log')))
    for (const [, task, number] of readFileSync(file, 'utf8').matchAll(DEFERRED_RECIPIENT)) {
      const key = keys.get(Number(task))
      if (key !== undefined) post.learnDeferred(Number(number), key)
    }
}

const DEFERRED_RECIPIENT = /"task":(\d+),.*\(recipient (\d+)\)/g

/** Learns which emails were not sent, and at which step each one for a far day had become an answer for sure. */
async function learnAnswers({ scheduled, post }: World) {
  await scheduled.learn()
  const messages = [...post.byId.values()].filter(({ kind }) => kind === 'message')
  for (const { entry, sent } of scheduled.all) {
    const last = messages.find(({ subject }) => subject === entry)?.deliveries.at(-1)
    if (sent !== undefined && last !== undefined) sent.from = last.tick + 1
  }
}

/** Callbacks are judged for people with two leads, too. */
function withPairs({ pairs }: World, { leads, owners, ...facts }: Facts): Facts {
  const more = pairs.all.flatMap(({ sides, state }) =>
    sides
      .filter(({ erased }) => !erased)
      .map(({ lead }) => ({ id: lead, kind: 'student', person: { state } }) as LeadFact),
  )
  // Nothing says any more who had a lead that was erased, and what was promised while it was one with the other.
  const anyone = [...COUNSELORS.map(({ id }) => id), null]
  const had = (pair: (typeof pairs.all)[number]) =>
    new Set(pair.sides.flatMap(({ lead, erased }) => (erased ? anyone : [...(owners.get(lead) ?? [])])))
  const ofPairs = pairs.all.flatMap(pair => pair.sides.map(({ lead }) => [lead, had(pair)] as const))
  return { ...facts, leads: [...leads, ...more], owners: new Map([...owners, ...ofPairs]) }
}

/** Every accepted submission must be in a lead, unless it is quarantined or was erased. */
function auditSubmissions({ arrivals, ledger }: World, facts: Facts, expect: Expect) {
  const stored = new Map(facts.submissions.map(one => [`${one.person.n}x${one.copy}`, one]))
  expect(stored.size === facts.submissions.length, 'a submission is stored twice')
  for (const { person, copy, looks } of arrivals) {
    const mark = `${person.n}x${copy}`
    const found = stored.get(mark)
    const asked = ledger.addresses.get(person.email)?.find(({ what }) => what === 'erased')
    const erased = asked ?? ledger.retained.get(reachOf(person))
    const before = erased !== undefined && (ledger.accepted.get(mark)?.tick ?? 0) < erased.tick
    if (before) {
      expect(found === undefined, `submission ${mark} still exists after its erasure`)
      continue
    }
    const released = found !== undefined && ledger.released.has(found.id)
    if (looks !== 'fine' && !released) {
      expect(found?.lead === undefined, `submission ${mark} was not quarantined`)
      continue
    }
    expect(found?.lead !== undefined, `submission ${mark} is not in a lead`)
  }
  const leads = new Set(facts.leads.map(({ id }) => id))
  for (const { id, lead } of facts.submissions)
    expect(lead === undefined || leads.has(lead), `the lead ${lead} of submission ${id} does not exist`)
  for (const [id] of ledger.erasedLeads) expect(!leads.has(id), `lead ${id} still exists after its erasure`)
}

/**
 * There is always one more list of unattended leads, one more report, and the list of those who are erased next month.
 */
export const ALWAYS_DUE = `'unattended', 'report', 'retention'`

/** No task may be open, except what is always due, and the database file must be intact. */
async function auditTables({ storage: { database } }: World, expect: Expect) {
  const [open] = await sql(
    database,
    `select count(*) as n from tasks
     where (state = 'due' and kind not in (${ALWAYS_DUE})) or lease_until is not null`,
  )
  expect(Number(open?.['n']) === 0, `${open?.['n']} tasks are open or leased`)
  const [twice] = await sql(
    database,
    `select count(*) as n from
       (select kind, subject, step from tasks group by kind, subject, step having count(*) > 1) t`,
  )
  expect(Number(twice?.['n']) === 0, `${twice?.['n']} tasks exist twice`)
  if (database.engine === 'postgres') return
  const [integrity] = await sql(database, 'pragma integrity_check')
  expect(integrity?.['integrity_check'] === 'ok', 'the database file is damaged')
  const broken = await sql(database, 'pragma foreign_key_check')
  expect(broken.length === 0, `${broken.length} rows refer to rows that do not exist`)
}

const ERROR = 50

/**
 * What is an error to the service, and is meant to happen: what it gave up, that emails are late or none goes out, and that
 * destinations hear late.
 * Each alarm about that is judged.
 */
const EXPECTED_ERRORS = [
  'a message was not sent',
  'a destination was switched off',
  'No email is going out.',
  'Emails are late.',
  'Destinations get leads late.',
]

/** The logs must not name a person, and may contain only errors about what was given up, and that no email went out. */
function auditLogs({ folder }: World, expect: Expect) {
  const person = new RegExp(`@${PEOPLE_DOMAIN}|${LAST_NAME}`, 'i')
  const errors = new Map<string, number>()
  for (const file of globSync(join(folder, 'logs', '*'))) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      expect(!person.test(line), `a log names a person: ${line.slice(0, 300)}`)
      const [, level] = /"level":(\d+)/.exec(line) ?? []
      const isLost = line.includes('another worker has concluded a step')
      if (file.endsWith('.err') ? line === '' : Number(level ?? 0) < ERROR && !isLost) continue
      if (EXPECTED_ERRORS.some(known => line.includes(known))) continue
      const { msg, err } = file.endsWith('.err') ? { msg: line, err: undefined } : parseLine(line)
      const what = `${msg}: ${err?.message ?? ''}`
      errors.set(what, (errors.get(what) ?? 0) + 1)
    }
  }
  for (const [what, count] of errors) expect(false, `logged ${count} times: ${what}`)
}

function parseLine(line: string): { msg: string; err?: { message?: string } } {
  try {
    return JSON.parse(line)
  } catch {
    return { msg: line }
  }
}
