/**
 * Checks what the programs of the school have heard: each event once, those of a lead in their order, in time, and from
 * the one that failed nothing is missing after it was switched on again.
 */
import { DAY, HOUR } from '../../src/platform/time.ts'
import { sql } from '../../test/support/engines.ts'
import type { Expect, Facts, LeadFact } from './facts.ts'
import { isTakenBack } from './lists.ts'
import { triedKeys } from './post-office.ts'
import type { Receiver } from './receivers.ts'
import { CHAT } from './school.ts'
import type { World } from './world.ts'
import { SKEW } from './world-time.ts'

/** An event is given up, and its destination switched off, this long after its first attempt, in milliseconds. */
const GIVEN_UP_AFTER = 5 * DAY

/**
 * The last attempts are a day apart, a fifth more at most, and wait for a pause of an hour and the next step of time.
 */
const LAST_WAIT = 1.5 * DAY

/** The one that receives well hears of an inquiry within this time, whatever was killed or had to be tried again. */
const HEARD_WITHIN = DAY

/** The steps for students that tell people other than the counselor. */
const TELL_OTHERS = [1, 2, CHAT]

export async function auditReceivers(world: World, facts: Facts, expect: Expect): Promise<void> {
  const changes = await readChanges(world)
  for (const receiver of world.receivers.all) {
    auditOnce(world, receiver, expect)
    auditEvents(world, receiver, { facts, changes }, expect)
    auditErasures(world, receiver, expect)
  }
  auditFailing(world, await readLateAlarms(world), expect)
}

/** An alarm about events that wait for a program: the steps in which that may have begun, and in which it was raised. */
type LateAlarm = { since: number[]; raised: number[] }

async function readLateAlarms({ time, storage }: World): Promise<LateAlarm[]> {
  const rows = await sql(storage.database, `select since, raised_at from alarms where cause = 'late deliveries'`)
  return rows.map(row => ({
    since: time.ticksAt(Number(row['since'])),
    raised: time.ticksAt(Number(row['raised_at'])),
  }))
}

/** How many changes of each sort the timeline of a lead has, by the event that tells of them. */
async function readChanges({ storage }: World): Promise<Map<string, number>> {
  const rows = await sql(storage.database, `select lead_id, kind, detail from timeline where merged_from is null`)
  const changes = new Map<string, number>()
  for (const row of rows) {
    const [kind, detail] = [String(row['kind']), String(row['detail'])]
    const what = kind === 'undone' ? detail.slice(0, detail.indexOf(':')) : kind
    const type = what === 'stage' ? 'lead.stage_changed' : what === 'assigned' ? 'lead.assigned' : undefined
    const key = `${type} ${row['lead_id']}`
    if (type !== undefined) changes.set(key, (changes.get(key) ?? 0) + 1)
  }
  return changes
}

/** An event comes again, under its id, only where the service cannot know that it came before. */
function auditOnce({ post }: World, { name, heard }: Receiver, expect: Expect) {
  for (const [id, all] of Map.groupBy(heard, one => one.id)) {
    const needless = all.slice(0, -1).filter(one => !one.unsure && !post.killedIn.has(one.tick))
    expect(needless.length === 0, `${name} heard event ${id} ${all.length} times, ${needless.length} needlessly`)
  }
}

