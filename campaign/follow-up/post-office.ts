/**
 * The mail server of a simulated month. It records when each message came, by the clocks of that moment,
 * and fails on purpose, by seed: it rejects messages temporarily or permanently, hangs up on messages
 * that it has accepted, and has outages.
 */
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { Random } from '../random.ts'
import type { Cleanup } from '../set-up.ts'
import { type Mail, readMail, readPromised, readWroteBack } from './mail.ts'
import { type Person, readAbout, readListed, readPerson } from './people.ts'
import type { Outage, WorldTime } from './world-time.ts'

/** `dropped`: the sender never learned that the message was accepted. It then comes again, perhaps to someone else. */
export type Delivery = { tick: number; at: number; to: string; dropped: boolean }

export type Message = Pick<Mail, 'id' | 'kind' | 'subject' | 'step' | 'to'> & {
  deliveries: Delivery[]
  /** The person whose address the text contains. */
  about: number | undefined
  /** The address of a person on a list that it contains, or that it went to. */
  listed: string | undefined
  /** The leads that a list of unattended leads names as promised a call; undefined for every other message. */
  promised?: number[] | undefined
  /** The same for people who wrote back. */
  wroteBack?: number[] | undefined
}

const DEFERRED_AT_RCPT = 0.015
const DEFERRED_AT_DATA = 0.01
const ACCEPTED_AND_DROPPED = 0.01
const NEVER_ACCEPTED = 0.002

export type PostOfficeOptions = {
  seed: number
  time: WorldTime
  people: Person[]
  outages: Outage[]
  /** Called with every message that comes for the first time. */
  arrived: (mail: Mail) => void
}

export class PostOffice {
  readonly byId = new Map<string, Message>()
  /** The messages that were permanently rejected, by `keyOf`. */
  readonly rejected = new Set<string>()
  /** The steps in which each message was temporarily rejected, by `keyOf`. */
  readonly #deferrals = new Map<string, number[]>()
  /** The steps in which a recipient was. A reply at that point cannot know for which message: it says which of these. */
  readonly #deferredRecipients: number[] = []
  readonly counts = { accepted: 0, deferred: 0, rejected: 0, dropped: 0, outages: 0 }
  /** The steps in which it rejected one of these. */
  readonly rejections: number[] = []
  /** The steps in which it accepted nothing, at each attempt, in their order. */
  readonly failures: number[] = []
  /** The steps in which a replica was killed, perhaps before it recorded that a message was accepted. */
  readonly killedIn = new Set<number>()
  /** Called at each command, before the reply. */
  onCommand: () => void = () => {}
  readonly #options: PostOfficeOptions
  readonly #tries = new Map<string, number>()
  readonly #server: SMTPServer

