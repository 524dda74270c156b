/** `frontdesk follow-up plan`: what has happened to a lead, what will, and what stops it. */
import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/config.ts'
import type { Settings } from '../config/settings.ts'
import {
  recipientOf,
  type Step,
  stepsOn,
  type Track,
  templateOf,
  trackOf,
  tracks,
} from '../follow-up/cadence.ts'
import { createCalendar } from '../follow-up/calendar.ts'
import { lastCallAfter } from '../follow-up/last-call.ts'
import type { StepHours } from '../follow-up/opening-hours.ts'
import { futureOf, resumption } from '../follow-up/schedule.ts'
import { closingReason, type StopFacts, stopOf } from '../follow-up/stop-conditions.ts'
import { zonesOfState } from '../follow-up/time-zones.ts'
import { addressHash } from '../leads/email.ts'
import type { Lead } from '../leads/lead.ts'
import type { FollowUp } from '../store/steps.ts'
import type { Store } from '../store/store.ts'
import { type Addressees, createAddressees } from '../tasks/addressees.ts'
import { findLeadId } from './find-lead.ts'
import { nameOf, titleOf } from './lead-text.ts'
import { moment, print } from './output.ts'
import { table } from './table.ts'
import { bold, CommandFailed } from './terminal.ts'
import { createTimes, type Times } from './times.ts'
import { addressSecretOf, findLead, withStore } from './with-store.ts'

export async function showPlan(
  text: string,
  { format }: { format: 'text' | 'json' },
): Promise<void> {
  await withStore(async (store, { config, now }) => {
    const id = await findLeadId(store, text, config.settings)
    const followUp = await store.readFollowUp(id)
    if (followUp === undefined)
      throw new CommandFailed(noFollowUp((await findLead(store, id)).lead))
    const plan = await planOf(followUp, store, config, now)
    if (format === 'text') return print(planText(plan, followUp, config.settings, now))
    const moments = (steps: { at: number }[]) =>
      steps.map(step => ({ ...step, at: moment(step.at) }))
    const { past, future } = plan
    print(JSON.stringify({ ...plan, past: moments(past), future: moments(future) }, null, 2))
  })
}

function noFollowUp({ id, kind, account }: Lead): string {
  if (account) return `Lead ${id} has no follow-up: the ${kind} has an account.`
  return `Lead ${id} has no follow-up.`
}

type Plan = {
  lead: number
  /** The id of the version of the cadence that the lead is on, and the time from which it counts. */
  cadence: number
  since: string
  paused: string | null
  /** The reason that stops a track, other than a pause; null where nothing does. */
  stops: Record<Track, string | null>
  past: { at: number; step: string; to: string; became: string; note: string | null }[]
  /** While the follow-up is paused, the steps as they would be if it were resumed now. */
  future: (StepDescription & { at: number; note: string | null; skipped: string | null })[]
}

async function planOf(
  followUp: FollowUp,
  store: Store,
  config: Config,
  now: number,
): Promise<Plan> {
  const { lead, cadence, since } = followUp
  const calendar = createCalendar(config.settings)
  const addressees = createAddressees({ config, store, calendar })
  const facts = await factsOf(followUp, store, config)
  const stopsAt = (track: Track) => stopOf(track, { ...facts, paused: false }) ?? null
  const past = stepsWithState(followUp, false).map(({ step, state, finishedAt, note, dueAt }) => ({
    at: finishedAt ?? dueAt,
    step: step.name,
    to: recipientOf(step) ?? '',
    became: state === 'done' ? (trackOf(step) === 'end' ? 'closed' : 'sent') : ended[state],
    note,
  }))
  const future: Plan['future'] = []
  for (const { step, dueAt, note } of upcoming(followUp, calendar.hoursFor(lead.state), now)) {
    const { skip, ...description } = await describe(step, dueAt, followUp, facts, addressees)
    const skipped = stopsAt(trackOf(step)) ?? skip ?? null
    const warned = trackOf(step) !== 'end' || facts.tried || followUp.closingAt !== null
    if (warned || skipped !== null) future.push({ at: dueAt, ...description, note, skipped })
    else {
      const { closingAt } = lastCallAfter(dueAt, calendar)
      const told = 'the manager is told first, since no one has tried to reach them'
      const { open } = calendar.hoursFor(lead.state)[step.clock]
      future.push({ at: open(closingAt), ...description, note: note ?? told, skipped })
    }
  }
  return {
    lead: lead.id,
    // The lead is on it, so it is stored already; this only looks up its id.
    cadence: await store.getOrCreateCadence(lead.kind, cadence, now),
    since: moment(since),
    paused: lead.pausedAt === null ? null : moment(lead.pausedAt),
    stops: { staff: stopsAt('staff'), student: stopsAt('student'), end: stopsAt('end') },
    past,
    future,
  }
}

async function factsOf(
  { lead, tried }: FollowUp,
  store: Store,
  { settings }: Config,
): Promise<StopFacts> {
  const suppression = await store.readSuppression(
    addressHash(await addressSecretOf(store), lead.email),
  )
  return {
    stage: lead.stage,
    paused: lead.pausedAt !== null,
    replied: lead.repliedAt !== null,
    account: lead.account,
    suppressed: suppression?.reason ?? null,
    tried,
    hasPostalAddress: settings.school.postalAddress !== undefined,
  }
}

