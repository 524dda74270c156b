/**
 * Checks what became of people with two leads: merged, separated, reached and erased, none loses anything or gets
 * anything twice.
 */
import { DAY, HOUR } from '../../src/platform/time.ts'
import { sql } from '../../test/support/engines.ts'
import type { Expect, Facts } from './facts.ts'
import type { Pair, Side, Written } from './pairs.ts'
import { keyOf, type Message } from './post-office.ts'
import { CLOSING, isStaff, REMINDERS } from './school.ts'
import type { World } from './world.ts'
import { type Moment, SKEW } from './world-time.ts'

type Row = {
  stage: unknown
  reason: unknown
  mergedInto: number | undefined
  waits: boolean
  /** What the lead has of what was sent under each address. */
  submissions: Map<string, number>
}

/**
 * A reminder must come within this time after two who wait were merged, or someone wrote again, in milliseconds: a long
 * outage may be in it.
 */
const REMINDED_WITHIN = 4 * DAY

export async function auditPairs(world: World, facts: Facts, expect: Expect): Promise<void> {
  const { pairs, post } = world
  const leads = await readLeads(world)
  for (const pair of pairs.all) {
    for (const side of pair.sides) auditSide(pair, side, leads.get(side.lead), expect)
    auditMerged(world, pair, expect)
    auditAgain(world, pair, expect)
    for (const one of pair.written) auditWritten(world, pair, one, { facts, expect })
    for (const { email, erased } of pair.sides)
      for (const { id, listed, deliveries } of erased === undefined ? [] : post.byId.values()) {
        const after = listed === email && (deliveries[0]?.tick ?? 0) >= (erased?.from ?? 0)
        expect(!after, `message ${id} came after the erasure of pair ${pair.n}`)
      }
  }
}

async function readLeads({ storage }: World): Promise<Map<number, Row>> {
  const rows = await sql(
    storage.database,
    `select id, stage, closed_reason, merged_into, unanswered_since from leads where email like 'm%'`,
  )
  const entries = await sql(
    storage.database,
    `select t.lead_id, lower(s.email) as email, count(*) as n from timeline t join submissions s on s.id = t.submission_id
     where t.kind = 'submission' and lower(s.email) like 'm%' group by t.lead_id, lower(s.email)`,
  )
  const submissions = Map.groupBy(entries, row => Number(row['lead_id']))
  return new Map(
    rows.map(row => {
      const id = Number(row['id'])
      const mergedInto = row['merged_into'] === null ? undefined : Number(row['merged_into'])
      const own = new Map((submissions.get(id) ?? []).map(entry => [String(entry['email']), Number(entry['n'])]))
      const waits = row['unanswered_since'] !== null
      return [id, { stage: row['stage'], reason: row['closed_reason'], mergedInto, waits, submissions: own }]
    }),
  )
}

/** What someone sent under an address is with the lead that has it, or with the one that is kept. */
function auditSide({ n, merged, reached, sides }: Pair, side: Side, row: Row | undefined, expect: Expect) {
  const what = `lead ${side.lead} of pair ${n}`
  if (side.erased) return expect(row === undefined, `${what} still exists after its erasure`)
  if (row === undefined) return expect(false, `${what} does not exist`)
  const { kept, other, until } = merged ?? {}
  const isOne = merged !== undefined && until === undefined
  const addresses = isOne ? (side === kept ? sides : []) : [side]
  const wanted = addresses.map(({ email, wrote }) => `${1 + wrote.length} from ${email}`).sort()
  const own = [...row.submissions].map(([email, count]) => `${count} from ${email}`).sort()
  expect(own.join() === wanted.join(), `${what} has ${own.join()}, not ${wanted.join()}`)
  expect(!row.waits, `the person of ${what} still waits for an answer`)
  const into = isOne && side === other ? kept?.lead : undefined
  expect(row.mergedInto === into, `${what} is merged into ${row.mergedInto}, not ${into}`)
  const now = `${row.stage} ${row.reason ?? ''}`
  if (into !== undefined) return expect(now === 'closed duplicate', `${what}, which is merged, is ${now}`)
  const possible = reached.some(({ lead }) => lead === side.lead)
    ? ['contacted ']
    : ['closed no reply', 'closed never contacted']
  // What was done while they were one, or by a promised call, may have had several results; any of them is right.
  const others =
    merged !== undefined || reached.length > 0 ? ['contacted ', 'closed no reply', 'closed never contacted'] : possible
  expect([...possible, ...others, 'contacted '].includes(now), `${what} is ${now}`)
}

/**
 * Someone is reminded of a person who wrote again, by the lead that they have then, unless someone reaches or answers
 * them first.
 */
