/** What the clients of a campaign know of their submissions. */
import type { Answer, Loss } from './connection.ts'
import type { Copy, Planned } from './plan.ts'

/** The final answers to the copies of one key, by the body that they carried. */
type Finals = { taken: number; refused: number }

export class Ledger {
  readonly losses: Record<Loss, number> = { refused: 0, broken: 0, silent: 0 }
  readonly statuses = new Map<number, number>()
  /** Answers that no client should ever see, the first of each status. */
  readonly unexpected = new Map<number, string>()
  /** How many copies have their final answer. */
  finals = 0
  /** When the last of them came, in milliseconds of the monotonic clock. */
  lastAt = performance.now()
  readonly #byKey: { bodies: [Finals, Finals]; fresh: number }[]

  constructor(plan: Planned[]) {
    this.#byKey = plan.map(() => ({
      bodies: [
        { taken: 0, refused: 0 },
        { taken: 0, refused: 0 },
      ],
      fresh: 0,
    }))
  }

  lost(why: Loss): void {
    this.losses[why]++
  }

  /** Enters an answer; says whether the copy has to be sent again. */
  answered({ planned, body }: Copy, { status, replayed, text }: Answer): 'final' | 'again' {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status === 503) return 'again'
    const known = this.#of(planned.n)
    if (status === 200) {
      known.bodies[body as 0 | 1].taken++
      if (!replayed) known.fresh++
    } else if (status === 422) known.bodies[body as 0 | 1].refused++
    else if (!this.unexpected.has(status)) this.unexpected.set(status, text)
    this.finals++
    this.lastAt = performance.now()
    return 'final'
  }

  /** What is wrong with the answers to a key of which this body was stored. */
  violationsOf({ n, bodies }: Planned, stored: number): string[] {
    const { fresh, bodies: finals } = this.#of(n)
    const violations: string[] = []
    if (fresh > 1) violations.push(`key ${n} was answered ${fresh} times as if it were new`)
    for (const body of [0, 1] as const) {
      const sent = bodies.filter(one => one === body).length
      const { taken, refused } = finals[body]
      const [right, wrong, status] = body === stored ? [taken, refused, 200] : [refused, taken, 422]
      if (right !== sent || wrong > 0)
        violations.push(
          `key ${n}, body ${body} (${stored} is stored): ${right} of ${sent} answered ${status}, ${wrong} otherwise`,
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
