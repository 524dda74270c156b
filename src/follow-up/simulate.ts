/** The settings tried out: a made-up month of students, followed up in memory as the service would. */
import type { Settings } from '../config/settings.ts'
import { DAY } from '../time.ts'
import { assign, counselorsOf } from './assignment.ts'
import {
  dueAt,
  nextOnTrack,
  type PreviousStep,
  type Recipient,
  trackOf,
  tracks,
} from './cadence.ts'
import { type Calendar, createCalendar } from './calendar.ts'
import { holderOf, type StaffRole } from './recipients.ts'
import { type SpeedSummary, summarize } from './response-times.ts'
import {
  arrivalIn,
  type Random,
  REPLIES,
  randomFrom,
  type SimulatedStudent,
  UNSUBSCRIBES,
} from './simulated-people.ts'
import { closingReason, type StopFacts, stopOf } from './stop-conditions.ts'

export type SimulationOptions = {
  settings: Settings
  /** How many students write in, and within how many days. */
  leads: number
  days: number
  /** Yyyy-mm-dd in the school's time zone. */
  firstDay: string
  /** Who is away on a day (yyyy-mm-dd). */
  away: (day: string) => ReadonlySet<string>
  /** The same seed makes the same month. */
  seed: number
}

/** Messages a day, over the days of the month; `total` counts those that come after it, too. */
export type Spread = { min: number; median: number; max: number; total: number }
export type Speed = { business: SpeedSummary; wall: SpeedSummary }

export type Simulation = {
  messages: { all: Spread } & Record<Recipient, Spread>
  /** Of each counselor, and under null of the team: the students, and the share that the weight asks for. */
  load: { counselor: string | null; leads: number; share: number }[]
  attempt: Speed
  contact: Speed
  letters: { sent: number; skipped: Record<string, number> }
  /** What has become of the students: a reason for closing, `contacted`, or `new` for still open. */
  ends: Record<string, number>
}

type Student = SimulatedStudent & {
  owner: string | undefined
  repliedAt: number
  stage: 'new' | 'closed'
}
type Sent = { at: number; to: Recipient }
type World = SimulationOptions & { calendar: Calendar; random: Random; sent: Sent[] }

/** Throws a RangeError where the settings' clocks never open. */
export function simulate(options: SimulationOptions): Simulation {
  const { settings, leads } = options
  const calendar = createCalendar(settings)
  const random = randomFrom(options.seed)
  const world: World = { ...options, calendar, random, sent: [] }
  const arrivals = Array.from({ length: leads }, () => arrivalIn(options, calendar, random))
  const students = assigned(
    world,
    arrivals.sort((one, other) => one.arrival - other.arrival),
  )
  const letters: Simulation['letters'] = { sent: 0, skipped: {} }
  const ends: Simulation['ends'] = {}
  for (const student of students) {
    const end = followUp(world, student, letters)
    ends[end] = (ends[end] ?? 0) + 1
  }
  const tried = students.flatMap(({ arrival, tries: [at] }) => (at ? [{ arrival, at }] : []))
  const reached = students
    .filter(({ contactedAt }) => contactedAt < Infinity)
    .map(({ arrival, contactedAt }) => ({ arrival, at: contactedAt }))
  return {
    messages: spreads(world),
    load: loadOf(students, settings),
    attempt: speedOf(tried, world.calendar),
    contact: speedOf(reached, world.calendar),
    letters,
    ends,
  }
}

/** Gives the students, in the order in which they come, to their counselors. */
function assigned(world: World, arrivals: readonly SimulatedStudent[]): Student[] {
  const counselors = counselorsOf(world.settings)
  const turns = new Map<string, number>()
  return arrivals.map(student => {
    const away = world.away(world.calendar.today(student.arrival))
    const present = (id: string) => !away.has(id)
    const chosen = assign({ state: student.state, counselors, present, turns })
    for (const [key, credit] of chosen.turns) turns.set(key, credit)
    return { ...student, owner: chosen.counselor, repliedAt: Infinity, stage: 'new' as const }
  })
}