/** The steps that already have a task, either the open ones or the others, with their place in the cadence. */
const stepsWithState = ({ cadence, steps }: FollowUp, open: boolean) =>
  steps
    .filter(({ state }) => (state === 'due') === open)
    .flatMap(({ step: index, ...task }) => {
      const step = cadence[index]
      return step === undefined ? [] : [{ ...task, index, step }]
    })

/** The steps still to come, by time: the open ones, and those that will open after them. */
function upcoming(
  followUp: FollowUp,
  hours: StepHours,
  now: number,
): { step: Step; dueAt: number; note: string | null }[] {
  const { lead, cadence, since } = followUp
  const resumed =
    lead.pausedAt === null ? undefined : resumption(followUp, lead.pausedAt, now, hours)
  const moved = new Map(resumed?.steps.map(({ step, dueAt }) => [step, dueAt]))
  const open = stepsWithState(followUp, true).map(({ index, step, dueAt, note }) => {
    // A step that is due already is done when its hours are open next.
    const at = hours[step.clock].open(Math.max(moved.get(index) ?? dueAt, now))
    return { index, step, dueAt: at, note: note === 'paused' ? null : note }
  })
  const concluded = stepsWithState(followUp, false).map(({ index, step, finishedAt, dueAt }) => ({
    index,
    step,
    dueAt: finishedAt ?? dueAt,
  }))
  const last = Object.fromEntries(
    [...concluded, ...open].map(({ index, step, dueAt }) => [trackOf(step), { index, at: dueAt }]),
  )
  const later = futureOf(cadence, { start: resumed?.since ?? since, last }, hours)
  return [...open, ...later.map(one => ({ ...one, note: null }))].toSorted(
    (one, other) => one.dueAt - other.dueAt || one.index - other.index,
  )
}

const ended = { due: 'open', dead: 'given up', skipped: 'skipped' } as const

type StepDescription = {
  step: string
  /** The recipient, or what the step does. */
  to: string
  /** How long after the step before it, and in which hours. */
  counted: string
  message: string | null
}

async function describe(
  step: Step,
  at: number,
  { lead, cadence }: FollowUp,
  facts: StopFacts,
  addressees: Addressees,
): Promise<StepDescription & { skip?: string }> {
  const timing = { step: step.name, counted: `${step.after}, ${step.clock} hours` }
  const role = recipientOf(step)
  const message = templateOf(step) ?? null
  if (role === undefined) {
    return { ...timing, to: `closes the lead: ${closingReason(facts)}`, message }
  }
  if (role === 'student') return { ...timing, to: `student <${lead.email}>`, message }
  const last = cadence[stepsOn(cadence, trackOf(step)).at(-1) ?? -1] === step
  const found = await addressees.find(lead, role, at, { last })
  return 'skip' in found
    ? { ...timing, to: role, message, skip: found.skip }
    : { ...timing, to: `${found.to.name} <${found.to.address}>`, message }
}

function planText(
  plan: Plan,
  { lead, cadence }: FollowUp,
  settings: Settings,
  now: number,
): string {
  const { school, followUp } = settings
  const times = createTimes(school, now)
  const [home = school.timeZone] = zonesOfState(lead.state, followUp.zones, school.timeZone)
  const there =
    lead.kind === 'student' && home !== school.timeZone ? createTimes(school, now, home) : undefined
  const past = plan.past.map(({ at, step, to, became, note }) => ({
    when: times.short(at),
    step,
    to,
    result: [became, note].filter(Boolean).join(': '),
  }))
  const future = plan.future.map(({ at, step, to, counted, message, note, skipped }) => ({
    when: times.short(at),
    ...(there && { 'student time': there.short(at) }),
    step,
    to: to.replace(/ <.*>$/, ''),
    after: counted,
    message,
    note: skipped === null ? (note ?? '') : skippedNote(skipped, plan),
  }))
  return [
    bold(titleOf(lead)),
    `Counselor: ${nameOf(lead.owner, settings)}`,
    `Cadence ${plan.cadence}, counted from ${times.full(Date.parse(plan.since))}`,
    ...(isDeepStrictEqual(cadence, followUp[lead.kind])
      ? []
      : ['The settings have changed since then; this lead stays on its cadence.']),
    '',
    past.length === 0 ? 'No steps have been done yet.' : table(past),
    '',
    ...outlook(
      plan,
      table(future, { optional: ['message', 'after', 'student time'], least: 32 }),
      times,
    ),
  ].join('\n')
}

/** What stops a whole track is told once, below the table. */
const skippedNote = (reason: string, { stops }: Plan): string =>
  Object.values(stops).includes(reason) ? 'skipped' : `skipped: ${reason}`

/** The steps still to come, or the one reason that stops them all. */
function outlook({ future, stops, paused }: Plan, steps: string, times: Times): string[] {
  if (future.length === 0) return ['Nothing further will be sent: the cadence has no more steps.']
  const [first] = future
  if (first?.skipped && future.every(({ skipped }) => skipped === first.skipped)) {
    return [`Nothing further will be sent: ${first.skipped}.`]
  }
  const reasons = tracks.flatMap(track => stops[track] ?? [])
  const given = [...new Set(reasons)].filter(reason => future.some(step => step.skipped === reason))
  return [
    paused === null
      ? 'Still to come:'
      : `Nothing happens while the follow-up is paused (since ${times.full(Date.parse(paused))}). If it were resumed now:`,
    steps,
    ...given.map(reason => `\nSome steps will be skipped: ${reason}.`),
  ]
}
