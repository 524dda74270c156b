/**
 * A sequence: what people do to leads and destinations, what the programs respond, what the clocks show, and which
 * service dies, in the order that a seed draws; some of it in the middle of an attempt.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/time.ts'
import { sql } from '../../test/support/engines.ts'
import { Random } from '../random.ts'
import type { MortalService } from './mortal-service.ts'
import type { Office } from './office.ts'
import { moods, type Program } from './programs.ts'

export type Place = {
  database: DatabaseAddress
  /** The time on the clocks. */
  time: { now: number }
  services: MortalService[]
  office: Office
  programs: Program[]
}

/** What someone did, and in which round. */
export type Done = { what: string; round: number; program?: Program }

const ACTIONS = 40
const PEOPLE = 4
const PAUSES = [SECOND, 6 * SECOND, 30 * SECOND, 5 * MINUTE, 31 * MINUTE, 2 * HOUR, 12 * HOUR, 26 * HOUR]
const BACK = [MINUTE, HOUR, DAY]

/** After everything is well, an event waits for the day between two attempts, and for what a program has asked for. */
export const HEARD_WITHIN = 60 * HOUR

/** The chance that something is done in the middle of an attempt. */
const DURING = 0.1

export class Sequence {
  readonly seed: number
  readonly place: Place
  /** It grows whenever nothing is under way. */
  round = 0
  readonly done: Done[] = []
  /** The leads of people who were erased, if they were known before, and the round in which that was done. */
  readonly erased = new Map<number, number>()
  /** The destinations that were off at the end of a round. */
  readonly off = new Map<number, Set<Program>>()
  /** Events that someone has left out, by the ids of their deliveries. */
  readonly leftOut = new Set<number>()
  readonly violations: string[] = []
  readonly #random: Random
  readonly #people: string[]
  #work: Promise<void>[] = []

  constructor(seed: number, place: Place) {
    this.seed = seed
    this.place = place
    this.#random = new Random(seed, 'sequence')
    this.#people = Array.from({ length: PEOPLE }, (_, n) => `p${n}s${seed}@people.example`)
    const during = new Random(seed, 'during')
    for (const program of place.programs) {
      program.moment = () => ({ round: this.round, at: place.time.now })
      program.onArrival = async () => {
        if (during.chance(DURING)) await this.#act(during)
      }
    }
    // Someone orders a death, and it strikes with a later question, perhaps in another round.
    for (const service of place.services) service.onDeath = () => this.done.push({ what: 'died', round: this.round })
  }

