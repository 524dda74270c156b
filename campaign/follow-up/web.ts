/** How people send HTTP requests to the replicas: to any that is up, until there is a response. */
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { Desk } from './desk.ts'
import { HOSTS, type HostName } from './school.ts'

export type RequestOptions = { method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string }

export class Web {
  /** Called after each request is sent. */
  onRequest: () => void = () => {}
  /** How many requests got no response, or 503, and were sent again. */
  retries = 0
  readonly #desks: Desk[]
  readonly #random: Random
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 20 })

  constructor(desks: Desk[], random: Random) {
    this.#desks = desks
    this.#random = random
  }

  /** Requests the URL of a link in a message. Returns the status of the response. */
  press(link: string, options: RequestOptions): Promise<number> {
    const { hostname, pathname, search } = new URL(link)
    const host = (Object.keys(HOSTS) as HostName[]).find(name => HOSTS[name] === hostname)
    if (host === undefined) throw new Error(`${link} does not lead to the service.`)
    return this.request(host, pathname + search, options)
  }

  async request(host: HostName, path: string, options: RequestOptions): Promise<number> {
    return (await this.read(host, path, options)).status
  }

  /** The status and the text of the response. */
  async read(host: HostName, path: string, options: RequestOptions): Promise<{ status: number; text: string }> {
    while (!this.#desks.some(({ failed }) => failed)) {
      const port = this.#random.pick(this.#desks).port(host)
      if (port !== undefined) {
        const response = await this.#once(port, host, path, options).catch(() => undefined)
        if (response !== undefined && response.status !== 503) return response
        this.retries++
      }
      await wait(20)
    }
    throw new Error('A replica has ended by itself, or could not be started again.')
  }

  #once(port: number, host: HostName, path: string, { method, headers, body }: RequestOptions) {
    return new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          agent: this.#agent,
          port,
          path,
          method,
          headers: { Host: HOSTS[host], 'Content-Length': Buffer.byteLength(body ?? ''), ...headers },
        },
        response => {
          let text = ''
          response.setEncoding('utf8').on('data', chunk => {
            text += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text })).on('error', reject)
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