function auditAgain({ post, ledger, time }: World, { n, sides, reached }: Pair, expect: Expect) {
  const leads = sides.map(({ lead }) => lead)
  for (const { wrote, email } of sides) {
    for (const from of wrote) {
      const within = REMINDED_WITHIN + setBackSoon(time, from)
      const soon = time.tickWhere(from.tick, elapsed => elapsed >= from.elapsed + within)
      const acts = leads.flatMap(lead => ledger.leads.get(lead) ?? [])
      const answers = acts.filter(({ what }) => what === 'contacted' || what === 'answered')
      // What was done in the same step, whose clock stands still, may answer what came after it.
      const answered = [...reached, ...answers, ...sides.flatMap(erasureOf)].some(
        ({ tick }) => tick >= from.tick && tick <= (soon ?? 0),
      )
      if (soon === undefined || answered || hasRejectedReminder(post, leads)) continue
      const came = [...post.byId.values()].some(
        ({ kind, to, subject, deliveries }) =>
          kind === 'step' &&
          isStaff(to) &&
          leads.includes(subject) &&
          deliveries.some(({ tick }) => tick >= from.tick && tick <= soon),
      )
      expect(came, `no reminder came about pair ${n}, who wrote again under ${email} on day ${from.elapsed / DAY}`)
    }
  }
}

/** Whether the mail server permanently rejected a reminder of one of these leads, which may be the last one due. */
const hasRejectedReminder = ({ rejected }: World['post'], leads: readonly number[]): boolean =>
  leads.some(lead => REMINDERS.some(step => rejected.has(keyOf({ kind: 'step', subject: lead, step }))))

/** By how much the clocks were set back in that time: a reminder may wait for the same morning once more. */
function setBackSoon(time: World['time'], { tick, elapsed }: Moment): number {
  const soon = time.tickWhere(tick, passed => passed >= elapsed + REMINDED_WITHIN)
  return soon === undefined ? 0 : time.setBack(tick, soon)
}

const erasureOf = ({ erased }: Side): Moment[] => (erased === undefined ? [] : [erased])

function auditMerged({ post, ledger, time }: World, { n, merged, reached, sides }: Pair, expect: Expect) {
  if (merged === undefined) return
  const { kept, other, at, until } = merged
  const steps = [...post.byId.values()].filter(({ kind }) => kind === 'step')
  const between = ({ deliveries }: Message) => {
    const tick = deliveries[0]?.tick ?? 0
    return tick > at.from && tick < (until?.tick ?? Number.POSITIVE_INFINITY)
  }
  const needless = steps.find(message => message.subject === other.lead && between(message))
  expect(
    needless === undefined,
    `message ${needless?.id} came although lead ${other.lead} was merged into ${kept.lead}`,
  )
  // Both waited, with nothing in the way: someone is reminded of the lead that is kept.
  const acts = [kept, other].flatMap(({ lead }) => ledger.leads.get(lead) ?? [])
  const soon = time.tickWhere(at.tick, elapsed => elapsed >= at.elapsed + REMINDED_WITHIN)
  const quiet = acts.every(act => act.elapsed > at.elapsed + REMINDED_WITHIN || act.what === 'attempted')
  const promised = ledger.promises.all.some(({ lead }) => lead === kept.lead || lead === other.lead)
  const apart = until !== undefined && until.elapsed < at.elapsed + REMINDED_WITHIN
  const rejected = hasRejectedReminder(post, [kept.lead])
  const ended = reached.length > 0 || sides.some(({ erased }) => erased) || apart || promised || rejected || !quiet
  if (soon === undefined || ended) return
  // In the step of the merge, replicas work after it.
  const came = steps.some(
    message =>
      message.subject === kept.lead &&
      isStaff(message.to) &&
      (between(message) || message.deliveries[0]?.tick === at.from),
  )
  expect(came, `no reminder came about lead ${kept.lead} of pair ${n} after ${other.lead} was merged into it`)
}

/** An email that someone wrote comes once, to the lead that the person has then, and not before its time. */
function auditWritten(
  world: World,
  pair: Pair,
  { entry, dueAt, made, lead }: Written,
  { facts, expect }: { facts: Facts; expect: Expect },
) {
  const what = `the email of entry ${entry} to pair ${pair.n}`
  const task = facts.tasks.find(({ kind, subject }) => kind === 'message' && subject === entry)
  const messages = task?.messages ?? []
  for (const { to, deliveries } of messages) {
    expect(
      pair.sides.some(({ email }) => email === to),
      `${what} went to ${to}`,
    )
    const first = deliveries[0]
    // Once the clocks are set back, what was scheduled keeps its intervals.
    const early = first === undefined ? 0 : dueAt - SKEW - world.time.setBack(made.tick, first.tick) - first.at
    expect(early <= 0, `${what} came ${early / HOUR} hours early`)
  }
  const erased = pair.sides.some(one => one.erased)
  const closed = /^the lead is closed/.test(task?.note ?? '')
  const right = messages.length > 0 || erased || (task?.state === 'skipped' && closed && mayBeClosed(world, pair, lead))
  expect(right, `${what} never came: ${task?.state} ${task?.note}`)
}

/** Whether a lead may have been closed before the email was due: only the end of its follow-up does that. */
const mayBeClosed = ({ post }: World, { sides }: Pair, lead: number): boolean =>
  sides.some(one => one.lead === lead) &&
  ![...post.byId.values()].some(({ kind, step, subject }) => kind === 'step' && step === CLOSING && subject === lead)
