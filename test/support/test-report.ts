/** Prints a run of tests: what they print, a line for each process, each failure, and one summary at the end. */
import { relative } from 'node:path'
import type { run } from 'node:test'
import { inspect } from 'node:util'

type Counts = Record<'tests' | 'suites' | 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo', number>

/** The names that Node.js gives the counts in its own summary, for programs that read it. */
const SUMMARY: [name: string, count: keyof Counts][] = [
  ['tests', 'tests'],
  ['suites', 'suites'],
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['cancelled', 'cancelled'],
  ['skipped', 'skipped'],
  ['todo', 'todo'],
]

/** How the run of one process ended. */
export type Outcome = { passed: boolean; failures: string[]; counts: Counts }

const noCounts = () => Object.fromEntries(SUMMARY.map(([, count]) => [count, 0])) as Counts

const UNSTEADY = 'UNSTEADY: failed on a busy machine, and passed alone'

export class TestReport {
  readonly #begin = performance.now()
  readonly #totals = noCounts()
  readonly #failures: string[] = []
  readonly #unsteady: string[] = []

  /** True if there were tests and none has failed. */
  get passed(): boolean {
    return this.#failures.length === 0 && this.#totals.passed > 0
  }

  /**
   * Prints the run of one process while it goes on; several may go on at the same time. Its outcome is part of this
   * report once it is added.
   */
  async follow(name: string, events: ReturnType<typeof run>): Promise<Outcome> {
    const failures: string[] = []
    let counts = noCounts()
    let printed = ''
    for await (const { type, data } of events) {
      if (type === 'test:stdout' || type === 'test:stderr') {
        printed += data.message
        process.stdout.write(data.message)
      } else if (type === 'test:fail') {
        const { file = data.name, line = 0, details } = data
        const error = details.error as Error & { failureType?: string }
        // A suite fails with its tests, and each of these has been reported.
        if (error.failureType === 'subtestsFailed') continue
        const reason = error.cause instanceof Error ? inspect(error.cause) : error.message
        const text = `✖ ${data.name} (${relative('.', file)}:${line})\n${reason}\n`
        failures.push(text)
        print(text)
      } else if (type === 'test:diagnostic') {
        // A seed, a measured figure, or what a failed test has left. A diagnostic without a file is part of the summary.
        if (data.file === undefined) continue
        print(`ℹ ${data.message}`)
        printed += `ℹ ${data.message}\n`
      } else if (type === 'test:summary' && data.file === undefined) {
        counts = data.counts
        print(`${name}: ${data.counts.passed} passed, ${seconds(data.duration_ms)}`)
      }
    }
    if (failures.length > 0 && printed !== '') failures.push(`${name} printed:\n${printed}`)
    return { passed: failures.length === 0, failures, counts }
  }

  /** Adds the outcome of a process; `before` is that of an earlier run of the same tests, which failed. */
  add({ failures, counts }: Outcome, before?: Outcome): void {
    for (const [, count] of SUMMARY) this.#totals[count] += counts[count]
    this.#failures.push(...failures)
    if (failures.length === 0) this.#unsteady.push(...(before?.failures ?? []))
  }

  /** Prints all failures again, and the totals of all runs. */
  finish(): void {
    if (this.#unsteady.length > 0) print(['', UNSTEADY, '', ...this.#unsteady].join('\n'))
    if (this.#failures.length > 0) print(['', 'FAILED', '', ...this.#failures].join('\n'))
    const { passed, failed, cancelled } = this.#totals
    print(SUMMARY.map(([name, count]) => `ℹ ${name} ${this.#totals[count]}`).join('\n'))
    print(`ℹ duration_ms ${performance.now() - this.#begin}`)
    print(`${passed} passed, ${failed + cancelled} failed`)
  }
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
