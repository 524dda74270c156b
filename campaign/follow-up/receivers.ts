/**
 * Two programs of the school that hear of every lead. One of them receives well, and now and then answers with an error or
 * hangs up. The other fails from one day on, until the service has switched it off; days after that it is well, and someone
 * switches it on again.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addDestination } from '../../src/console/destinations/add-destination.ts'
import { webhook } from '../../src/destinations/webhook.ts'
import { type EventType, everyEvent } from '../../src/leads/lead/lead-events.ts'
import { DAY } from '../../src/platform/time.ts'
import type { Store } from '../../src/store/store.ts'
import { Random } from '../random.ts'
import type { Cleanup } from '../set-up.ts'
import type { Agenda } from './agenda.ts'
import type { Ledger } from './ledger.ts'
import { environment } from './school.ts'
import type { Moment, WorldTime } from './world-time.ts'

/** An event as a program received it. `unsure`: the service may not know that it arrived. */
export type Heard = Moment & {
  id: string
  type: string
  lead: number | undefined
  submission: number | undefined
  unsure: boolean
}

export type Receiver = {
  name: string
  /** What it hears of, besides that leads were erased. */
  events: readonly EventType[]
  id: number
  heard: Heard[]
  /** The steps in which it did not take an event. */
  failures: number[]
  /** When each event was first tried that it has not received. */
  missed: Map<string, Moment>
  /** While it fails: when it first did, when it was last asked, and when the first of its events was first tried. */
  failing: { first: Moment | undefined; last: Moment | undefined; since: number } | undefined
  /** When and why the service had switched it off, as it said when someone switched it on again. */
  off: { at: number; reason: string } | undefined
  /** When that was. */
  on: Moment | undefined
}

type ReceiverServices = { seed: number; time: WorldTime; ledger: Ledger; agenda: Agenda; store: Store }

/** After the clocks were set for the last time, and long enough before the end that it is switched off by then. */
const FAILS_FROM = [25, 27] as const

/** Days after that, someone switches it on again. */
const ON_AFTER = 9

const ERROR = 0.02
const HUNG_UP = 0.01

export class Receivers {
  readonly all: Receiver[] = []
  readonly #deps: ReceiverServices
  readonly #random: Random

  constructor(deps: ReceiverServices) {
    this.#deps = deps
    this.#random = new Random(deps.seed, 'receivers')
  }

  async open(t: Cleanup): Promise<void> {
    await this.#openOne(t, 'Records', everyEvent)
    await this.#openOne(t, 'Old records', ['lead.created', 'lead.stage_changed'])
    const { agenda, time, ledger, store } = this.#deps
    const old = this.all[1] as Receiver
    const from = this.#random.between(...FAILS_FROM) * DAY
    agenda.addEarly(from, async () => {
      old.failing = { first: undefined, last: undefined, since: Infinity }
    })
    agenda.addEarly(from + ON_AFTER * DAY, async () => {
      old.off = (await store.readDestination(old.id))?.off
      old.on = ledger.moment()
      await store.switchOn(old.id, { missed: true, now: time.now, audit: [] })
    })
  }

  async #openOne(t: Cleanup, name: string, events: EventType[]): Promise<void> {
    const { store, time } = this.#deps
    const never = { failing: undefined, off: undefined, on: undefined }
    const receiver: Receiver = { name, events, id: 0, heard: [], failures: [], missed: new Map(), ...never }
    const server = createServer(async (request, response) => {
      const body = await request.toArray().catch(() => undefined)
      if (body !== undefined) this.#answer(receiver, request.headers, String(Buffer.concat(body)), response)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name.replace(' ', '-')}`
    const filter = { kind: null, stages: [], states: [], programs: [], tags: [] }
    const choices = { name, filter, events, fields: [] }
    const services = { store, clock: { now: () => time.now }, secretKey: environment.SECRET_KEY }
    const added = await addDestination(services, { kind: ['webhook', webhook], choices, values: { url }, audit: [] })
    if (added === 'too many') throw new Error('There are too many destinations.')
    receiver.id = added.id
    this.all.push(receiver)
  }

  #answer(receiver: Receiver, headers: IncomingHttpHeaders, body: string, response: ServerResponse) {
    const { ledger } = this.#deps
    const now = ledger.moment()
    const id = String(headers['webhook-id'])
    // By chance, an event may have failed before the program does, and waits since then.
    const tried = receiver.missed.get(id) ?? now
    receiver.missed.set(id, tried)
    const fails = () => {
      receiver.failures.push(now.tick)
      response.writeHead(500).end()
    }
    if (receiver.failing !== undefined && receiver.on === undefined) {
      const { failing } = receiver
      failing.first ??= now
      failing.last = now
      failing.since = Math.min(failing.since, tried.at)
      return fails()
    }
    const dice = this.#random.next()
    if (dice < ERROR) return fails()
    const hungUp = dice < ERROR + HUNG_UP
    const { type, data } = JSON.parse(body)
    receiver.heard.push({ ...now, id, type, lead: data.lead?.id, submission: data.submission, unsure: hungUp })
    if (hungUp) {
      receiver.failures.push(now.tick)
      return void response.destroy()
    }
    receiver.missed.delete(id)
    response.writeHead(204).end()
  }
}
