/** The plan of one follow-up: what has happened, what will, and what stops it. */
import { laterMessages, recipientOf, type Step, type Track, templateOf, trackOf } from '../follow-up/cadence.ts'
import { recipients } from '../follow-up/cadence-words.ts'
import { lastCallAfter } from '../follow-up/last-call.ts'
import type { StepHours } from '../follow-up/opening-hours.ts'
import { futureOf, resumption } from '../follow-up/schedule.ts'
import { closingReason, type StopFacts, stopOf } from '../follow-up/stop-conditions.ts'
import { suppressionHashes } from '../leads/body/mailbox-key.ts'
import { reasonName } from '../leads/lead/stages.ts'
import type { FollowUp } from '../store/follow-up/steps.ts'
import type { Absence } from '../store/team/absences.ts'
import type { Services } from './services.ts'

type PlanServices = Pick<Services, 'store' | 'config' | 'calendar' | 'addressees' | 'addressSecret'>

/** What has happened in a follow-up, and what will happen if no one does anything. */
export type Plan = {
  lead: number
  /** The id of the version of the cadence that the lead follows, and the moment from which it counts. */
  cadence: number
  since: number
  paused: number | null
  /** For each track, the reason that it is stopped, other than a pause; null if it is not stopped. */
  stops: Record<Track, string | null>
  past: { at: number; step: string; to: string; became: string; note: string | null }[]
  /** While the follow-up is paused: the steps as if it were resumed now. */
  future: (StepDescription & {
    at: number
    note: string | null
    skipped: string | null
    /** The index of the step in the cadence, and whether it is open: only an open step can be skipped by hand. */
    index: number
    open: boolean
  })[]
}

export type NextStep = Plan['future'][number]

/** The absences from today on, and why the lead's address gets no emails. */
type Known = { absences?: readonly Absence[]; suppressed?: StopFacts['suppressed'] }

/**
 * What a follow-up will do if no one does anything, in order of time; empty if the lead has no follow-up. `known`: what
 * the caller has read already.
 */
export async function stepsToCome(
  deps: PlanServices,
  followUp: FollowUp | undefined,
  now: number,
  known?: Known,
): Promise<NextStep[]> {
  if (followUp === undefined) return []
  const { future } = await planOf(followUp, deps, now, known)
  return future.filter(({ skipped }) => skipped === null)
}

export async function planOf(
  followUp: FollowUp,
  { store, config, calendar, addressees, addressSecret }: PlanServices,
  now: number,
  known: Known = {},
): Promise<Plan> {
  const { lead, cadenceId, since } = followUp
  const absences = known.absences ?? (await store.listAbsences(calendar.today(now)))
  const suppressed =
    known.suppressed === undefined
      ? ((await store.readSuppression(suppressionHashes(addressSecret, lead.email)))?.reason ?? null)
      : known.suppressed
  const facts = factsOf(followUp, config, suppressed)
  const stopsAt = (track: Track) => stopOf(track, { ...facts, paused: false }) ?? null
  const past = stepsWithState(followUp, false).map(({ step, state, finishedAt, note, dueAt }) => ({
    at: finishedAt ?? dueAt,
    step: step.name,
    to: recipientOf(step) ?? '',
    became: state === 'done' ? (trackOf(step) === 'end' ? 'closed' : 'sent') : ended[state],
    note,
  }))
  const future: Plan['future'] = []
  const steps = upcoming(followUp, calendar.hoursFor(lead), now)
  for (const { step, index, open, dueAt, note } of steps) {
    const place = { index, open }
    const { skip, ...description } = await describe(step, dueAt, followUp, facts, { addressees, absences })
    const skipped = stopsAt(trackOf(step)) ?? skip ?? null
    const warned = trackOf(step) !== 'end' || facts.tried || followUp.closingAt !== null
    if (warned || skipped !== null) future.push({ at: dueAt, ...description, ...place, note, skipped })
    else {
      const { closingAt } = lastCallAfter(dueAt, calendar)
      const warning = 'the manager is notified first, since no one has tried to reach them'
      const at = calendar.hoursFor(lead)[step.clock].open(closingAt)
      future.push({ at, ...description, ...place, note: note ?? warning, skipped })
    }
  }
  return {
    lead: lead.id,
    cadence: cadenceId,
    since,
    paused: lead.pausedAt,
    stops: { staff: stopsAt('staff'), student: stopsAt('student'), end: stopsAt('end') },
    past,
    future,
  }
}

