/** Everything that people plan to do, each with its time. */

export type Plan = () => Promise<void>

type Entry = { elapsed: number; plan: Plan; early: boolean }

export class Agenda {
  #entries: Entry[] = []

  add(elapsed: number, plan: Plan): void {
    this.#entries.push({ elapsed, plan, early: false })
  }

  /** Adds a plan that must be carried out before the replicas work, not at the same time. */
  addEarly(elapsed: number, plan: Plan): void {
    this.#entries.push({ elapsed, plan, early: true })
  }

  /** Removes and returns the plans that are due, in the order of time. */
  take(elapsed: number): Entry[] {
    const due = this.#entries.filter(one => one.elapsed <= elapsed)
    if (due.length > 0) this.#entries = this.#entries.filter(one => one.elapsed > elapsed)
    return due.sort((one, other) => one.elapsed - other.elapsed)
  }

  get size(): number {
    return this.#entries.length
  }
}
