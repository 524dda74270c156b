/**
 * The lists of people that the staff of a simulated month import: who is on them, and what becomes of them. Some lists are
 * imported by mistake, and undone.
 */
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { addNote } from '../../src/lead-actions/add-note.ts'
import { close } from '../../src/lead-actions/close.ts'
import { hold } from '../../src/lead-actions/hold.ts'
import { startImport, undoImport } from '../../src/lead-actions/import-list.ts'
import type { Services } from '../../src/lead-actions/services.ts'
import { storeList } from '../../src/lead-actions/upload-list.ts'
import { DAY, HOUR } from '../../src/platform/time.ts'
import { finishCheck } from '../../src/tasks/importing.ts'
import { sql } from '../../test/support/engines.ts'
import { Random } from '../random.ts'
import type { Agenda } from './agenda.ts'
import { ZONES } from './hours.ts'
import type { Ledger } from './ledger.ts'
import { listedAddress, type Person, readPerson } from './people.ts'
import { COUNSELORS, LAST_NAME } from './school.ts'
import type { Moment, WorldTime } from './world-time.ts'

export type ListedPerson = {
  email: string
  state: string
  list: List
  /** Their lead, once it was imported. */
  lead: number | undefined
  /** What the staff did to it. Any of these keeps it when the list is undone. */
  acts: (Moment & { what: 'closed' | 'note' | 'hold' })[]
}

export type List = {
  n: number
  id: number
  /** Whether they all agreed that we write to them. */
  mayWrite: boolean
  imported: Moment
  undone: Moment | undefined
  people: ListedPerson[]
  /** The address of someone who had written in before, and is on the list, too. */
  known: string | undefined
}

type ListServices = {
  seed: number
  time: WorldTime
  people: readonly Person[]
  database: DatabaseAddress
  ledger: Ledger
  agenda: Agenda
  services: Services
  /** The steps in which a replica was killed. */
  killedIn: ReadonlySet<number>
}

/** A kill may hold an import up for as many steps. */
const HELD_UP = 2

const by = { actor: 'operator' }

/** When each list is imported, in days; the first ones are old enough to be erased before the month ends. */
const PLANS = [
  { day: 0.3, mayWrite: false, undo: false },
  { day: 2, mayWrite: false, undo: true },
  { day: 9, mayWrite: true, undo: false },
  { day: 14, mayWrite: true, undo: true },
  { day: 25, mayWrite: false, undo: false },
]

/** As long as it can be undone as a whole. */
const UNDO_TIME = DAY

const states = Object.keys(ZONES)

/** Whether a person has gone with the list that was undone: they were not worked on before. */
export const isTakenBack = ({ list: { undone }, acts }: ListedPerson): boolean =>
  undone !== undefined && acts.every(act => act.elapsed > undone.elapsed)

export class Lists {
  readonly all: List[] = []
  readonly #deps: ListServices
  readonly #size: number

  constructor(deps: ListServices) {
    this.#deps = deps
    this.#size = Math.max(4, Math.round(deps.people.length / 15))
  }

  /** Whether we may write to someone, since a list says so. */
  mayWrite(address: string): boolean {
    return this.all.some(({ mayWrite, people }) => mayWrite && people.some(({ email }) => email === address))
  }

  personOf(lead: number): ListedPerson | undefined {
    return this.all.flatMap(({ people }) => people).find(one => one.lead === lead)
  }

