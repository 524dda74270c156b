/** What people have set their minds on, each for its moment. */

export type Plan = () => Promise<void>

type Entry = { elapsed: number; plan: Plan; early: boolean }

export class Agenda {
  #entries: Entry[] = []

  add(elapsed: number, plan: Plan): void {
    this.#entries.push({ elapsed, plan, early: false })
  }

  /** For what must be done before the replicas work, and not beside it. */
  addEarly(elapsed: number, plan: Plan): void {
    this.#entries.push({ elapsed, plan, early: true })
  }

  /** Takes out what is for now, in the order of time. */
  take(elapsed: number): Entry[] {
    const due = this.#entries.filter(one => one.elapsed <= elapsed)
    if (due.length > 0) this.#entries = this.#entries.filter(one => one.elapsed > elapsed)
    return due.sort((one, other) => one.elapsed - other.elapsed)
  }

  get size(): number {
    return this.#entries.length
  }
}
