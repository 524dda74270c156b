/**
 * Those at the school who promise callbacks: they keep them, miss them, move them, call them off and take all that
 * back.
 */

import { callbackReminders } from '../../src/follow-up/callback-times.ts'
import { endCallback } from '../../src/lead-actions/end-callback.ts'
import { planCallback } from '../../src/lead-actions/plan-callback.ts'
import { recordCall } from '../../src/lead-actions/record-call.ts'
import { resume } from '../../src/lead-actions/resume.ts'
import type { Services } from '../../src/lead-actions/services.ts'
import { undo } from '../../src/lead-actions/undo.ts'
import type { Lead } from '../../src/leads/lead/lead.ts'
import { DAY, HOUR, MINUTE } from '../../src/platform/time.ts'
import type { CallbackPlan } from '../../src/store/actions/callbacks.ts'
import { Random } from '../random.ts'
import type { Agenda } from './agenda.ts'
import { localTime } from './hours.ts'
import type { Ledger } from './ledger.ts'
import type { PromisedCall } from './promises.ts'
import { COUNSELORS, LEFT, MANAGER } from './school.ts'
import type { WorldTime } from './world-time.ts'

type CallerServices = { seed: number; time: WorldTime; agenda: Agenda; ledger: Ledger; services: Services }

const by = { actor: 'operator' }

/** Mostly no name: then the counselor of the lead calls. */
const CALLERS = ['team', 'team', 'team', 'team', ...COUNSELORS.map(({ id }) => id), MANAGER]

/** No one promises two callbacks that are as close, which would be one. */
const APART = 10 * MINUTE

export class Callers {
  readonly #deps: CallerServices
  #plans = 0

  constructor(deps: CallerServices) {
    this.#deps = deps
  }

  /** Promises the person of a lead a call, and plans what becomes of that. */
  async promise(id: number): Promise<void> {
    const { services, ledger, seed } = this.#deps
    const lead = await services.store.findLead(id)
    if (lead === undefined || lead.stage === 'closed') return
    const random = new Random(seed, `callback ${id} ${++this.#plans}`)
    const assignee = random.pick(CALLERS)
    const dueAt = this.#moment(random)
    if (ledger.promises.open(lead.id).some(one => Math.abs(one.dueAt - dueAt) < APART)) return
    const waits = isFollowed(lead)
    const entry = await this.#plan(lead, { dueAt, assignee })
    if (entry === undefined) return
    const made = { lead: lead.id, entry, dueAt, assignee: nameOf(assignee, lead) }
    ledger.count('callbacks')
    const one = ledger.promises.add(made, { waits })
    if (!random.chance(0.1)) return this.#planFate(one, random)
    if (await this.#undo(lead, entry)) ledger.promises.end(one)
  }

  /** Resumes the follow-up of a lead although a call is promised, and moves the call. */
  async resumeAnyway(id: number): Promise<void> {
    const { services, ledger, seed, agenda, time } = this.#deps
    const one = ledger.promises.open(id).find(({ pauses }) => pauses)
    const lead = one && (await services.store.findLead(one.lead))
    if (one === undefined || lead === undefined) return
    if ((await resume(services, lead, {}, by)).outcome !== 'done') return
    ledger.lead(lead.id, 'resume')
    ledger.count('callbacks whose follow-up was resumed')
    const random = new Random(seed, `moved anyway ${one.entry}`)
    agenda.add(time.elapsed + random.between(1, 20) * MINUTE, () => this.#move(one, random))
  }

  /** One that was promised by a colleague who has left the team since. */
  async promisedByFormer(id: number): Promise<void> {
    const { services, ledger, time, seed } = this.#deps
    const lead = await services.store.findLead(id)
    if (lead === undefined || lead.stage === 'closed' || ledger.promises.open(lead.id).length > 0) return
    const random = new Random(seed, `callback of a former colleague ${id}`)
    const dueAt = this.#moment(random)
    // Like those that others promise: the time may be outside the best time to call the person.
    const { school } = services.calendar.hoursFor({ ...lead, bestTime: null })
    const reminders = callbackReminders(dueAt, school)
    const waits = isFollowed(lead)
    const plan: CallbackPlan = { dueAt, assignee: LEFT, words: '', moment: 'a moment', reminders }
    const result = await services.store.planCallback(lead.id, { ...plan, actor: LEFT, now: time.now })
    if (result.outcome !== 'done' || result.entry === undefined) return
    ledger.count('callbacks of a former colleague')
    const made = { lead: lead.id, entry: result.entry, dueAt, assignee: LEFT }
    this.#planFate(ledger.promises.add(made, { waits }), random)
  }

  /** By day, some of them in the evening or on a Saturday, when the school is closed. */
  #moment(random: Random): number {
    const { time } = this.#deps
    for (;;) {
      const wait = random.chance(0.5) ? random.between(30 * MINUTE, 5 * HOUR) : random.between(5 * HOUR, 4 * DAY)
      const dueAt = Math.ceil((time.now + wait) / MINUTE) * MINUTE
      const { day, hour } = localTime('America/New_York', dueAt)
      if (day !== 'Sun' && hour >= 9 && hour < 20) return dueAt
    }
  }

  /** Returns the entry; undefined if the lead is gone or closed. */
  async #plan(
    lead: Lead,
    { dueAt, assignee, callback }: { dueAt: number; assignee: string; callback?: number },
  ): Promise<number | undefined> {
    const { services, ledger } = this.#deps
    const { date } = localTime('America/New_York', dueAt)
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/New_York', timeStyle: 'short' }).format(dueAt)
    const input = { when: `${date}T${clock}`, clock: 'school', assignee, text: 'about classes', callback } as const
    const result = await planCallback(services, lead, input, by)
    if (result.outcome === 'done') return result.entry
    ledger.violations.push(`a callback of lead ${lead.id} could not be planned: ${JSON.stringify(result)}`)
    return undefined
  }

