/** `frontdesk follow-up plan`: what has happened to a lead, what will, and what stops it. */
import { isDeepStrictEqual } from 'node:util'
import type { Settings } from '../../config/settings.ts'
import { tracks } from '../../follow-up/cadence.ts'
import { createCalendar } from '../../follow-up/calendar.ts'
import { type Plan, planOf } from '../../lead-actions/follow-up-plan.ts'
import type { Lead } from '../../leads/lead/lead.ts'
import { createAddressees } from '../../mail/staff-addressees.ts'
import { moment } from '../../platform/time.ts'
import type { FollowUp } from '../../store/follow-up/steps.ts'
import { findLeadId } from '../leads/find.ts'
import { nameOf, titleOf } from '../leads/lead-as-text.ts'
import { print } from '../terminal/output.ts'
import { table } from '../terminal/table.ts'
import { bold, CommandFailed } from '../terminal/terminal.ts'
import { createTimes, type Times } from '../terminal/times.ts'
import { addressSecretOf, findLead, withStore } from '../terminal/with-store.ts'

export async function showPlan(text: string, { format }: { format: 'text' | 'json' }): Promise<void> {
  await withStore(async (store, { config, now }) => {
    const id = await findLeadId(store, text, config.settings)
    const followUp = await store.readFollowUp(id)
    if (followUp === undefined) throw new CommandFailed(noFollowUp(await findLead(store, id)))
    const calendar = createCalendar(config.settings)
    const addressees = createAddressees({ config, store, calendar })
    const addressSecret = await addressSecretOf(store)
    const context = { store, config, calendar, addressees, addressSecret }
    const plan = await planOf(followUp, context, now)
    if (format === 'text') return print(planText(plan, followUp, config.settings, now))
    const moments = (steps: { at: number }[]) => steps.map(step => ({ ...step, at: moment(step.at) }))
    const { past, future } = plan
    const since = moment(plan.since)
    const paused = plan.paused === null ? null : moment(plan.paused)
    print(JSON.stringify({ ...plan, since, paused, past: moments(past), future: moments(future) }, null, 2))
  })
}

function noFollowUp({ id, kind, account }: Lead): string {
  if (account) return `Lead ${id} has no follow-up: the ${kind} has an account.`
  return `Lead ${id} has no follow-up.`
}

function planText(plan: Plan, { lead, cadence }: FollowUp, settings: Settings, now: number): string {
  const { school, followUp } = settings
  const times = createTimes(school, now)
  const [home = school.timeZone] = createCalendar(settings).zonesOf(lead).zones
  const there = lead.kind === 'student' && home !== school.timeZone ? createTimes(school, now, home) : undefined
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
    to,
    after: counted,
    message,
    note: skipped === null ? (note ?? '') : skippedNote(skipped, plan),
  }))
  return [
    bold(titleOf(lead)),
    `Counselor: ${nameOf(lead.owner, settings)}`,
    `Cadence ${plan.cadence}, counted from ${times.full(plan.since)}`,
    ...(isDeepStrictEqual(cadence, followUp[lead.kind])
      ? []
      : ['The settings have changed since then; this lead stays on its cadence.']),
    '',
    past.length === 0 ? 'No steps have been done yet.' : table(past),
    '',
    ...outlook(plan, table(future, { optional: ['message', 'after', 'student time'], least: 32 }), times),
  ].join('\n')
}

/** A reason that stops a whole track appears once, below the table. */
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
      : `Nothing happens while the follow-up is paused (since ${times.full(paused)}). If it were resumed now:`,
    steps,
    ...given.map(reason => `\nSome steps will be skipped: ${reason}.`),
  ]
}