  async play(): Promise<void> {
    const { programs, services, time } = this.place
    for (let action = 0; action < ACTIONS; action++) {
      if (this.#work.length === 0) this.round++
      await this.#act(this.#random)
      if (this.#random.chance(0.7) && this.#work.length === 0) this.#work = services.map(service => service.work())
      if (this.#random.chance(0.5)) await this.#settle()
    }
    for (const program of programs) {
      program.mood = 'well'
      program.onArrival = async () => {}
    }
    await this.#settle()
    for (const program of programs) if (await this.#isOff(program)) await this.#switchOn(program, true)
    await this.#settle()
    for (let waited = 0; waited < HEARD_WITHIN && (await this.#waiting()) > 0; waited += HOUR) {
      time.now += HOUR
      await this.#settle()
    }
  }

  /** Lets the services do what is due, until nothing is under way. Those that die start again. */
  async #settle(): Promise<void> {
    const { services, programs } = this.place
    if (this.#work.length === 0) this.#work = services.map(service => service.work())
    await Promise.all(this.#work)
    const died = services.some(service => service.isDead)
    // What the dead have sent may still be on its way.
    if (died) await wait(20)
    while (programs.some(program => program.isBusy)) await wait(1)
    await Promise.all(services.map(service => service.revive()))
    this.#work = []
    const off = new Set<Program>()
    for (const program of programs) if (await this.#isOff(program)) off.add(program)
    this.off.set(this.round, off)
    this.round++
  }

  async #isOff({ id }: Program): Promise<boolean> {
    const [row] = await this.#rows(`select off_at from destinations where id = ${id}`)
    return row?.['off_at'] != null
  }

  /** How many events and inquiries wait. */
  async #waiting(): Promise<number> {
    const ids = this.place.programs.map(({ id }) => id)
    const [row] = await this.#rows(
      `select (select count(*) from deliveries where destination_id in (${ids.join()}) and settled_at is null)
         + (select count(*) from tasks where kind in ('file', 'refile') and state = 'due') as n`,
    )
    return Number(row?.['n'])
  }

  #rows(text: string): Promise<Record<string, unknown>[]> {
    return sql(this.place.database, text)
  }

  /** Does something at random. */
  async #act(random: Random): Promise<void> {
    const program = random.pick(this.place.programs)
    const email = random.pick(this.#people)
    const what = random.pick(WHAT)
    this.done.push({ what, round: this.round, program })
    await this.#actions[what](program, email, random)
  }

  readonly #actions: Record<Action, (program: Program, email: string, random: Random) => unknown> = {
    inquire: (_, email) => this.place.office.inquire(email),
    'change a stage': (_, email, random) => this.#withLead(email, lead => this.place.office.changeStage(lead, random)),
    'hand over again': (program, email) => this.#withLead(email, lead => this.place.office.handOver(lead, program)),
    erase: (_, email) => this.#erase(email),
    mood: (program, _, random) => {
      program.mood = random.chance(0.5) ? 'well' : random.pick(moods)
    },
    wait: (_p, _e, random) => {
      this.place.time.now += random.pick(PAUSES)
    },
    'set the clock back': (_p, _e, random) => {
      this.place.time.now -= random.pick(BACK)
    },
    die: (_p, _e, random) =>
      random.pick(this.place.services).dieAfter(Math.ceil(random.between(0, 15)), { reaches: random.chance(0.5) }),
    'switch off': program => this.place.office.switchOff(program),
    'switch on': (program, _, random) => this.#switchOn(program, random.chance(0.6)),
    'send a test': program => this.place.office.sendTest(program),
    'resend one': (program, _, random) => this.#resendOne(program, random),
    'resend since': (program, _, random) => this.place.office.resendSince(program, random.chance(0.5)),
    move: (program, _, random) => this.place.office.move(program, String(Math.floor(random.between(0, 100)))),
  }

  /** Does something with a lead of a person, if they have one. */
  async #withLead(email: string, act: (lead: number) => Promise<void>): Promise<void> {
    const [row] = await this.#rows(`select id from leads where person_key = '${email}' and merged_into is null`)
    if (row !== undefined) await act(Number(row['id']))
  }

  async #erase(email: string): Promise<void> {
    const before = await this.#rows(`select id from leads where person_key = '${email}'`)
    await this.place.office.erase(email)
    for (const { id } of before) this.erased.set(Number(id), this.erased.get(Number(id)) ?? this.round)
  }

  async #switchOn(program: Program, missed: boolean): Promise<void> {
    this.done.push({ what: 'switch on', round: this.round, program })
    await this.place.office.switchOn(program, missed)
    const rows = await this.#rows(
      `select deliveries.id from deliveries join tasks on kind = 'deliver' and subject = deliveries.id
       where destination_id = ${program.id} and note = 'the destination was off'`,
    )
    for (const { id } of rows) this.leftOut.add(Number(id))
  }

  async #resendOne(program: Program, random: Random): Promise<void> {
    const rows = await this.#rows(`select id from deliveries where destination_id = ${program.id} order by id`)
    if (rows.length > 0) await this.place.office.resendOne(program, Number(random.pick(rows)['id']))
  }
}

/** How often each action is drawn, relative to the others. */
const SHARES = {
  inquire: 6,
  'change a stage': 5,
  'hand over again': 1,
  erase: 1,
  mood: 6,
  wait: 7,
  'set the clock back': 1,
  die: 2,
  'switch off': 1,
  'switch on': 3,
  'send a test': 1,
  'resend one': 1,
  'resend since': 1,
  move: 1,
} as const

type Action = keyof typeof SHARES

const WHAT = (Object.entries(SHARES) as [Action, number][]).flatMap(([what, share]) => Array<Action>(share).fill(what))
