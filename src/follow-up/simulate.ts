/** Simulates the settings: follows up a month of invented people in memory, the way the service does. */
import { type AssignmentSettings, assign, counselorsOf } from './assignment.ts'
import { type Cadence, nextOnTrack, type Recipient, recipientOf, trackOf, tracks } from './cadence.ts'
import { type Calendar, createCalendar } from './calendar.ts'
import { lastCallAfter } from './last-call.ts'
import { type Random, randomFrom } from './random.ts'
import { holderOf, type StaffRole } from './recipients.ts'
import { dueAt, type PreviousStep } from './schedule.ts'
import { type ByHour, byHourOf, medianWait, type Sent, type Spread, speedOf, spreadOf } from './simulated-figures.ts'
import {
  type PeopleSettings,
  REPLIES,
  type SimulatedStudent,
  simulatedStudent,
  UNSUBSCRIBES,
} from './simulated-people.ts'
import { closingReason, type StopFacts, stopOf } from './stop-conditions.ts'
import type { Speed } from './times-to-reach.ts'

export type SimulationSettings = AssignmentSettings &
  PeopleSettings & {
    school: { postalAddress?: string }
    admissions: { counselors: readonly { id: string; backup?: string }[]; manager?: object }
    followUp: Record<SimulatedKind, Cadence>
  }

/** The leads that this cadence is for: students, or sites, which a team follows up. */
export type SimulatedKind = 'student' | 'site'

export type SimulationOptions = {
  settings: SimulationSettings
  /** Default: student. */
  kind?: SimulatedKind
  /** How many people write, and within how many days. */
  leads: number
  days: number
  /** As yyyy-mm-dd in the school's time zone. */
  firstDay: string
  /** The counselors who are away on a day (yyyy-mm-dd). */
  away: (day: string) => ReadonlySet<string>
  /** With the same seed, the month is the same. */
  seed: number
}

export type Simulation = {
  messages: { all: Spread } & Record<Recipient, Spread>
  reminders: Spread
  /** The students of each counselor, and the share that their weight would give them; null means the team. */
  load: { counselor: string | null; leads: number; share: number }[]
  /** How quickly people were called, and reached. */
  attempt: Speed
  contact: Speed
  letters: { sent: number; skipped: Record<string, number> }
  /** How many messages the cadence sends in each hour: reminders by the school's clock, emails by the person's. */
  hours: { reminders: ByHour; letters: ByHour }
  /** How many leads the cadence closed, and within how many days half of them were closed; null if there are none. */
  closed: { leads: number; days: number | null }
  /** How many people ended in each way: a reason for closing, `contacted`, or `new` if still open. */
  ends: Record<string, number>
}

type Student = SimulatedStudent & {
  owner: string | undefined
  /** Decides about replies. The decisions about a person do not depend on what happens to others. */
  random: Random
  repliedAt: number
  stage: 'new' | 'closed'
  /** Whether the mail about unattended leads has named the lead. */
  warned: boolean
}
type World = SimulationOptions & {
  kind: SimulatedKind
  calendar: Calendar
  sent: Sent[]
  /** When the cadence closed a lead, and when that person had written. */
  closings: { arrival: number; at: number }[]
  /** When mail about unattended leads goes out. */
  mornings: Set<number>
}

/** Throws a RangeError if the settings' hours never open. */
export function simulate(options: SimulationOptions): Simulation {
  const { settings, leads, kind = 'student', days, firstDay } = options
  const calendar = createCalendar(settings)
  const random = randomFrom(options.seed)
  const empty = { sent: [], closings: [], mornings: new Set<number>() }
  const world: World = { ...options, ...empty, kind, calendar }
  const arrivals = Array.from({ length: leads }, () => ({
    ...simulatedStudent(options, calendar, random),
    random: randomFrom(Math.floor(random.next() * 2 ** 32)),
  }))
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
  const manager: Recipient = settings.admissions.manager === undefined ? 'team' : 'manager'
  for (const at of world.mornings) world.sent.push({ at, to: manager, by: 'service' })
  const called = students.flatMap(({ arrival, callAttempts: [at] }) => (at ? [{ arrival, at }] : []))
  const reached = students
    .filter(({ reachedAt }) => reachedAt < Infinity)
    .map(({ arrival, reachedAt }) => ({ arrival, at: reachedAt }))
  return {
    messages: spreads(world),
    reminders: spreadOf(world.sent.filter(isReminder), calendar, { days, firstDay }),
    load: loadOf(students, settings),
    attempt: speedOf(called, world.calendar),
    contact: speedOf(reached, world.calendar),
    letters,
    hours: {
      reminders: byHourOf(world.sent.filter(isReminder), settings.school.timeZone),
      letters: byHourOf(world.sent.filter(isLetter), settings.school.timeZone),
    },
    closed: { leads: world.closings.length, days: medianWait(world.closings) },
    ends,
  }
}

const isReminder = ({ by, to }: Sent): boolean => by === 'cadence' && to !== 'student'
const isLetter = ({ by, to }: Sent): boolean => by === 'cadence' && to === 'student'

/** Assigns the students to counselors, in the order in which they write; the team has the sites. */
function assigned(world: World, arrivals: readonly (SimulatedStudent & { random: Random })[]): Student[] {
  const counselors = world.kind === 'site' ? [] : counselorsOf(world.settings)
  const turns = new Map<string, number>()
  return arrivals.map(student => {
    const away = world.away(world.calendar.today(student.arrival))
    const present = (id: string) => !away.has(id)
    const chosen = assign({
      state: student.state,
      program: null,
      campus: null,
      language: null,
      counselors,
      present,
      turns,
    })
    for (const [key, credit] of chosen.turns) turns.set(key, credit)
    return { ...student, owner: chosen.counselor, repliedAt: Infinity, stage: 'new' as const, warned: false }
  })
}

