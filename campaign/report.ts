/** Runs a campaign from the command line: prints its progress, its figures and its violations. */
import type { Cleanup } from './set-up.ts'

type Outcome = { violations: string[]; table: (readonly [string, number | string])[]; folder: string }

/**
 * Prints what a campaign finds and, unless there are violations, `success`. Returns whether there were none;
 * otherwise the process will exit with 1. Cleans up in either case.
 */
export async function report(
  options: { seed: number },
  success: string,
  run: (t: Cleanup, progress: (line: string) => void) => Promise<Outcome>,
): Promise<boolean> {
  print(`seed ${options.seed}: ${JSON.stringify(options)}`)
  const cleanups: (() => unknown)[] = []
  const t = { after: (cleanup: () => unknown) => void cleanups.push(cleanup) } as unknown as Cleanup
  const begun = performance.now()
  try {
    const { violations, table, folder } = await run(t, line =>
      print(`${Math.round((performance.now() - begun) / 1000)} s: ${line}`),
    )
    print('')
    for (const [what, figure] of table) print(`${String(figure).padStart(10)}  ${what}`)
    print('')
    for (const violation of violations.slice(0, 50)) print(`VIOLATION: ${violation}`)
    const right = violations.length === 0
    if (!right) process.exitCode = 1
    print(`seed ${options.seed}: ${right ? success : `${violations.length} violations. See ${folder}`}`)
    return right
  } finally {
    for (const cleanup of cleanups) await cleanup()
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** The whole number in an option, at least `least`. */
export function whole(name: string, raw: string, least: number): number {
  const value = Number(raw)
  if (Number.isInteger(value) && value >= least) return value
  throw new Error(`--${name} must be a whole number of at least ${least}`)
}
