/**
 * Checks that everyone learned of their leads in the way that they chose: each lead that no email told of was in the
 * next daily digest, or shown by a browser that was woken.
 */
import { sql } from '../../test/support/engines.ts'
import type { Expect, Facts, TaskFact } from './facts.ts'
import { dayNumber, localTime, nextMorning } from './hours.ts'
import { latestStep } from './latest-step.ts'
import { BY_BROWSER, DAILY, HOLIDAYS, mailboxOf } from './school.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

const IN_DIGEST = 'it is in their daily digest'
const IN_BROWSER = 'their browser shows it'

/** Whether no email was sent because its recipient learns of it in another way. */
export const isNotice = ({ state, note }: Pick<TaskFact, 'state' | 'note'>): boolean =>
  state === 'skipped' && (note === IN_DIGEST || note === IN_BROWSER)

export async function auditNotices(world: World, facts: Facts, expect: Expect): Promise<void> {
  const { notices, time, today, storage } = world
  const rows = await sql(storage.database, `select operator_id, task_id, daily from notices`)
  const byTask = Map.groupBy(rows, row => Number(row['task_id']))
  const isOf = (who: string) => (row: Record<string, unknown>) =>
    Number(row['operator_id']) === today.operators.get(who)
  expect(
    rows.every(row => Number(row['daily']) === 0),
    'something still waits for a daily digest',
  )
  for (const task of facts.tasks.filter(isNotice)) {
    const what = `the ${task.kind} of ${task.subject}`
    // Notices are deleted after a month.
    const known = byTask.get(task.id)
    const chosen = known === undefined || known.some(isOf(task.note === IN_DIGEST ? DAILY : BY_BROWSER))
    expect(chosen, `${what} was not sent, but its recipient did not choose that ${task.note}`)
    if (task.note === IN_DIGEST) auditDigest(world, facts, task, expect)
    else {
      const ticks = time.ticksOfEnd(task.finishedAt)
      const woken = notices.wakes.some(one => one.woken && ticks.includes(one.tick))
      expect(woken, `${what} was not sent, and no browser was woken`)
    }
  }
  auditEmails(world, facts, expect)
}

type Known = Pick<World, 'notices' | 'time' | 'ledger' | 'post' | 'today'>

/** A new lead is in the digest of the next school morning. */
export function auditDigest(
  world: Known,
  { submissions, leads }: Pick<Facts, 'submissions' | 'leads'>,
  task: Pick<TaskFact, 'kind' | 'subject' | 'finishedAt'>,
  expect: Expect,
): void {
  const { notices, time, ledger, post, today } = world
  const lead = task.kind === 'notify' ? submissions.find(({ id }) => id === task.subject)?.lead : undefined
  if (lead === undefined || ledger.erasedLeads.has(lead) || !leads.some(({ id }) => id === lead)) return
  const to = mailboxOf(DAILY, 'student')
  // If the clocks were set back, they have shown that time more than once.
  const ticks = time.ticksOfEnd(task.finishedAt)
  const from = Math.min(...ticks)
  const keyOn = (morning: number) => `daily.${dayNumber(morning)}.${today.operators.get(DAILY)}`
  let due = nextMorning(task.finishedAt, HOLIDAYS)
  // If the mail server rejects a digest, the next one names the lead.
  while (post.rejected.has(keyOn(due))) due = nextMorning(due, HOLIDAYS)
  const latest = latestStep(world, { from: Math.max(...ticks), due, key: keyOn(due) })
  // Two replicas may add it and send the digest in the same step.
  const found = notices.digests.some(
    one =>
      one.to === to && one.leads.includes(lead) && one.tick >= from && (latest === undefined || one.tick <= latest + 1),
  )
  if (latest !== undefined || found) expect(found, `lead ${lead} was not in the daily digest that was to name it`)
}

/** No email tells of a new lead to someone who chose another way, unless their browser could not be woken. */
function auditEmails({ post, notices }: World, { leads }: Facts, expect: Expect) {
  const known = new Set(leads.map(({ id }) => id))
  for (const { id, kind, subject, step, to, deliveries } of post.byId.values()) {
    if (kind !== 'notify' || step !== 0 || !known.has(subject)) continue
    expect(to !== mailboxOf(DAILY, 'student'), `message ${id} came at once to someone who chose one email a day`)
    if (to !== mailboxOf(BY_BROWSER, 'student')) continue
    for (const { at, tick } of deliveries) {
      const quiet = [at, at + SKEW].some(shown => isQuiet(localTime('America/New_York', shown).hour))
      const failed = notices.wakes.some(one => !one.woken && one.tick === tick)
      expect(quiet || failed, `message ${id} came to someone whose browser was to be woken`)
    }
  }
}

const isQuiet = (hour: number): boolean => hour >= 20 || hour < 8
