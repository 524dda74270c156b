/**
 * Measures what the store's work costs with millions of leads, compared with a thousand. README.md in
 * this folder says how to read the result.
 */
import { parseArgs } from 'node:util'
import { openStore } from '../src/store/open-store.ts'
import { wholeNumber } from './options.ts'
import { median } from './results.ts'
import { table } from './table.ts'
import { type FilledStore, measureAll, type Times } from './volume/costs.ts'
import { openScratch } from './volume/scratch-database.ts'

/** The smallest number of leads, because an empty database is not representative. */
const FEWEST = 1000

/** The report names everything that costs more than this many times as much. */
const FLAT = 1.3

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    rows: { type: 'string', default: '0,1000000,5000000' },
    rounds: { type: 'string', default: '3' },
    analyze: { type: 'boolean', default: false },
  },
})
const sizes = values.rows.split(',').map(raw => Math.max(FEWEST, wholeNumber('rows', raw, 0)))
const rounds = wholeNumber('rounds', values.rounds)

const failures = new Set<string>()
const scratch = await openScratch(values.database, values.analyze)
try {
  const filled: FilledStore[] = []
  for (const leads of sizes) {
    const began = performance.now()
    const store = await openStore(await scratch.fill(leads))
    filled.push({ store, leads })
    progress(`${leads} leads filled in ${((performance.now() - began) / 1000).toFixed(0)} s`)
  }
  const measured: Times[][] = []
  // The first round fills caches and is not counted.
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? 'warming up' : `round ${round} of ${rounds}`)
    const times: Times[] = []
    for (const one of filled) {
      const fail = (name: string, { message }: Error) => {
        failures.add(`${name}, ${one.leads} leads: ${message}`)
      }
      times.push(await measureAll(one, fail))
    }
    if (round > 0) measured.push(times)
  }
  for (const { store } of filled) await store.close()
  process.stdout.write(report(measured))
} finally {
  await scratch.remove()
}

function report(measured: Times[][]): string {
  const names = [...(measured[0]?.[0]?.keys() ?? [])]
  const costs = names.map(name => ({ name, ...costOf(measured, name) }))
  const rows = costs.map(({ name, milliseconds, ratios }) => [
    name,
    ...milliseconds.flatMap((ms, i) => {
      const ratio = ratios[i] ?? Number.NaN
      return i === 0 ? [digits(ms)] : [digits(ms), ratio.toFixed(2), ratio > FLAT ? '<' : '']
    }),
  ])
  const headings = sizes.flatMap((leads, i) => (i === 0 ? [`${leads}`] : [`${leads}`, 'ratio', '']))
  const steep = costs.filter(({ ratios }) => ratios.some(ratio => ratio > FLAT))
  const verdict =
    steep.length === 0
      ? `Nothing costs more than ${FLAT} times as much.`
      : `More than ${FLAT} times as much: ${steep.map(({ name }) => name).join('; ')}.`
  const title = `${scratch.engine}, Node.js ${process.version}: milliseconds by the number of leads`
  const failed = [...failures].map(failure => `FAILED: ${failure}\n`).join('')
  return `\n${title}\n\n${table([['', ...headings], ...rows])}\n\n${verdict}\n${failed}`
}

/** Medians over all samples. Ratios are medians over the rounds, since the machine's speed may vary. */
function costOf(measured: Times[][], name: string) {
  const samples = (times: Times | undefined) => times?.get(name) ?? []
  return {
    milliseconds: sizes.map((_, i) => median(measured.flatMap(times => samples(times[i])))),
    ratios: sizes.map((_, i) => median(measured.map(times => median(samples(times[i])) / median(samples(times[0]))))),
  }
}

function digits(ms: number): string {
  return ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0)
}

/** Prints to standard error, so that standard output contains only the result. */
function progress(what: string): void {
  process.stderr.write(`${what}\n`)
}