function auditEvents(
  { time, ledger }: World,
  { name, events, heard, failing }: Receiver,
  { facts, changes }: { facts: Facts; changes: ReadonlyMap<string, number> },
  expect: Expect,
) {
  const first = [...new Map([...heard].reverse().map(one => [one.id, one])).values()]
  const ofLeads = Map.groupBy(first, ({ lead }) => lead)
  for (const lead of facts.leads) {
    const { id } = lead
    const all = (ofLeads.get(id) ?? []).sort((one, other) => one.tick - other.tick)
    const count = (type: string) => all.filter(one => one.type === type).length
    expect(count('lead.created') === 1, `${name} heard ${count('lead.created')} times that lead ${id} is new`)
    for (const type of ['lead.stage_changed', 'lead.assigned'] as const) {
      if (!events.includes(type)) continue
      const wanted = changes.get(`${type} ${id}`) ?? 0
      expect(count(type) === wanted, `${name} heard ${count(type)} times ${type} of lead ${id}, not ${wanted} times`)
    }
    if (events.includes('lead.late')) auditLate(name, lead, count('lead.late'), facts.waits, expect)
    const sent = heard.filter(one => one.lead === id)
    expect(sent[0]?.type === 'lead.created', `${name} heard ${sent[0]?.type} of lead ${id} first`)
  }
  const known = new Map(facts.leads.map(lead => [lead.id, lead]))
  for (const { id, lead, accepted } of facts.submissions) {
    if (lead === undefined || !known.has(lead) || !events.includes('submission.received')) continue
    const told = first.filter(one => one.type === 'submission.received' && one.submission === id)
    expect(told.length === 1 && told[0]?.lead === lead, `${name} heard ${told.length} times of submission ${id}`)
    const since = ledger.released.get(id) ?? accepted
    if (failing !== undefined || since === undefined || told[0] === undefined) continue
    const late = time.elapsedIn(told[0].tick) - since.elapsed
    expect(late <= HEARD_WITHIN, `${name} heard of submission ${id} ${late / HOUR} hours late`)
  }
}

/**
 * That someone waits comes once with each step that tells the backup, the manager or the chat, and again each time that
 * they begin again, because the person has written again.
 */
function auditLate(name: string, { id, kind, steps }: LeadFact, heard: number, waits: Facts['waits'], expect: Expect) {
  const late = kind === 'site' ? [] : steps.filter(({ step }) => TELL_OTHERS.includes(step))
  const least = late.filter(({ state }) => state === 'done').length
  const most = kind === 'site' ? 0 : TELL_OTHERS.length * (waits.get(id) ?? 1)
  const right = least <= heard && heard <= most
  expect(right, `${name} heard ${heard} times that lead ${id} waits, not ${least} to ${most} times`)
}

/** That a lead was erased comes once, and nothing about it after that. */
function auditErasures({ ledger, lists }: World, { name, heard }: Receiver, expect: Expect) {
  const undone = lists.all.flatMap(({ people }) => people.filter(isTakenBack).flatMap(({ lead }) => lead ?? []))
  for (const id of new Set([...ledger.erasedLeads.keys(), ...undone])) {
    const all = heard.filter(({ lead }) => lead === id)
    const last = all.findIndex(({ type }) => type === 'lead.erased')
    expect(last !== -1, `${name} never heard that lead ${id} was erased`)
    const after = last === -1 ? undefined : all.slice(last).find(({ type }) => type !== 'lead.erased')
    expect(after === undefined, `${name} heard ${after?.type} of lead ${id} after it was erased`)
  }
}

/**
 * The one that fails is asked until its first event is given up, and no more. The admins learn that it fails, that it is
 * switched off, and that it is on again; and that something waits only if a program has failed.
 */
export function auditFailing(
  { receivers, post }: Pick<World, 'receivers' | 'post'>,
  alarms: readonly LateAlarm[],
  expect: Expect,
): void {
  const failures = new Set(receivers.all.flatMap(one => one.failures))
  for (const { since } of alarms)
    expect(
      since.some(tick => failures.has(tick)),
      `an alarm said that events wait since step ${since[0]}, but no program had failed`,
    )
  for (const { name, failing, off } of receivers.all) {
    if (failing?.first === undefined || failing.last === undefined) continue
    expect(off?.reason === 'given up', `${name} failed for days, and was not switched off: ${off?.reason}`)
    if (off === undefined) continue
    const { first, last } = failing
    const known = alarms.some(({ raised }) => raised.some(tick => first.tick <= tick && tick <= last.tick))
    expect(known, `no alarm said that ${name} fails`)
    const after = off.at - failing.first.at
    const right = off.at - failing.since >= GIVEN_UP_AFTER - SKEW && after <= GIVEN_UP_AFTER + LAST_WAIT
    expect(right, `${name} was switched off ${after / DAY} days after it began to fail`)
    expect(failing.last.at <= off.at + SKEW, `${name} was sent something after it was switched off`)
    // The mail server may reject one of these emails.
    const told = (kind: string) => triedKeys(post).some(key => key.startsWith(`${kind}.`))
    expect(told('alarm') && told('alarm-over'), `no one was told that ${name} was switched off, and is on again`)
  }
}