/** Follows one student up to the end of the cadence. Returns what has become of them. */
function followUp(world: World, student: Student, letters: Simulation['letters']): string {
  const { settings, calendar, random, sent } = world
  const cadence = settings.followUp.student
  const clocks = calendar.clocksFor(student.state)
  const start = student.arrival
  let end: string | undefined
  tell('counselor', world, student, start)
  sent.push({ at: start, to: 'student' })

  const planned = (index: number | undefined, last?: PreviousStep) =>
    index === undefined ? [] : [{ index, at: dueAt(cadence, index, { start, last }, clocks) }]
  const open = tracks.flatMap(track => planned(nextOnTrack(cadence, track, undefined)))
  for (;;) {
    open.sort((one, other) => one.at - other.at || one.index - other.index)
    const next = open.shift()
    const step = next && cadence[next.index]
    if (next === undefined || step === undefined) break
    const { at } = next
    const track = trackOf(step)
    const stop = stopOf(track, factsOf(student, at, settings))
    if (stop !== undefined) {
      if (track === 'student') letters.skipped[stop] = (letters.skipped[stop] ?? 0) + 1
    } else if ('close' in step) {
      student.stage = 'closed'
      student.tries = student.tries.filter(tried => tried <= at)
      student.contactedAt = Infinity
      end = closingReason(student)
    } else if (step.to === 'student') {
      letters.sent++
      sent.push({ at, to: 'student' })
      if (random.chance(UNSUBSCRIBES)) student.suppressed = 'unsubscribed'
      if (random.chance(REPLIES)) answer(world, student, at)
    } else {
      tell(step.to, world, student, at)
    }
    open.push(...planned(nextOnTrack(cadence, track, next.index), next))
  }
  return end ?? (student.contactedAt < Infinity ? 'contacted' : 'new')
}

/** The student writes back; the counselor is told, and answers. */
function answer(world: World, student: Student, at: number): void {
  const { calendar, random } = world
  student.repliedAt = at
  tell('counselor', world, student, at)
  const minutes = Math.floor(random.next() * 240)
  const reached = calendar.school.after(at, { days: 0, minutes })
  if (student.tries.length === 0) student.tries.push(reached)
  student.contactedAt = Math.min(student.contactedAt, reached)
}

function factsOf(student: Student, at: number, { school }: Settings): StopFacts {
  const stage = student.contactedAt <= at ? 'contacted' : student.stage
  return {
    stage: student.stage === 'closed' ? 'closed' : stage,
    paused: false,
    replied: student.repliedAt <= at,
    account: false,
    suppressed: student.suppressed,
    letters: school.postalAddress !== undefined,
  }
}

/** Notes a message to whoever has a role then; to nobody where nobody has. */
function tell(role: StaffRole, world: World, student: Student, at: number): void {
  const { counselors, manager } = world.settings.admissions
  const away = world.away(world.calendar.today(at))
  const holder = holderOf(role, {
    owner: counselors.find(({ id }) => id === student.owner),
    present: id => !away.has(id),
    manager: manager !== undefined,
  })
  if (holder !== undefined) world.sent.push({ at, to: holder.as })
}

function spreads({ sent, calendar, days, firstDay }: World): Simulation['messages'] {
  const first = Date.parse(firstDay)
  const month = Array.from({ length: days }, (_, i) =>
    new Date(first + i * DAY).toISOString().slice(0, 10),
  )
  const spreadOf = (messages: readonly Sent[]): Spread => {
    const perDay = Map.groupBy(messages, ({ at }) => calendar.today(at))
    const counts = month.map(day => perDay.get(day)?.length ?? 0).sort((a, b) => a - b)
    const [min = 0, median = 0, max = 0] = [0, Math.ceil(days / 2) - 1, days - 1].map(
      i => counts[i],
    )
    return { min, median, max, total: messages.length }
  }
  const to = (recipient: Recipient) => spreadOf(sent.filter(message => message.to === recipient))
  return {
    all: spreadOf(sent),
    counselor: to('counselor'),
    backup: to('backup'),
    manager: to('manager'),
    team: to('team'),
    student: to('student'),
  }
}

function loadOf(students: readonly Student[], settings: Settings): Simulation['load'] {
  const weights = counselorsOf(settings)
  const total = weights.reduce((sum, { weight }) => sum + weight, 0) || 1
  const has = (owner: string | undefined) => students.filter(one => one.owner === owner).length
  return [
    ...weights.map(({ id, weight }) => ({ counselor: id, leads: has(id), share: weight / total })),
    { counselor: null, leads: has(undefined), share: 0 },
  ]
}

const speedOf = (answers: { arrival: number; at: number }[], { school }: Calendar): Speed => ({
  business: summarize(answers.map(({ arrival, at }) => school.elapsed(arrival, at))),
  wall: summarize(answers.map(({ arrival, at }) => at - arrival)),
})
