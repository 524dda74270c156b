/**
 * Looks at *Today* in the console as one of the staff, now and then: the people that they are to call by now, and those
 * who wait for an answer from them, must be there once, and none that someone else is to call.
 */
import type { DatabaseAddress } from '../../src/config/environment.ts'
import type { Store } from '../../src/store/store.ts'
import { sql } from '../../test/support/engines.ts'
import { Random } from '../random.ts'
import { cookieOf } from './console-session.ts'
import type { Ledger } from './ledger.ts'
import { COUNSELORS, MANAGER, mailboxOf } from './school.ts'
import { openReplies } from './waits.ts'
import type { Web } from './web.ts'
import { SKEW, type WorldTime } from './world-time.ts'

type TodayServices = {
  seed: number
  time: WorldTime
  ledger: Ledger
  web: Web
  store: Store
  database: DatabaseAddress
}

/** How often someone looks while there is something to see. */
const LOOKS = 0.25

/** A page lists this many of each sort, and counts the others. */
const SHOWN = 40

/** What a page shows: the leads under each heading. */
type Shown = Map<string, number[]>

/** The headings by what the card of the first person says. */
const FIRST = new Map([
  ['promised a call', 'Promised a call'],
  ['wrote back', 'Wrote back, not answered'],
  ['to call now', 'To call now'],
])

const leadsIn = (html: string): number[] => [...html.matchAll(/ data-lead="(\d+)"/g)].map(([, id]) => Number(id))

export class TodayWatch {
  readonly #deps: TodayServices
  readonly #random: Random
  /** The operators by the ids of the staff. */
  readonly operators = new Map<string, number>()

  constructor(deps: TodayServices) {
    this.#deps = deps
    this.#random = new Random(deps.seed, 'today')
  }

  /** Makes an operator of each counselor and of the manager. */
  async open(): Promise<void> {
    const { store, time } = this.#deps
    for (const id of [...COUNSELORS.map(one => one.id), MANAGER]) {
      const role = id === MANAGER ? 'manager' : 'counselor'
      const operator = await store.addOperator({ email: mailboxOf(id, 'student'), name: id, role, now: time.now })
      if (operator !== undefined) this.operators.set(id, operator)
    }
  }

  /** Lets someone look, if there is anything to see. No replica may be working on anything else. */
  async look(): Promise<void> {
    const { ledger, database, time } = this.#deps
    const due = ledger.promises.all.filter(one => one.ended === undefined && one.dueAt <= time.now)
    const waiting = [...ledger.leads].filter(
      ([id, acts]) => openReplies(acts).length > 0 && !ledger.erasedLeads.has(id),
    )
    if (due.length + waiting.length === 0 || !this.#random.chance(LOOKS)) return
    const rows = await sql(database, 'select id, owner from leads')
    const owners = new Map(rows.map(row => [Number(row['id']), row['owner'] as string | null]))
    // Mostly someone who has something to see.
    const callers = due.flatMap(({ lead, assignee }) => assignee ?? owners.get(lead) ?? [])
    const known = callers.filter(id => this.operators.has(id))
    const who = this.#random.pick([...this.operators.keys(), ...known, ...known])
    const isTheirs = (lead: number, assignee: string | null = null) => {
      const named = assignee !== null && this.operators.has(assignee) ? assignee : owners.get(lead)
      return named === who || named == null
    }
    const shown = await this.#read(who)
    ledger.count('looks at Today')
    const at = `at ${new Date(time.now).toISOString()}`
    const all = [...shown.values()].flat()
    const twice = all.filter((id, i) => all.indexOf(id) !== i)
    if (twice.length > 0) ledger.violations.push(`Today of ${who} shows lead ${twice[0]} twice ${at}`)
    const called = shown.get('Promised a call') ?? []
    const theirs = new Set(due.filter(one => isTheirs(one.lead, one.assignee)).map(({ lead }) => lead))
    for (const { lead, dueAt, entry } of due)
      if (theirs.has(lead) && time.now - dueAt > SKEW && !called.includes(lead) && theirs.size <= SHOWN)
        ledger.violations.push(`the callback ${entry} of lead ${lead} is not on Today of ${who} ${at}`)
    for (const lead of called)
      if (!ledger.promises.open(lead).some(one => isTheirs(lead, one.assignee) && one.dueAt <= time.now + SKEW))
        ledger.violations.push(`lead ${lead} is among the promised calls of ${who} ${at}`)
    const unanswered = [...called, ...(shown.get('Wrote back, not answered') ?? [])]
    for (const [lead] of waiting)
      if (isTheirs(lead) && !unanswered.includes(lead) && waiting.length <= SHOWN)
        ledger.violations.push(`lead ${lead} waits for an answer, but is not on Today of ${who} ${at}`)
  }

  async #read(who: string): Promise<Shown> {
    const { store, time, web, ledger } = this.#deps
    const headers = { Cookie: await cookieOf(store, this.operators.get(who) ?? 0, time.now), 'X-Part': 'list' }
    const { status, text } = await web.read('console', '/today', { method: 'GET', headers })
    if (status !== 200) ledger.violations.push(`Today of ${who} returned ${status}`)
    const [card = '', ...parts] = text.split('<h2 class="list-head">')
    const shown: Shown = new Map(parts.map(part => [part.slice(0, part.indexOf('<')), leadsIn(part)]))
    // The first person stands on a card, above the list.
    const heading = FIRST.get(/>Next: ([^<]*)</.exec(card)?.[1] ?? '')
    if (heading !== undefined) shown.set(heading, [...leadsIn(card), ...(shown.get(heading) ?? [])])
    return shown
  }
}