  #planFate(one: PromisedCall, random: Random) {
    const { time, agenda } = this.#deps
    const due = time.elapsed + one.dueAt - time.now
    const at = (elapsed: number, plan: () => Promise<void>) => agenda.add(Math.max(elapsed, time.elapsed), plan)
    const dice = random.next()
    if (dice < 0.2) at(random.between(time.elapsed, due + 3 * HOUR), () => this.#move(one, random))
    else if (dice < 0.35) at(random.between(time.elapsed, due + 5 * HOUR), () => this.#end(one, random))
    else if (dice < 0.6) at(due - random.between(-20, 25) * MINUTE, () => this.#call(one, random))
    else at(due + random.between(0.1, 3) * DAY, () => this.#call(one, random))
  }

  /** The person is called at last, unless the callback has ended meanwhile. */
  async #call(one: PromisedCall, random: Random): Promise<void> {
    const { services, ledger } = this.#deps
    if (one.ended !== undefined) return
    const lead = await services.store.findLead(one.lead)
    if (lead === undefined) return
    const outcome = random.pick(['reached', 'no answer', 'voicemail', 'busy'] as const)
    const result = await recordCall(services, lead, { outcome, text: 'a note on the call' }, by)
    if (result.outcome !== 'done') return void ledger.violations.push(`a call to lead ${lead.id} was ${result.outcome}`)
    ledger.lead(lead.id, outcome === 'reached' ? 'contacted' : 'attempted')
    const ended = ledger.promises.called(lead.id)
    // The clocks were set back, and it is not due any more.
    if (!ended.includes(one)) this.#planFate(one, random)
    if (!random.chance(0.25)) return
    const entry = await services.store.readEntry(result.entry ?? 0)
    const undone = entry && (await undo(services, result.lead, { entry }, by))
    if (undone?.outcome !== 'done') return void ledger.violations.push(`a call to lead ${lead.id} could not be undone`)
    ledger.takeBack(lead.id, outcome === 'reached' ? 'contacted' : 'attempted')
    ledger.promises.reopen(ended, { waits: isFollowed(result.lead) })
    for (const again of ended) this.#planFate(again, random)
  }

  async #move(one: PromisedCall, random: Random): Promise<void> {
    const { services, ledger } = this.#deps
    if (one.ended !== undefined) return
    const lead = await services.store.findLead(one.lead)
    const open = await services.store.listCallbacks(one.lead)
    const callback = open.find(({ entry }) => entry === one.entry)?.id
    if (lead === undefined || callback === undefined)
      return void ledger.violations.push(`the callback ${one.entry} of lead ${one.lead} is lost`)
    const dueAt = this.#moment(random)
    if (ledger.promises.open(lead.id).some(other => Math.abs(other.dueAt - dueAt) < APART))
      return this.#end(one, random)
    const assignee = one.assignee === null || one.assignee === LEFT ? random.pick(CALLERS) : one.assignee
    const entry = await this.#plan(lead, { dueAt, assignee, callback })
    if (entry === undefined) return
    ledger.count('callbacks that were moved')
    const moved = ledger.promises.move(one, { entry, dueAt, assignee: nameOf(assignee, lead) })
    if (!random.chance(0.2)) return this.#planFate(moved, random)
    if (!(await this.#undo(lead, entry))) return
    ledger.promises.moveBack(one, moved)
    this.#planFate(one, random)
  }

  async #end(one: PromisedCall, random: Random): Promise<void> {
    const { services, ledger } = this.#deps
    if (one.ended !== undefined) return
    const lead = await services.store.findLead(one.lead)
    const open = await services.store.listCallbacks(one.lead)
    const callback = open.find(({ entry }) => entry === one.entry)?.id
    if (lead === undefined || callback === undefined)
      return void ledger.violations.push(`the callback ${one.entry} of lead ${one.lead} is lost`)
    const result = await endCallback(services, lead, { callback, how: random.pick(['done', 'called off']) }, by)
    if (result.outcome !== 'done' || result.entry === undefined)
      return void ledger.violations.push(`the callback ${one.entry} could not be ended`)
    ledger.promises.end(one)
    ledger.count('callbacks that were ended')
    if (!random.chance(0.3) || !(await this.#undo(lead, result.entry))) return
    ledger.promises.reopen([one], { waits: isFollowed(result.lead) })
    this.#planFate(one, random)
  }

  async #undo(lead: Lead, id: number): Promise<boolean> {
    const { services, ledger } = this.#deps
    const entry = await services.store.readEntry(id)
    const result = entry && (await undo(services, lead, { entry }, by))
    if (result?.outcome === 'done') return true
    ledger.violations.push(`what entry ${id} of lead ${lead.id} says could not be undone: ${result?.outcome}`)
    return false
  }
}

const isFollowed = ({ stage, pausedAt }: Lead): boolean => stage === 'new' && pausedAt === null

/** Who calls by name: what someone promises for their own lead, its counselor has promised. */
const nameOf = (assignee: string, { owner }: Lead): string | null =>
  assignee === 'team' || assignee === owner ? null : assignee