function factsOf(
  { lead, tried }: FollowUp,
  { settings }: PlanServices['config'],
  suppressed: StopFacts['suppressed'],
): StopFacts {
  return {
    stage: lead.stage,
    paused: lead.pausedAt !== null,
    replied: lead.repliedAt !== null,
    unanswered: lead.unansweredSince !== null,
    account: lead.account,
    suppressed,
    hasAddress: lead.email !== null,
    tried,
    hasPostalAddress: settings.school.postalAddress !== undefined,
  }
}

/** The steps that already have a task (either the open ones or the others), with their index in the cadence. */
const stepsWithState = ({ cadence, steps }: FollowUp, open: boolean) =>
  steps
    .filter(({ state }) => (state === 'due') === open)
    .flatMap(({ step: index, ...task }) => {
      const step = cadence[index]
      return step === undefined ? [] : [{ ...task, index, step }]
    })

/** The steps still to come, in order of time: open ones, and those that will open after them. */
function upcoming(
  followUp: FollowUp,
  hours: StepHours,
  now: number,
): { step: Step; index: number; open: boolean; dueAt: number; note: string | null }[] {
  const { lead, cadence, since } = followUp
  const resumed = lead.pausedAt === null ? undefined : resumption(followUp, lead.pausedAt, now, hours)
  const resumedDueAt = new Map(resumed?.steps.map(({ step, dueAt }) => [step, dueAt]))
  const open = stepsWithState(followUp, true).map(({ index, step, dueAt, note }) => {
    // A step that is already due is done as soon as the hours that it counts in are open.
    const at = hours[step.clock].open(Math.max(resumedDueAt.get(index) ?? dueAt, now))
    return { index, step, open: true, dueAt: at, note: note === 'paused' ? null : note }
  })
  const concluded = stepsWithState(followUp, false).map(({ index, step, finishedAt, dueAt }) => ({
    index,
    step,
    dueAt: finishedAt ?? dueAt,
  }))
  const last = Object.fromEntries(
    [...concluded, ...open].map(({ index, step, dueAt }) => [trackOf(step), { index, at: dueAt }]),
  )
  // A track without a step never began: someone that the school entered may get no emails, or no reminders.
  const later = futureOf(cadence, { start: resumed?.since ?? since, last }, hours).filter(
    ({ step }) => last[trackOf(step)] !== undefined,
  )
  return [...open, ...later.map(one => ({ ...one, open: false, note: null }))].toSorted(
    (one, other) => one.dueAt - other.dueAt || one.index - other.index,
  )
}

/** The outcome of a step, by the state of its task. */
const ended = { due: 'open', dead: 'given up', skipped: 'skipped' } as const

type StepDescription = {
  step: string
  /** The recipient of the step, or what it does. */
  to: string
  address: string | null
  /** How long after the step before it, and counted in which hours. */
  counted: string
  message: string | null
}

async function describe(
  step: Step,
  at: number,
  { lead, cadence }: FollowUp,
  facts: StopFacts,
  { addressees, absences }: Pick<Services, 'addressees'> & { absences: readonly Absence[] },
): Promise<StepDescription & { skip?: string }> {
  const timing = { step: step.name, counted: `${step.after}, ${step.clock} hours`, address: null }
  const role = recipientOf(step)
  const message = templateOf(step) ?? null
  if (role === undefined) {
    return { ...timing, to: `closes the lead: ${reasonName(closingReason(facts))}`, message }
  }
  if (role === 'chat') return { ...timing, to: recipients.chat, message }
  if (role === 'student') return { ...timing, to: 'student', address: lead.email, message }
  const last = laterMessages(cadence, cadence.indexOf(step)).length === 0
  const found = await addressees.find(lead, role, at, { last, absences })
  return 'skip' in found
    ? { ...timing, to: role, message, skip: found.skip }
    : { ...timing, to: found.to.name, address: found.to.address, message }
}
