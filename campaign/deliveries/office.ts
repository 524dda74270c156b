/** What people at a school do with leads and destinations, at random, on the database that the services share. */
import { addDestination } from '../../src/console/destinations/add-destination.ts'
import { openSettings, sealSettings } from '../../src/destinations/sealed-settings.ts'
import { webhook } from '../../src/destinations/webhook.ts'
import { enter } from '../../src/http/entered-inquiry.ts'
import { createIntake, type Intake } from '../../src/http/intake.ts'
import type { Services } from '../../src/lead-actions/services.ts'
import { everyEvent } from '../../src/leads/lead/lead-events.ts'
import { stages } from '../../src/leads/lead/stages.ts'
import { DAY } from '../../src/platform/time.ts'
import type { Random } from '../random.ts'
import type { Program } from './programs.ts'

const NO_FILTER = { kind: null, stages: [], states: [], programs: [], tags: [] }
const by = (now: number) => ({ actor: 'operator', now })

export class Office {
  readonly #services: Services
  readonly #secretKey: string
  readonly #intake: Intake
  #inquiries = 0

  constructor(services: Services, secretKey: string) {
    const { store, settings } = services
    this.#services = services
    this.#secretKey = secretKey
    this.#intake = createIntake({
      store,
      clock: store.clock,
      settings,
      directory: undefined,
      events: { count: () => {} },
      accepted: () => {},
    })
  }

  get #now(): number {
    return this.#services.clock.now()
  }

  /** Adds a program as a destination that hears of everything. */
  async add(program: Program, name: string): Promise<void> {
    const { store, clock } = this.#services
    const choices = { name, filter: NO_FILTER, events: everyEvent, fields: [] }
    const values = { url: `${program.origin}/0` }
    const services = { store, clock, secretKey: this.#secretKey }
    const added = await addDestination(services, { kind: ['webhook', webhook], choices, values, audit: [] })
    if (added === 'too many') throw new Error('There are too many destinations.')
    program.id = added.id
  }

  async remove({ id }: Program): Promise<void> {
    await this.#services.store.deleteDestination(id, { now: this.#now, audit: [] })
  }

  /** Changes the path that a program is told at. */
  async move({ id, origin }: Program, path: string): Promise<void> {
    const { store } = this.#services
    const one = await store.readDestination(id)
    const sealed = one && openSettings(this.#secretKey, one)
    if (one === undefined || sealed === undefined) throw new Error('A destination cannot be read.')
    const values = { ...sealed.values, url: `${origin}/${path}` }
    await store.changeDestination(
      id,
      { ...one, sealed: sealSettings(this.#secretKey, one.ref, { ...sealed, values }) },
      [],
    )
  }

  /** Enters an inquiry of the person with this address. */
  async inquire(email: string): Promise<void> {
    const count = ++this.#inquiries
    const entered = { by: 'operator', name: 'operator', mayWrite: false, reached: false }
    const values = { firstName: 'Ana', lastName: 'Zimtstern', email, message: `inquiry ${count}` }
    const more = { language: 'en', cameFrom: '', nonce: `call ${email} ${count}`, clientAddress: '127.0.0.1' }
    const { outcome } = await enter(this.#intake, { kind: 'student', values, entered, ...more }, this.#now)
    if (outcome !== 'accepted') throw new Error(`An inquiry of ${email} was ${outcome}.`)
  }

  async changeStage(lead: number, random: Random): Promise<void> {
    const to = { stage: random.pick(stages.student.filter(one => one !== 'closed')), closedReason: null }
    await this.#services.store.changeStage(lead, { ...to, ...by(this.#now) })
  }

  async handOver(lead: number, { id }: Program): Promise<void> {
    await this.#services.store.handOverLead(lead, { destinations: [id], now: this.#now, audit: [] })
  }

  async erase(email: string): Promise<void> {
    const erasing = { askedBy: 'the office', confirmedBy: null, reason: 'asked', addressHash: undefined } as const
    await this.#services.store.erasePerson(email, { ...erasing, now: this.#now })
  }

  async switchOff({ id }: Program): Promise<void> {
    await this.#services.store.switchOff(id, { reason: 'switched off', now: this.#now, audit: [] })
  }

  async switchOn({ id }: Program, missed: boolean): Promise<void> {
    await this.#services.store.switchOn(id, { missed, now: this.#now, audit: [] })
  }

  async sendTest({ id }: Program): Promise<void> {
    await this.#services.store.sendTest(id, { now: this.#now, audit: [] })
  }

  async resendOne({ id }: Program, delivery: number): Promise<void> {
    await this.#services.store.resendDeliveries(id, { which: { id: delivery }, audit: [] })
  }

  async resendSince({ id }: Program, undelivered: boolean): Promise<void> {
    await this.#services.store.resendDeliveries(id, { which: { since: this.#now - DAY, undelivered }, audit: [] })
  }
}
