/** Checks that every student was assigned according to the rules, and that the turns are fair. */
import type { Expect, Facts } from './facts.ts'
import { localTime } from './hours.ts'
import { COUNSELORS } from './school.ts'
import type { World } from './world.ts'

type Counselor = (typeof COUNSELORS)[number]

/** The share of all turns by which a counselor may deviate from their weight, and the number that is always allowed. */
const SHARE = 0.01
const LEAST = 3

/** How many turns one of the counselors may have had by chance with leads that are erased, and so unknown. */
const unknownTurns = ({ ledger }: World): number => 2 * Math.sqrt(ledger.erasedLeads.size)

const statesOfPairs = ({ pairs }: World) =>
  pairs.all.flatMap(({ sides, state }) => sides.map(({ lead }) => [lead, state] as const))

export function auditAssignment(world: World, { assigned, leads }: Facts, expect: Expect): void {
  const actual = new Map<string, number>()
  const fair = new Map<string, number>()
  let turns = 0
  const states = new Map([...leads.map(({ id, person }) => [id, person.state] as const), ...statesOfPairs(world)])
  for (const one of assigned) {
    const present = presentAt(world, one.at)
    const state = states.get(one.lead)
    const territory = present.filter(({ states }) => state !== undefined && states?.includes(state))
    const inTurn = present.filter(({ weight }) => weight > 0)
    const { counselor, reason } = one
    const right =
      reason === `territory ${state}`
        ? territory.some(({ id }) => id === counselor)
        : reason === 'next in turn'
          ? territory.length === 0 && inTurn.some(({ id }) => id === counselor)
          : reason === 'looked after them before'
            ? present.some(({ id }) => id === counselor)
            : counselor === 'the team' && territory.length + inTurn.length === 0
    const there = present.map(({ id }) => id).join(', ')
    expect(right, `lead ${one.lead} went to ${counselor}, ${reason}, while ${there} were present`)
    if (reason !== 'next in turn') continue
    turns++
    actual.set(counselor, (actual.get(counselor) ?? 0) + 1)
    const weights = inTurn.reduce((sum, { weight }) => sum + weight, 0)
    for (const { id, weight } of inTurn) fair.set(id, (fair.get(id) ?? 0) + weight / weights)
  }
  for (const { id } of COUNSELORS) {
    const had = actual.get(id) ?? 0
    const owed = fair.get(id) ?? 0
    const near = Math.abs(had - owed) <= Math.max(SHARE * turns, LEAST) + unknownTurns(world)
    expect(near, `${id} had ${had} of ${turns} turns instead of ${owed.toFixed(1)}`)
  }
  const students = leads.filter(({ kind }) => kind === 'student').length
  const known = new Set(leads.map(({ id }) => id))
  const ofStudents = assigned.filter(({ lead }) => known.has(lead)).length
  expect(ofStudents === students, `${ofStudents} of ${students} students were assigned`)
}

/** The counselors who were present at this time on the clocks, which may have shown it twice. */
export function presentAt(known: Pick<World, 'time' | 'ledger'>, at: number): Counselor[] {
  const { date } = localTime('America/New_York', at)
  const isAway = ({ id, absent = [] }: Counselor) =>
    absent.some(({ from, to }) => from <= date && date <= to) || isAbsent(known, id, at)
  return COUNSELORS.filter(counselor => !isAway(counselor))
}

/** Whether an absence of this person was recorded for this time on the clocks. */
export function isAbsent({ time, ledger }: Pick<World, 'time' | 'ledger'>, id: string, at: number): boolean {
  const { date } = localTime('America/New_York', at)
  const ticks = time.ticksAt(at)
  return ledger.absences.some(
    ({ counselor, firstDay, lastDay, from, to }) =>
      counselor === id && firstDay <= date && date <= lastDay && ticks.some(tick => from <= tick && tick < to),
  )
}