  constructor(options: PostOfficeOptions) {
    this.#options = options
    this.#server = new SMTPServer({
      disableReverseLookup: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onConnect: (_session, done) => {
        const out = this.#fails('unavailable')
        done(out ? failure(421, '4.3.2 the mail server is unavailable') : null)
      },
      onMailFrom: (_address, _session, done) => {
        this.onCommand()
        const out = this.#fails('deferred')
        done(out ? failure(451, '4.3.2 try again later') : null)
      },
      onRcptTo: ({ address }, _session, done) => {
        this.onCommand()
        done(this.#verdictOnRecipient(address))
      },
      onData: (stream, { envelope, remotePort }, done) => {
        stream.toArray().then(
          chunks => {
            this.onCommand()
            const to = envelope.rcptTo.map(({ address }) => address).join(',')
            const mail = readMail(Buffer.concat(chunks).toString('latin1'), to)
            this.#take(mail, done, () => this.#hangUp(remotePort))
          },
          () => {},
        )
      },
    })
    // The campaign kills senders in the middle of messages.
    this.#server.on('error', () => {})
  }

  /** Starts the server on a free port and returns its URL. It is stopped after the campaign. */
  async open(t: Cleanup): Promise<string> {
    const server = this.#server.server as Server
    server.on('connection', socket => {
      const port = socket.remotePort as number
      this.#sockets.set(port, () => socket.destroy())
      socket.on('close', () => this.#sockets.delete(port))
      if (this.#fails('dropped')) socket.destroy()
    })
    this.#server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => new Promise<void>(resolve => this.#server.close(resolve)))
    return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  readonly #sockets = new Map<number, () => void>()
  #hangUp(port: number) {
    this.#sockets.get(port)?.()
  }

  /** Whether it may come again, because no replica could know that it had been accepted. */
  mayBeLost({ tick, dropped }: Delivery): boolean {
    return dropped || this.killedIn.has(tick)
  }

  /** Whether it accepts nothing now, and says so in this way. */
  #fails(how: Outage['how']): boolean {
    const { time, outages } = this.#options
    const outage = outages.find(({ from, to }) => from <= time.elapsed && time.elapsed < to)
    if (outage?.how !== how) return false
    this.counts.outages++
    this.failures.push(time.tick)
    return true
  }

  #deferred(key: string, tick = this.#options.time.tick) {
    this.#deferrals.set(key, [...(this.#deferrals.get(key) ?? []), tick])
  }

  /** Takes down that a recipient was temporarily rejected, and returns its number. */
  deferRecipient(tick: number): number {
    this.counts.deferred++
    return this.#deferredRecipients.push(tick) - 1
  }

  /** Learns for which message the recipient was that a reply with this number rejected. */
  learnDeferred(number: number, key: string): void {
    const tick = this.#deferredRecipients[number]
    if (tick !== undefined) this.#deferred(key, tick)
  }

  /** Whether it temporarily rejected messages in this step: all of them, or this one (by `keyOf`). */
  mayHaveDeferred(tick: number, key: string): boolean {
    return this.endOfOutage(tick) !== undefined || this.#deferrals.get(key)?.includes(tick) === true
  }

  /** When the outage ends that a step of time is in, in milliseconds that have passed; undefined if it is in none. */
  endOfOutage(tick: number): number | undefined {
    const { time, outages } = this.#options
    const elapsed = time.elapsedIn(tick)
    return outages.find(({ from, to }) => from <= elapsed && elapsed < to)?.to
  }

  #verdictOnRecipient(address: string): Error | null {
    const { people } = this.#options
    const n = readPerson(address)
    if (n !== undefined && people[n]?.unknown) {
      this.counts.rejected++
      return failure(550, '5.1.1 no such mailbox')
    }
    if (this.#dice(`rcpt ${address}`).next() >= DEFERRED_AT_RCPT) return null
    return failure(451, `4.7.1 try again later (recipient ${this.deferRecipient(this.#options.time.tick)})`)
  }

  #take(mail: Mail, done: (error?: Error) => void, hangUp: () => void) {
    const key = keyOf(mail)
    // What someone at the school wrote is not rejected: the person would wait again, which no one records.
    const refused = new Random(this.#options.seed, `refused ${key}`).chance(NEVER_ACCEPTED)
    if (refused && mail.kind !== 'message') {
      this.rejected.add(key)
      this.rejections.push(this.#options.time.tick)
      this.counts.rejected++
      return done(failure(554, '5.6.0 message rejected'))
    }
    const dice = this.#dice(`data ${key}`).next()
    if (dice < DEFERRED_AT_DATA) {
      this.counts.deferred++
      this.#deferred(key)
      return done(failure(451, '4.3.0 try again later'))
    }
    const dropped = dice < DEFERRED_AT_DATA + ACCEPTED_AND_DROPPED
    this.#keep(mail, dropped)
    if (!dropped) return done()
    this.counts.dropped++
    hangUp()
  }

  #keep(mail: Mail, dropped: boolean) {
    const { time, arrived } = this.#options
    const delivery = { tick: time.tick, at: time.now, to: mail.to, dropped }
    this.counts.accepted++
    const known = this.byId.get(mail.id)
    if (known !== undefined) return void known.deliveries.push(delivery)
    const { id, kind, subject, step, to } = mail
    const about = readAbout(mail.text)
    const listed = readListed(to) ?? readListed(mail.text)
    const named = kind === 'unattended' ? { promised: readPromised(mail), wroteBack: readWroteBack(mail) } : {}
    this.byId.set(id, { id, kind, subject, step, to, deliveries: [delivery], about, listed, ...named })
    arrived(mail)
  }

  /** Random numbers for the next attempt at something, which are the same for the same seed. */
  #dice(what: string): Random {
    const tries = (this.#tries.get(what) ?? 0) + 1
    this.#tries.set(what, tries)
    return new Random(this.#options.seed, `${what} ${tries}`)
  }
}

/** The key of a message's task. */
export const keyOf = ({ kind, subject, step }: Pick<Mail, 'kind' | 'subject' | 'step'>): string =>
  `${kind}.${subject}.${step}`

/** The keys of all tasks whose message came, or was permanently rejected. */
export const triedKeys = ({ byId, rejected }: Pick<PostOffice, 'byId' | 'rejected'>): string[] => [
  ...[...byId.values()].map(keyOf),
  ...rejected,
]

const failure = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })
