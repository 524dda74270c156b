/**
 * How far the exports of this process are, for those who wait for their file. Nothing depends on it: another process,
 * or this one after a restart, knows nothing of an export, and the download ends as it would have.
 */
import type { Cells } from './export-rows.ts'

export type ExportProgress = {
  state: 'under way' | 'complete' | 'stopped'
  /** How many leads the file has so far. */
  leads: number
  /** The part of the list that is in the file, from 0 to 1, roughly; undefined if that is unknown. */
  share: number | undefined
}

/** The numbers of the first and the last lead of a list. */
export type Span = { first: number; last: number }

/** So many are remembered: those that have ended, until others take their place. */
const MOST = 100

export class ExportsUnderWay {
  readonly #exports = new Map<string, ExportProgress>()

  /** The rows of a file, the names of the columns first, unchanged. What was taken of them is the progress under this key. */
  async *follow(
    key: string,
    span: Span | undefined,
    batches: AsyncIterable<Cells[]>,
  ): AsyncGenerator<Cells[]> {
    const progress: ExportProgress = { state: 'under way', leads: 0, share: span && 0 }
    this.#remember(key, progress)
    let header = 1
    try {
      for await (const rows of batches) {
        yield rows
        progress.leads += rows.length - header
        const at = rows.at(-1)?.[0]
        if (span !== undefined && header === 0 && typeof at === 'number')
          progress.share = Math.max(progress.share ?? 0, shareOf(span, at))
        header = 0
      }
      progress.state = 'complete'
    } finally {
      if (progress.state !== 'complete') progress.state = 'stopped'
    }
  }

  /** Undefined for an export of which this process knows nothing. */
  progressOf(key: string): Readonly<ExportProgress> | undefined {
    return this.#exports.get(key)
  }

  #remember(key: string, progress: ExportProgress): void {
    this.#exports.delete(key)
    const [oldest] = this.#exports.keys()
    if (this.#exports.size >= MOST && oldest !== undefined) this.#exports.delete(oldest)
    this.#exports.set(key, progress)
  }
}

/** Leads are numbered as they come in, so their numbers say roughly how many are between two of them. */
function shareOf({ first, last }: Span, at: number): number {
  if (first === last) return 1
  return Math.min(1, Math.max(0, (at - first) / (last - first)))
}
