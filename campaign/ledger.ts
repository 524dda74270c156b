/** Records what the clients of a campaign know of their submissions. */
import type { HttpResponse, Loss } from './connection.ts'
import type { Copy, PlannedSubmission } from './plan.ts'

/** The final responses to the copies of one key with the same body. */
type Finals = { accepted: number; rejected: number }

export class Ledger {
  readonly losses: Record<Loss, number> = { refused: 0, broken: 0, silent: 0 }
  readonly statuses = new Map<number, number>()
  /** Responses that no client should ever see, the first with each status. */
  readonly unexpected = new Map<number, string>()
  /** How many copies have their final response. */
  finals = 0
  /** When the last final response came, in milliseconds of the monotonic clock. */
  lastAt = performance.now()
  readonly #byKey: { bodies: [Finals, Finals]; fresh: number }[]

  constructor(plan: PlannedSubmission[]) {
    this.#byKey = plan.map(() => ({
      bodies: [
        { accepted: 0, rejected: 0 },
        { accepted: 0, rejected: 0 },
      ],
      fresh: 0,
    }))
  }

  recordLoss(why: Loss): void {
    this.losses[why]++
  }

  /** Records a response. Returns whether the copy must be sent again. */
  recordResponse({ planned, body }: Copy, { status, replayed, text }: HttpResponse): 'final' | 'again' {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status === 503) return 'again'
    const known = this.#of(planned.n)
    if (status === 200) {
      known.bodies[body as 0 | 1].accepted++
      if (!replayed) known.fresh++
    } else if (status === 422) known.bodies[body as 0 | 1].rejected++
    else if (!this.unexpected.has(status)) this.unexpected.set(status, text)
    this.finals++
    this.lastAt = performance.now()
    return 'final'
  }

  /** The violations among the responses to a key, given the body that was stored. */
  violationsOf({ n, bodies }: PlannedSubmission, stored: number): string[] {
    const { fresh, bodies: finals } = this.#of(n)
    const violations: string[] = []
    if (fresh > 1) violations.push(`key ${n} was accepted as new ${fresh} times`)
    for (const body of [0, 1] as const) {
      const sent = bodies.filter(one => one === body).length
      const { accepted, rejected } = finals[body]
      const [right, wrong, status] = body === stored ? [accepted, rejected, 200] : [rejected, accepted, 422]
      if (right !== sent || wrong > 0)
        violations.push(
          `key ${n}, body ${body} (${stored} is stored): ${right} of ${sent} got ${status}, ${wrong} something else`,
        )
    }
    return violations
  }

  #of(n: number) {
    const known = this.#byKey[n]
    if (known === undefined) throw new Error(`There is no key ${n}.`)
    return known
  }
}
