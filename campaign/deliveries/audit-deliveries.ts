/**
 * What must be true after a sequence: nothing lost, nothing doubled needlessly, order for each lead, no erased person.
 */
import { SECOND } from '../../src/platform/time.ts'
import { sql } from '../../test/support/engines.ts'
import type { Heard, Program } from './programs.ts'
import type { Sequence } from './sequence.ts'

/** The clocks of the services differ by less, in milliseconds. */
const SKEW = 5 * SECOND

/** After these, a service cannot know whether what is under way has arrived. */
const DISTURBS = ['wait', 'set the clock back', 'died', 'switch off', 'switch on', 'resend one', 'resend since']
const SENDS_AGAIN = ['switch on', 'resend one', 'resend since']

type Row = {
  id: number
  event: string
  lead: number | null
  type: string
  state: string
  note: string | null
  /** Whether an attempt had no response, perhaps only because the machine was busy. */
  unheard: boolean
}

export async function audit(sequence: Sequence): Promise<void> {
  for (const program of sequence.place.programs) {
    const rows = await rowsOf(sequence, program)
    auditEnds(sequence, program, rows)
    auditCounts(sequence, program, { rows, ...(await leadsOf(sequence, rows)) })
    auditOnce(sequence, program, rows)
    auditOrder(sequence, program, rows)
    auditErased(sequence, program)
    auditQuiet(sequence, program)
  }
  for (const service of sequence.place.services)
    for (const fault of service.faults.splice(0)) sequence.violations.push(`a service said: ${fault}`)
}

async function rowsOf({ place }: Sequence, { id }: Program): Promise<Row[]> {
  const rows = await sql(
    place.database,
    `select deliveries.id, event_id, lead_id, type, state, note, settled_at,
       exists (select 1 from delivery_attempts where delivery_id = deliveries.id and status is null) as unheard
     from deliveries
     left join tasks on kind = 'deliver' and subject = deliveries.id where destination_id = ${id} order by deliveries.id`,
  )
  return rows.map(row => ({
    id: Number(row['id']),
    event: String(row['event_id']),
    lead: row['lead_id'] === null ? null : Number(row['lead_id']),
    type: String(row['type']),
    state: row['settled_at'] === null ? 'due' : String(row['state']),
    note: row['note'] === null ? null : String(row['note']),
    unheard: Boolean(row['unheard']),
  }))
}

/** Which of these leads still exist, and how many entries of each kind the timelines of leads have. */
async function leadsOf({ place }: Sequence, rows: readonly Row[]) {
  const ids = [...new Set(rows.map(({ lead }) => lead ?? 0)), 0].join()
  const leads = await sql(place.database, `select id from leads where id in (${ids})`)
  const found = await sql(
    place.database,
    `select lead_id, kind, count(*) as n from timeline where lead_id in (${ids}) group by lead_id, kind`,
  )
  return {
    leads: new Set(leads.map(({ id }) => Number(id))),
    entries: new Map(found.map(row => [`${row['kind']} ${row['lead_id']}`, Number(row['n'])])),
  }
}

/** Each event has ended: the program has heard of it or did not want it, or someone has left it out. */
function auditEnds(sequence: Sequence, program: Program, rows: readonly Row[]) {
  const accepted = new Set(program.heard.filter(one => one.accepted).map(({ id }) => id))
  const aborted = new Set(program.heard.filter(one => one.aborted).map(({ id }) => id))
  for (const { id, event, type, state, note } of rows) {
    const fine =
      state === 'done' || note === 'it was delivered or is gone'
        ? accepted.has(event)
        : state === 'dead'
          ? aborted.has(event)
          : state === 'skipped' && note === 'the destination was off' && sequence.leftOut.has(id)
    if (!fine) sequence.violations.push(`${program.id}: ${type} (delivery ${id}) ended as ${state}: ${note}`)
  }
}

/** Each change of a lead was recorded for the program, once. */
function auditCounts(
  { violations }: Sequence,
  { id }: Program,
  { rows, leads, entries }: { rows: readonly Row[]; leads: ReadonlySet<number>; entries: ReadonlyMap<string, number> },
) {
  for (const [lead, its] of Map.groupBy(rows, row => row.lead)) {
    if (lead === null) continue
    const count = (type: string) => its.filter(row => row.type === type).length
    const expected: [string, number][] = leads.has(lead)
      ? [
          ['lead.created', 1],
          ['submission.received', entries.get(`submission ${lead}`) ?? 0],
          ['lead.stage_changed', entries.get(`stage ${lead}`) ?? 0],
          ['lead.erased', 0],
        ]
      : [
          ['lead.erased', 1],
          ['lead.created', 0],
          ['submission.received', 0],
        ]
    for (const [type, wanted] of expected)
      if (count(type) !== wanted) violations.push(`${id}: ${count(type)} times ${type} of lead ${lead}, not ${wanted}`)
  }
}

