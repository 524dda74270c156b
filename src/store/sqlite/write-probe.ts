/** Finds out whether the file can be written: it may be readable although the disk is full. */
import type { DatabaseSync } from 'node:sqlite'

/** How long a write proves that the next one is possible, in milliseconds. */
const PROOF_LIFETIME = 1000

/** As many bytes as the commit of one submission writes, so that both fit on the disk, or neither. */
const SIZE = 24 * 1024

export class WriteProbe {
  readonly #write: () => unknown
  #provenAt = Number.NEGATIVE_INFINITY

  constructor(db: DatabaseSync) {
    // Random, since SQLite does not write a value that stays the same.
    const statement = db.prepare('update write_probe set bytes = randomblob(?)')
    this.#write = () => statement.run(SIZE)
  }

  /** Commits a row, unless it did so a moment ago: a commit costs a sync. Throws if the row cannot be written. */
  run(): void {
    if (performance.now() - this.#provenAt < PROOF_LIFETIME) return
    this.forget()
    this.#write()
    this.#provenAt = performance.now()
  }

  /** Forgets the proof, since a write has failed: the next probe writes. */
  forget(): void {
    this.#provenAt = Number.NEGATIVE_INFINITY
  }
}
