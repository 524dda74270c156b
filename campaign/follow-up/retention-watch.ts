/**
 * Looks after each sweep of what is old which leads are closed, and which are gone: everyone that the retention rules erase
 * must have been closed for a month, and named to the manager a week before.
 */
import type { DatabaseAddress } from '../../src/config/environment.ts'
import { sql } from '../../test/support/engines.ts'
import type { Ledger } from './ledger.ts'
import { isTakenBack, type Lists } from './lists.ts'
import type { Mail } from './mail.ts'
import { type Moment, SKEW } from './world-time.ts'

/** A lead as it was when someone last looked. */
export type Seen = {
  id: number
  /** Their address or, if they have none, their number. */
  reach: string
  /** By the clock of the replica that opened it. */
  opened: number
  /** When it was last seen open before it was closed; undefined if it is open. */
  closed: { lastOpen: Moment | undefined } | undefined
}

/** A lead that was erased although no one had asked for that. */
export type Erased = Seen & { at: Moment }

type RetentionServices = { database: DatabaseAddress; ledger: Ledger; lists: Lists }

export class RetentionWatch {
  readonly erased: Erased[] = []
  /** When each lead was named to the manager, by the clock. */
  readonly listed = new Map<number, number[]>()
  readonly #seen = new Map<number, Seen>()
  readonly #deps: RetentionServices
  #before: Moment | undefined

  constructor(deps: RetentionServices) {
    this.#deps = deps
  }

  /** A message to the manager, or to the team meanwhile, that lists what will be erased. */
  read({ kind, text }: Mail): void {
    if (kind !== 'retention') return
    const { at } = this.#deps.ledger.moment()
    for (const [, id] of text.matchAll(/\/leads\/(\d+)/g)) {
      const lead = Number(id)
      this.listed.set(lead, [...(this.listed.get(lead) ?? []), at])
    }
  }

  /** Returns the leads that there are by the addresses of their people. */
  async look(): Promise<ReadonlyMap<string, number>> {
    const { database, ledger } = this.#deps
    const now = ledger.moment()
    const rows = await sql(database, `select id, stage, created_at, coalesce(email, phone) as reach from leads`)
    const present = new Set(rows.map(row => Number(row['id'])))
    for (const [id, seen] of this.#seen) {
      if (present.has(id)) continue
      this.#seen.delete(id)
      if (!ledger.erasedLeads.has(id) && !this.#isUndone(seen)) this.#gone({ ...seen, at: now })
    }
    for (const row of rows) {
      const id = Number(row['id'])
      const closed = this.#seen.get(id)?.closed ?? { lastOpen: this.#before }
      // Someone may have written their address in another way, in a copy that came first.
      const reach = String(row['reach']).toLowerCase()
      const opened = Number(row['created_at'])
      this.#seen.set(id, { id, reach, opened, closed: row['stage'] === 'closed' ? closed : undefined })
    }
    this.#before = now
    return new Map(rows.map(row => [String(row['reach']), Number(row['id'])]))
  }

  /** Whether a lead came from a list that was imported by mistake. */
  #isUndone({ id, reach, opened }: Seen): boolean {
    const { lists } = this.#deps
    const listed = lists.personOf(id)
    if (listed !== undefined) return isTakenBack(listed)
    // Someone on the list had a lead when it was made. If that was closed or erased since, the list opened another one.
    return lists.all.some(
      ({ known, undone, imported }) =>
        known?.toLowerCase() === reach && undone !== undefined && opened >= imported.at - SKEW,
    )
  }

  #gone(one: Erased) {
    const { ledger } = this.#deps
    this.erased.push(one)
    ledger.count('erased by the retention rules')
    ledger.erasedLeads.set(one.id, one.at)
    ledger.retained.set(one.reach, one.at)
  }
}
