/**
 * Measures how long the server takes for each page of the console with many leads. README.md in this
 * folder says how to read the result.
 */
import { parseArgs } from 'node:util'
import type { DatabaseAddress } from '../src/config/environment.ts'
import { measureExport, type Page, type PageTimes, pagesOf, timesOf } from './console/pages.ts'
import { openBenchConsole } from './console/service.ts'
import { wholeNumber } from './options.ts'
import { table } from './table.ts'
import { openScratch } from './volume/scratch-database.ts'

/** The target for each page, in milliseconds. */
const TARGET = 50

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    leads: { type: 'string', default: '1000,100000' },
    samples: { type: 'string', default: '30' },
  },
})
const sizes = values.leads.split(',').map(size => wholeNumber('leads', size, 1000))
const samples = wholeNumber('samples', values.samples)

const scratch = await openScratch(values.database, false)
try {
  process.stdout.write(`\n${scratch.engine}, Node.js ${process.version}: milliseconds\n`)
  for (const leads of sizes) {
    const began = performance.now()
    const database = await scratch.fill(leads)
    process.stderr.write(`${leads} leads filled in ${seconds(performance.now() - began)}\n`)
    await measure(database, leads)
  }
} finally {
  await scratch.remove()
}

/** Writes the times of the pages before those of the export, which may take minutes. */
async function measure(database: DatabaseAddress, leads: number): Promise<void> {
  const { client, waited, close } = await openBenchConsole(database)
  try {
    const rows: [Page, PageTimes][] = []
    for (const page of pagesOf(leads)) rows.push([page, await timesOf(client, page, waited, samples)])
    const times = rows.map(([{ name }, { least, p50, p95, store }]) => [name, ...[least, p50, p95, store].map(digits)])
    const slow = rows.filter(([, { p95 }]) => p95 > TARGET).map(([{ name }]) => name)
    process.stdout.write(
      `\n${table([[`${leads} leads`, 'least', 'p50', 'p95', 'store p50'], ...times])}\n\n` +
        `${slow.length === 0 ? `Every p95 is below ${TARGET} ms.` : `Above ${TARGET} ms: ${slow.join('; ')}.`}\n`,
    )
    const exported = await measureExport(client)
    process.stdout.write(`Export as CSV: ${exported.rows} rows in ${seconds(exported.milliseconds)}.\n`)
  } finally {
    await close()
  }
}

function digits(milliseconds: number): string {
  return milliseconds.toFixed(1)
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
