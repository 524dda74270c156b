/** Programs of a school that hear of leads. Each responds in its mood, which a sequence changes. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from '../random.ts'
import type { Cleanup } from '../set-up.ts'

/** A request as a program got it. */
export type Heard = {
  id: string
  type: string
  lead: number | undefined
  timestamp: string
  path: string
  /** The round of the sequence in which it arrived, and the time on the clocks. */
  round: number
  at: number
  accepted: boolean
  /** The service cannot know whether it was accepted. */
  unsure: boolean
  /** It is not to be sent again. */
  aborted: boolean
  /** How long the program asks it to wait, in milliseconds. */
  asked: number
}

type Answer = { status: number; headers?: Record<string, string> } | 'hang up' | 'hang'

/** How a program responds in each mood. */
const answers: Record<string, (random: Random) => Answer> = {
  well: () => ({ status: 204 }),
  fails: () => ({ status: 500 }),
  busy: random => ({ status: 503, headers: { 'Retry-After': String(random.pick([20, 600, 7200])) } }),
  limits: () => ({ status: 429, headers: { 'Retry-After': '60' } }),
  gone: () => ({ status: 410 }),
  aborts: () => ({ status: 400, headers: { 'webhook-delivery': 'abort-message' } }),
  'hangs up': () => 'hang up',
  hangs: () => 'hang',
  'is moody': random => random.pick([{ status: 204 }, { status: 204 }, { status: 500 }, 'hang up']),
}

export type Mood = keyof typeof answers & string

export const moods: readonly Mood[] = Object.keys(answers)

export class Program {
  mood: Mood = 'well'
  readonly heard: Heard[] = []
  /** Where it listens, without a path. */
  origin = ''
  /** The id of its destination. */
  id = 0
  /** Called when a request has arrived, before its response. */
  onArrival: () => Promise<void> = async () => {}
  /** The moment of an arrival. */
  moment: () => { round: number; at: number } = () => ({ round: 0, at: 0 })
  #busy = 0

  async open(t: Cleanup, random: Random): Promise<void> {
    const server = createServer(async (request, response) => {
      this.#busy++
      try {
        const body = String(Buffer.concat(await request.toArray()))
        await this.#hear({ path: request.url ?? '', headers: request.headers, body, response }, random)
      } finally {
        this.#busy--
      }
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** Whether it has requests to which it has not responded yet. */
  get isBusy(): boolean {
    return this.#busy > 0
  }

  async #hear(
    one: { path: string; headers: IncomingHttpHeaders; body: string; response: ServerResponse },
    random: Random,
  ): Promise<void> {
    const answer = answers[this.mood]?.(random) ?? { status: 204 }
    const { type, timestamp, data } = JSON.parse(one.body)
    const unsure = typeof answer === 'string'
    const headers = unsure ? {} : (answer.headers ?? {})
    this.heard.push({
      ...this.moment(),
      id: String(one.headers['webhook-id']),
      type,
      timestamp,
      lead: data.lead?.id,
      path: one.path,
      unsure,
      accepted: unsure || answer.status === 204,
      aborted: 'webhook-delivery' in headers,
      asked: Number(headers['Retry-After'] ?? 0) * 1000,
    })
    await this.onArrival()
    if (answer === 'hang') return
    if (answer === 'hang up') one.response.destroy()
    else one.response.writeHead(answer.status, headers).end()
  }
}
