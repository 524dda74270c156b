/**
 * How far the exports of this process are, for people who wait for their file. Nothing depends on it: another process,
 * or this one after a restart, does not know about an export, and the download still ends as it would have.
 */
import type { Cells } from '../../leads/lead/export-columns.ts'
import { MINUTE } from '../../platform/time.ts'

export type ExportProgress = {
  state: 'waiting' | 'refused' | 'under way' | 'complete' | 'stopped'
  leads: number
  /** The part of the list that is in the file, from 0 to 1, roughly; undefined if that is unknown. */
  share: number | undefined
}

export type Span = { first: number; last: number }

/** Someone's export. The page that began it made up the name of the run. */
export type Run = { operator: number; run: string }

export type Export = Run & {
  format: 'csv' | 'xlsx'
  begun: number
  /** When it ended; undefined while it is under way. */
  ended: number | undefined
  progress: Readonly<ExportProgress>
}

/** How many exports are remembered, including those that have ended, before new ones take their place. */
const MOST = 100

/** For this long after an export ended, in milliseconds, someone who comes back still sees it. */
const RECENT = 10 * MINUTE

export class ExportsUnderWay {
  readonly #exports = new Map<string, Export>()
  readonly #now: () => number

  /** `now` in Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Passes the rows of a file on unchanged; the names of the columns come first. The number of rows that were taken is
   * the progress of the export.
   */
  async *follow(
    one: Run & Pick<Export, 'format'>,
    span: Span | undefined,
    batches: AsyncIterable<Cells[]>,
  ): AsyncGenerator<Cells[]> {
    const progress: ExportProgress = { state: 'under way', leads: 0, share: span && 0 }
    const known: Export = { ...one, progress, begun: this.#now(), ended: undefined }
    this.#remember(known)
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
      known.ended = this.#now()
    }
  }

  /** Called before it begins: it waits for its turn, or does not get one. */
  beforeItBegins(one: Run & Pick<Export, 'format'>, state: 'waiting' | 'refused'): void {
    const now = this.#now()
    this.#remember({ ...one, progress: { state, leads: 0, share: undefined }, begun: now, ended: now })
  }

  /** How far an export is; undefined if this process knows nothing about it. */
  progressOf(run: Run): Readonly<ExportProgress> | undefined {
    return this.#exports.get(keyOf(run))?.progress
  }

  /** The exports of an operator that are under way or have just ended, newest first. */
  recentOf(operator: number): Readonly<Export>[] {
    const since = this.#now() - RECENT
    return [...this.#exports.values()]
      .filter(one => one.operator === operator && (one.ended ?? since) >= since)
      .reverse()
  }

  #remember(one: Export): void {
    this.#exports.delete(keyOf(one))
    const [oldest] = this.#exports.keys()
    if (this.#exports.size >= MOST && oldest !== undefined) this.#exports.delete(oldest)
    this.#exports.set(keyOf(one), one)
  }
}

/** The key contains the operator, so that only the operator who began an export sees it. */
const keyOf = ({ operator, run }: Run): string => `${operator} ${run}`

/**
 * Leads are numbered in the order in which they come in, so their numbers say roughly how many are between two of them.
 */
function shareOf({ first, last }: Span, at: number): number {
  if (first === last) return 1
  return Math.min(1, Math.max(0, (at - first) / (last - first)))
}