/** Follows up one person until the end of the cadence. Returns how it ended. */
function followUp(world: World, student: Student, letters: Simulation['letters']): string {
  const { settings, calendar, sent, kind } = world
  const { random } = student
  const cadence = settings.followUp[kind]
  const hours = calendar.hoursFor(student)
  const start = student.arrival
  let end: string | undefined
  const [zone] = calendar.zonesOf(student).zones
  notify('counselor', world, student, start, 'service')
  if (kind === 'student') sent.push({ at: start, to: 'student', by: 'service' })

  const planned = (index: number | undefined, last?: PreviousStep) =>
    index === undefined ? [] : [{ index, at: dueAt(cadence, index, { start, last }, hours) }]
  const open = tracks.flatMap(track => planned(nextOnTrack(cadence, track, undefined)))
  for (;;) {
    open.sort((one, other) => one.at - other.at || one.index - other.index)
    const next = open.shift()
    const step = next && cadence[next.index]
    if (next === undefined || step === undefined) break
    const { at } = next
    const track = trackOf(step)
    const to = recipientOf(step)
    const stop = stopOf(track, factsOf(student, at, settings))
    if (stop !== undefined) {
      if (track === 'student') letters.skipped[stop] = (letters.skipped[stop] ?? 0) + 1
    } else if (to === undefined && !triedBy(student, at) && !student.warned) {
      // The mail about unattended leads names the lead before it is closed.
      const { morning, closingAt } = lastCallAfter(at, calendar)
      student.warned = true
      world.mornings.add(morning.at)
      open.push({ index: next.index, at: closingAt })
      continue
    } else if (to === undefined) {
      student.stage = 'closed'
      world.closings.push({ arrival: start, at })
      student.callAttempts = student.callAttempts.filter(calledAt => calledAt <= at)
      student.reachedAt = Infinity
      end = closingReason(factsOf(student, at, settings))
      if (end === 'never contacted') world.mornings.add(lastCallAfter(at, calendar).morning.at)
    } else if (to === 'student') {
      letters.sent++
      sent.push({ at, to: 'student', by: 'cadence', zone })
      if (random.chance(UNSUBSCRIBES)) student.suppressed = 'unsubscribed'
      if (random.chance(REPLIES)) reply(world, student, at)
    } else if (to !== 'chat') {
      notify(to, world, student, at, 'cadence')
    }
    open.push(...planned(nextOnTrack(cadence, track, next.index), next))
  }
  return end ?? (student.reachedAt < Infinity ? 'contacted' : 'new')
}

/** The person replies; the counselor is notified, and reaches them. */
function reply(world: World, student: Student, at: number): void {
  const { calendar } = world
  const { random } = student
  student.repliedAt = at
  notify('counselor', world, student, at, 'service')
  const minutes = Math.floor(random.next() * 240)
  const reachedAt = calendar.school.after(at, { days: 0, minutes })
  if (student.callAttempts.length === 0) student.callAttempts.push(reachedAt)
  student.reachedAt = Math.min(student.reachedAt, reachedAt)
}

const triedBy = ({ callAttempts: [first = Infinity] }: Student, at: number): boolean => first <= at

function factsOf(student: Student, at: number, { school }: SimulationSettings): StopFacts {
  const stage = student.reachedAt <= at ? 'contacted' : student.stage
  return {
    stage: student.stage === 'closed' ? 'closed' : stage,
    paused: false,
    replied: student.repliedAt <= at,
    unanswered: false,
    account: false,
    suppressed: student.suppressed,
    hasAddress: true,
    tried: triedBy(student, at),
    hasPostalAddress: school.postalAddress !== undefined,
  }
}

/** Records a message to the person who has the role at that moment, if there is one. */
function notify(role: StaffRole, world: World, student: Student, at: number, by: Sent['by']): void {
  const { counselors, manager } = world.settings.admissions
  const away = world.away(world.calendar.today(at))
  const holder = holderOf(role, {
    owner: counselors.find(({ id }) => id === student.owner),
    present: id => !away.has(id),
    manager: manager !== undefined && !away.has('manager'),
  })
  if (holder !== undefined) world.sent.push({ at, to: holder.as, by })
}

function spreads({ sent, calendar, days, firstDay }: World): Simulation['messages'] {
  const month = { days, firstDay }
  const to = (recipient: Recipient) =>
    spreadOf(
      sent.filter(message => message.to === recipient),
      calendar,
      month,
    )
  return {
    all: spreadOf(sent, calendar, month),
    counselor: to('counselor'),
    backup: to('backup'),
    manager: to('manager'),
    team: to('team'),
    student: to('student'),
  }
}

function loadOf(students: readonly Student[], settings: SimulationSettings): Simulation['load'] {
  const weights = counselorsOf(settings)
  const total = weights.reduce((sum, { weight }) => sum + weight, 0) || 1
  const has = (owner: string | undefined) => students.filter(one => one.owner === owner).length
  return [
    ...weights.map(({ id, weight }) => ({ counselor: id, leads: has(id), share: weight / total })),
    { counselor: null, leads: has(undefined), share: 0 },
  ]
}