  plan(): void {
    const random = new Random(this.#deps.seed, 'lists')
    for (const [n, { day, ...how }] of PLANS.entries())
      this.#deps.agenda.addEarly((day + random.next()) * DAY, () => this.#import(n, how))
  }

  async #import(n: number, { mayWrite, undo }: { mayWrite: boolean; undo: boolean }): Promise<void> {
    const { seed, services, ledger, time, agenda } = this.#deps
    const { store } = services
    const random = new Random(seed, `list ${n}`)
    const rows = Array.from({ length: this.#size }, (_, row) => ({
      email: listedAddress(n, row),
      state: random.pick(states),
    }))
    const known = await this.#known(random)
    const cells = [...rows, ...(known === undefined ? [] : [{ email: known, state: '' }])].map(
      ({ email, state }, row) =>
        ['Lia', `${LAST_NAME} Listed`, email, `512-2${n}0-${String(row).padStart(4, '0')}`, state].join(','),
    )
    const text = ['First name,Last name,Email,Phone,State', ...cells, ''].join('\n')
    const upload = { bytes: Buffer.from(text), fileName: `fair-${n}.csv`, by: by.actor, now: time.now }
    const id = await storeList(store, upload)
    const columns = ['firstName', 'lastName', 'email', 'phone', 'state'] as const
    const owner = random.pick(COUNSELORS).id
    const plan = {
      kind: 'student',
      columns: [...columns],
      source: `Fair ${n}`,
      language: 'en',
      mayWrite,
      owner,
    } as const
    await store.checkImport(id, { plan: { ...plan, columns: [...columns] }, now: time.now })
    const list = await finishCheck(services, id)
    const started = list && (await startImport(services, list, {}, by))
    if (started?.outcome !== 'done') return void ledger.violations.push(`list ${n} could not be imported`)
    ledger.count('lists')
    const kept: List = { n, id, mayWrite, imported: ledger.moment(), undone: undefined, people: [], known }
    kept.people = rows.map(row => ({ ...row, list: kept, lead: undefined, acts: [] }))
    this.all.push(kept)
    agenda.addEarly(time.elapsed + random.between(0.5, 3) * HOUR, () => this.#work(kept, random))
    if (undo) agenda.addEarly(time.elapsed + random.between(4, 20) * HOUR, () => this.#undo(kept))
  }

  /** The address of someone who has an open lead. */
  async #known(random: Random): Promise<string | undefined> {
    const { database } = this.#deps
    const rows = await sql(database, `select email from leads where kind = 'student' and stage <> 'closed' order by id`)
    const known = rows.map(({ email }) => String(email)).filter(email => readPerson(email) !== undefined)
    return known.length === 0 ? undefined : random.pick(known)
  }

  /** Some of them are looked after: closed after a while, with a note, or kept longer. */
  async #work(list: List, random: Random): Promise<void> {
    const { database, agenda, time, ledger, killedIn } = this.#deps
    const heldUp = Array.from({ length: HELD_UP }, (_, i) => time.tick - 1 - i).some(tick => killedIn.has(tick))
    const found = await sql(database, `select id, email from leads where email like '${listedAddress(list.n, '%')}'`)
    for (const person of list.people) {
      person.lead = Number(found.find(({ email }) => email === person.email)?.['id'])
      if (Number.isNaN(person.lead)) {
        if (heldUp) return agenda.addEarly(time.elapsed, () => this.#work(list, random))
        ledger.violations.push(
          `a person on list ${list.n} has no lead ${time.elapsed - list.imported.elapsed} ms later`,
        )
        return
      }
    }
    const some = list.people.filter((_, i) => i % 2 === 1)
    for (const person of some) {
      agenda.addEarly(time.elapsed + random.between(0, 3) * HOUR, () => this.#act(person, 'note'))
      const closing = time.elapsed + random.between(0.1, list.n === 0 ? 12 : 3) * DAY
      agenda.addEarly(closing, () => this.#act(person, 'closed'))
      const later = random.pick([undefined, undefined, undefined, 'hold', 'note'] as const)
      if (later) agenda.addEarly(closing + random.between(0, 30) * DAY, () => this.#act(person, later))
    }
  }

  async #act(person: ListedPerson, what: ListedPerson['acts'][number]['what']): Promise<void> {
    const { services, ledger } = this.#deps
    const lead = await services.store.findLead(person.lead ?? 0)
    if (lead === undefined) return
    const kept = { reason: 'a grant', until: null, note: 'They are in a program with a grant.' }
    const { outcome } =
      what === 'closed'
        ? await close(services, lead, { reason: 'not interested' }, by)
        : what === 'note'
          ? await addNote(services, lead, { text: 'They were at the fair.' }, by)
          : await hold(services, lead, kept, by)
    if (outcome !== 'done') return
    person.acts.push({ what, ...ledger.moment() })
    ledger.count(`listed: ${what}`)
  }

  async #undo(list: List): Promise<void> {
    const { services, ledger, time } = this.#deps
    const { store } = services
    const found = await store.readImport(list.id)
    const undone = found && (await undoImport(services, found, {}, by))
    if (undone?.outcome === 'done') {
      list.undone = ledger.moment()
      ledger.count('lists that were undone')
    } else if (time.now - list.imported.at < UNDO_TIME)
      ledger.violations.push(`list ${list.n} could not be undone: ${undone?.outcome} in state ${found?.state}`)
  }
}
