/**
 * Two counselors who chose other ways than emails to learn of new leads: one gets an email a day, the other has a
 * browser that is woken up, and now and then cannot be reached.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DAY } from '../../src/platform/time.ts'
import { type NoticeWay, usualChoices } from '../../src/store/operators/browser-notices.ts'
import type { Store } from '../../src/store/store.ts'
import { Random } from '../random.ts'
import type { Cleanup } from '../set-up.ts'
import { cookieOf } from './console-session.ts'
import type { Ledger } from './ledger.ts'
import type { Mail } from './mail.ts'
import { BY_BROWSER, DAILY } from './school.ts'
import { type Moment, WHOLE, type WorldTime } from './world-time.ts'

type NoticeServices = {
  seed: number
  time: WorldTime
  ledger: Ledger
  store: Store
  /** The operators by the ids of the staff. */
  operators: ReadonlyMap<string, number>
}

/** An email that lists what came since the one before: the leads on it. */
export type Digest = { to: string; leads: number[]; tick: number }

const UNREACHABLE = 0.1

export class Notices {
  readonly digests: Digest[] = []
  /** When a browser was to be woken, and whether it was. */
  readonly wakes: (Moment & { woken: boolean })[] = []
  readonly #deps: NoticeServices
  readonly #random: Random

  constructor(deps: NoticeServices) {
    this.#deps = deps
    this.#random = new Random(deps.seed, 'notices')
  }

  async open(t: Cleanup): Promise<void> {
    const server = createServer((request, response) => {
      request.resume()
      const woken = !this.#random.chance(UNREACHABLE)
      this.wakes.push({ ...this.#deps.ledger.moment(), woken })
      this.#deps.ledger.count(woken ? 'browsers that were woken' : 'browsers that were not reached')
      response.writeHead(woken ? 201 : 500).end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    await this.#choose(DAILY, 'daily')
    const operator = await this.#choose(BY_BROWSER, 'browser')
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/browser`
    const { store, time } = this.#deps
    await store.addPushSubscription(operator, { endpoint, browser: 'a browser', now: time.now })
    // They stay signed in to the end: someone who is signed out gets the email, too.
    await cookieOf(store, operator, time.now + WHOLE + 7 * DAY)
  }

  async #choose(who: string, email: NoticeWay): Promise<number> {
    const operator = this.#deps.operators.get(who) ?? 0
    await this.#deps.store.saveNoticeChoices(operator, { ...usualChoices, email })
    return operator
  }

  /** A message has come for the first time. */
  read({ kind, to, text }: Mail): void {
    if (kind !== 'daily') return
    const leads = [...text.matchAll(/\/leads\/(\d+)/g)].map(([, id]) => Number(id))
    this.digests.push({ to, leads, tick: this.#deps.time.tick })
    this.#deps.ledger.count('daily digests')
  }
}