/**
 * An event comes again, as the same event, only if the service could not know that it came, or someone wanted it again.
 */
function auditOnce({ violations, done }: Sequence, program: Program, rows: readonly Row[]) {
  // What became of events about erased leads is not known any more.
  const known = new Map(rows.map(row => [row.event, row]))
  const disturbed = new Set(done.filter(({ what }) => DISTURBS.includes(what)).map(({ round }) => round))
  const wanted = (from: number, to: number) =>
    done.some(one => SENDS_AGAIN.includes(one.what) && one.program === program && one.round >= from && one.round <= to)
  for (const [event, all] of Map.groupBy(program.heard, ({ id }) => id)) {
    if (new Set(all.map(({ type, lead, timestamp }) => `${type} ${lead} ${timestamp}`)).size > 1)
      violations.push(`${program.id}: ${event} stands for several events`)
    const accepted = all.filter(one => one.accepted)
    accepted.slice(1).forEach((again, index) => {
      const before = accepted[index] as Heard
      const right =
        before.unsure ||
        (known.get(event)?.unheard ?? true) ||
        disturbed.has(before.round) ||
        wanted(before.round, again.round)
      if (!right) violations.push(`${program.id}: ${again.type} ${event} came again in round ${again.round}`)
    })
  }
}

/** The events of a lead come in order, except for those that were left out and sent later. */
function auditOrder({ violations, leftOut }: Sequence, program: Program, rows: readonly Row[]) {
  const known = new Map(rows.map(row => [row.event, row]))
  const late = new Set(program.heard.filter(one => one.aborted).map(({ id }) => id))
  const first = new Map(
    program.heard
      .filter(one => one.accepted)
      .toReversed()
      .map(one => [one.id, one]),
  )
  const order = [...first.values()].toSorted((one, other) => program.heard.indexOf(one) - program.heard.indexOf(other))
  const latest = new Map<number, Row>()
  for (const { id } of order) {
    const row = known.get(id)
    if (row === undefined || row.lead === null) continue
    const before = latest.get(row.lead)
    if (before === undefined || before.id < row.id) latest.set(row.lead, row)
    else if (!leftOut.has(row.id) && !late.has(id))
      violations.push(`${program.id}: lead ${row.lead}: delivery ${row.id} (${row.type}) came after ${before.id}`)
  }
}

/** Nothing about an erased lead comes after the round in which that was done, or after the program has heard of it. */
function auditErased({ violations, erased, done }: Sequence, program: Program) {
  const jumps = new Set(done.filter(({ what }) => DISTURBS.includes(what)).map(({ round }) => round))
  for (const [lead, round] of erased) {
    const its = program.heard.filter(one => one.lead === lead)
    for (const one of its)
      if (one.round > round && one.type !== 'lead.erased')
        violations.push(`${program.id}: ${one.type} of lead ${lead} came in round ${one.round}, erased in ${round}`)
    const told = its.findIndex(({ type, accepted }) => type === 'lead.erased' && accepted)
    const after = told === -1 ? undefined : its.slice(told).find(({ type }) => type !== 'lead.erased')
    if (after !== undefined && !jumps.has(round))
      violations.push(`${program.id}: ${after.type} of lead ${lead} came after lead.erased`)
  }
}

/** A program that is off gets nothing, and one that asked to wait gets nothing until then. */
function auditQuiet({ violations, off, done }: Sequence, program: Program) {
  const rounds = (...whats: string[]) =>
    done
      .filter(one => whats.includes(one.what) && (one.program === program || one.what === 'set the clock back'))
      .map(({ round }) => round)
  const on = rounds('switch on')
  const set = rounds('switch on', 'set the clock back')
  // A service that died may not have learned what it was asked.
  const died = new Set(done.filter(({ what }) => what === 'died').map(({ round }) => round))
  let asked: { round: number; until: number } | undefined
  for (const one of program.heard) {
    const before = [...off.keys()].findLast(round => round < one.round) ?? 0
    if (off.get(before)?.has(program) && !on.some(round => round > before && round <= one.round))
      violations.push(`${program.id}: ${one.type} came in round ${one.round}, in which it is off`)
    const waits = asked !== undefined && one.round > asked.round && one.at < asked.until - SKEW
    if (waits && !set.some(round => round >= (asked?.round ?? 0) && round <= one.round))
      violations.push(`${program.id}: ${one.type} came in round ${one.round}, before the time that it asked for`)
    if (one.asked > 0 && !died.has(one.round)) asked = { round: one.round, until: one.at + one.asked }
  }
}
