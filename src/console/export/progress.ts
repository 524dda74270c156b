/**
 * The progress of this process's exports, for people who wait for their file. It is only information: another process,
 * or this one after a restart, does not know about an export, and the download continues anyway.
 */
import type { Cells } from '../../leads/lead/export-columns.ts'
import { MINUTE } from '../../platform/time.ts'

export type ExportProgress = {
  state: 'waiting' | 'refused' | 'under way' | 'complete' | 'stopped'
  leads: number
  /** Roughly what share of the list is in the file, from 0 to 1; undefined if that is unknown. */
  share: number | undefined
}

export type Span = { first: number; last: number }

/** An operator's export. `run` is a name that the page made up when it began the export. */
export type Run = { operator: number; run: string }

export type Export = Run & {
  format: 'csv' | 'xlsx'
  begun: number
  ended: number | undefined
  progress: Readonly<ExportProgress>
}

/** How many exports are remembered, including those that have ended, before new ones take their place. */
const MOST = 100

/** How long the page still shows an export after it ended, in milliseconds. */
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

  /** Called before the export begins, since it may have to wait for its turn, or may not get one. */
  beforeItBegins(one: Run & Pick<Export, 'format'>, state: 'waiting' | 'refused'): void {
    const now = this.#now()
    this.#remember({ ...one, progress: { state, leads: 0, share: undefined }, begun: now, ended: now })
  }

  /** How far an export is; undefined if this process knows nothing about it. */
  progressOf(run: Run): Readonly<ExportProgress> | undefined {
    return this.#exports.get(keyOf(run))?.progress
  }

  /** The exports of an operator that are running or have just ended, newest first. */
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

/** Leads are numbered as they come in, so the difference of two numbers says roughly how many are between them. */
function shareOf({ first, last }: Span, at: number): number {
  if (first === last) return 1
  return Math.min(1, Math.max(0, (at - first) / (last - first)))
}
