/**
 * Hands over all of someone's leads, in the background and in portions, and undoes a hand-over in the same way. It also
 * decides who gets which lead, as for new leads.
 */
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { assign, counselorsOf } from '../follow-up/assignment.ts'
import { restartOf } from '../follow-up/schedule.ts'
import { takersOf } from '../lead-actions/assign.ts'
import type { Services } from '../lead-actions/services.ts'
import type { Lead } from '../leads/lead/lead.ts'
import { memberName } from '../leads/lead/staff.ts'
import { SECOND } from '../platform/time.ts'
import type { HandOverMove } from '../store/team/hand-over-portions.ts'
import type { HandOverRecipient, LeadsHandOver } from '../store/team/hand-overs.ts'
import { attempt, inPortions, keepLooking } from './lanes/in-portions.ts'

/** How many leads one transaction hands over, and the pause after each transaction, in milliseconds. */
const PORTION = 25
const PAUSE = 5

/** How often a worker looks for hand-overs that another process left unfinished, in milliseconds. */
const POLL = 5 * SECOND

/** How many unfinished hand-overs are read at once; there are never that many. */
const MOST = 20

export type HandOverRunner = {
  /** Carries out hand-overs, and undoes them, until none is left. Never rejects. */
  run(): Promise<void>
  /** Carries them out every few seconds, until `signal` is aborted. */
  keepRunning(signal: AbortSignal): Promise<void>
}

type HandOverServices = Omit<Services, 'config' | 'addressSecret'> & { log: Logger }

export function createHandOvers(deps: HandOverServices): HandOverRunner {
  const { store, log } = deps
  let running: Promise<boolean> | undefined

  async function runAll(): Promise<void> {
    for (const one of await store.listHandOvers({ unfinished: true, limit: MOST }))
      await inPortions(() => portion(deps, one.id), { store, pause: PAUSE })
  }

  const how = { log, failed: 'leads could not be handed over; trying again' }
  const run = async () => {
    running ??= attempt(runAll, how).finally(() => {
      running = undefined
    })
    await running
  }
  return { run, keepRunning: signal => keepLooking(run, { ...how, every: POLL, signal }) }
}

/** Hands over the next leads, or gives them back. If none are left, ends it, adds the emails, and returns false. */
async function portion(deps: HandOverServices, id: number): Promise<boolean> {
  const { store, clock, calendar, changed } = deps
  const handOver = await store.readHandOver(id)
  if (handOver?.state !== 'running' && handOver?.state !== 'undoing') return false
  const { version, state } = handOver
  const leads = await store.readHandOverPortion(handOver, PORTION)
  const now = clock.now()
  if (leads.length === 0) {
    const recipients = await recipientsOf(deps, handOver, now)
    await store.finishHandOver(id, { version, recipients, now })
    changed()
    return false
  }
  const turns = new Map(Object.entries(handOver.turns))
  const moves: HandOverMove[] = []
  for (const { lead, cadence } of leads) {
    const owner = state === 'undoing' ? handOver.from : chooseOwner(deps.settings, handOver, lead, turns)
    const hours = calendar.hoursFor(lead)
    moves.push({ leadId: lead.id, owner, restart: restartOf(cadence, 'staff', now, hours) })
  }
  if (state === 'undoing') await store.giveBackPortion(id, { version, moves, now })
  else await store.handOverPortion(id, { version, moves, turns: Object.fromEntries(turns), now })
  changed()
  return true
}

/**
 * Chooses who gets a lead as for a new lead, but among the people that the plan names, even if they are away. Turns
 * count only within this hand-over, so they do not affect who gets new students. Someone who has left the team, or can
 * no longer sign in, does not get any.
 */
function chooseOwner(
  settings: Settings,
  { plan }: LeadsHandOver,
  { state, program, campus, language }: Lead,
  turns: Map<string, number>,
): string | null {
  const takers = takersOf(settings)
  const here = plan.people.filter(id => takers.some(one => one.id === id))
  const [only, ...others] = here
  if (plan.to === 'team' || only === undefined) return null
  if (others.length === 0) return only
  const chosen = counselorsOf(settings).filter(({ id }) => here.includes(id))
  const someTakeTurns = chosen.some(({ weight }) => weight > 0)
  const counselors = someTakeTurns ? chosen : chosen.map(one => ({ ...one, weight: 1 }))
  const assigned = assign({ state, program, campus, language, counselors, present: () => true, turns })
  for (const [key, credit] of assigned.turns) turns.set(key, credit)
  return assigned.counselor ?? null
}

/** Who gets an email: everyone who got leads, their stand-ins, and the former owner; but not the person who did it. */
async function recipientsOf(
  { store, settings, addressees }: HandOverServices,
  { id, from, actor, state, undoneBy }: LeadsHandOver,
  now: number,
): Promise<HandOverRecipient[]> {
  const undone = state === 'undoing'
  const by = undone ? undoneBy : actor
  const counts = (await store.countHandedOver(id)).filter(({ leads, restored }) => (undone ? restored : leads) > 0)
  if (counts.length === 0) return []
  const newOwners = [...Map.groupBy(counts, ({ owner }) => owner)].flatMap(([owner, rows]) =>
    // A counselor gets one email about leads of both kinds; each team has an address of its own.
    (owner === null ? rows : rows.slice(0, 1)).map(({ kind }) => ({ owner, kind })),
  )
  const [first] = newOwners
  const former =
    memberName(from, settings.admissions) === undefined
      ? []
      : [{ owner: from, kind: first?.kind ?? 'student' } as const]
  const [gain, lose] = undone ? [former, newOwners] : [newOwners, former]
  const recipients: HandOverRecipient[] = []
  for (const one of gain) {
    if (one.owner === null || one.owner !== by) recipients.push({ ...one, role: 'owner', undone })
    if ((await addressees.standIn(one, now)) !== undefined) recipients.push({ ...one, role: 'stand-in', undone })
  }
  for (const one of lose)
    if (one.owner !== null && one.owner !== by) recipients.push({ ...one, role: 'former', undone })
  return recipients
}
