/** How people reach the replicas by HTTP: any that is up, again and again until there is an answer. */
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { Desk } from './desks.ts'
import { HOSTS, type HostName } from './school.ts'

export type Ask = {
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}

export class Web {
  /** Called at each request, after it was sent. */
  onRequest: () => void = () => {}
  /** Requests that got no answer, and were sent again. */
  unanswered = 0
  readonly #desks: Desk[]
  readonly #random: Random
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 20 })

  constructor(desks: Desk[], random: Random) {
    this.#desks = desks
    this.#random = random
  }

  /** The status of the answer to a request for an address, as it stands in a message. */
  press(link: string, ask: Ask): Promise<number> {
    const { hostname, pathname, search } = new URL(link)
    const host = (Object.keys(HOSTS) as HostName[]).find(name => HOSTS[name] === hostname)
    if (host === undefined) throw new Error(`Nobody is at ${link}`)
    return this.ask(host, pathname + search, ask)
  }

  async ask(host: HostName, path: string, ask: Ask): Promise<number> {
    while (!this.#desks.some(({ failed }) => failed)) {
      const port = this.#random.pick(this.#desks).port(host)
      if (port !== undefined) {
        const status = await this.#once(port, host, path, ask).catch(() => undefined)
        if (status !== undefined && status !== 503) return status
        this.unanswered++
      }
      await wait(20)
    }
    throw new Error('Not everybody could be started again.')
  }

  #once(port: number, host: HostName, path: string, { method, headers, body }: Ask) {
    return new Promise<number>((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          agent: this.#agent,
          port,
          path,
          method,
          headers: {
            Host: HOSTS[host],
            'Content-Length': Buffer.byteLength(body ?? ''),
            ...headers,
          },
        },
        answer => {
          answer.resume()
          answer.on('end', () => resolve(answer.statusCode ?? 0)).on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(body)
      this.onRequest()
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
