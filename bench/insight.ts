/**
 * Measures how long insight takes with the counts of many leads, and how long it takes to count leads. README.md
 * in this folder says how to read the result.
 */
import { parseArgs } from 'node:util'
import type { DatabaseAddress } from '../src/config/environment.ts'
import { defaultSettings } from '../src/config/settings.ts'
import { openStore } from '../src/store/open-store.ts'
import { type Page, timesOf } from './console/pages.ts'
import { openBenchConsole } from './console/service.ts'
import { wholeNumber } from './options.ts'
import { table } from './table.ts'
import { fillInsight, markLeads } from './volume/insight-counts.ts'
import { openScratch } from './volume/scratch-database.ts'

/** The target for the page, in milliseconds. */
const TARGET = 300

/** How many leads are counted, to see how long that takes. */
const COUNTED = 2000

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    leads: { type: 'string', default: '1000,100000,1000000' },
    samples: { type: 'string', default: '20' },
  },
})
const sizes = values.leads.split(',').map(size => wholeNumber('leads', size, 1000))
const samples = wholeNumber('samples', values.samples)

const today = new Date().toISOString().slice(0, 10)
const [year = 0] = today.split('-').map(Number)

const pages: Page[] = [
  ...['7', '30', '90', 'year'].map(range => ({ name: `range ${range}`, path: () => `/insight?range=${range}` })),
  // Its first and last months are not whole, so all of their days are read.
  { name: 'three years', path: () => `/insight?since=${year - 3}-01-02&until=${today}` },
]

const scratch = await openScratch(values.database, false)
try {
  process.stdout.write(`\n${scratch.engine}, Node.js ${process.version}: milliseconds\n`)
  const database = await scratch.fill(COUNTED)
  await markLeads(database)
  process.stdout.write(`\nCounting ${COUNTED} leads: ${(await countAll(database)).toFixed(0)}\n`)
  for (const leads of sizes) {
    const rows = await fillInsight(database, leads)
    process.stdout.write(`\n${await measured(database, leads, rows)}\n`)
  }
} finally {
  await scratch.remove()
}

/** Counts the leads that there are, as the service would, without its pauses. */
async function countAll(database: DatabaseAddress): Promise<number> {
  const store = await openStore(database)
  const began = performance.now()
  const { school } = defaultSettings
  for (let more = true; more; ) more = await store.countLeads({ school, limit: 100 })
  const took = performance.now() - began
  await store.close()
  return took
}

async function measured(database: DatabaseAddress, leads: number, rows: number): Promise<string> {
  const { client, waited, close } = await openBenchConsole(database)
  try {
    const lines: string[][] = []
    const slow: string[] = []
    for (const page of pages) {
      const { least, p50, p95, store } = await timesOf(client, page, waited, samples)
      lines.push([page.name, ...[least, p50, p95, store].map(ms => ms.toFixed(1))])
      if (p95 > TARGET) slow.push(page.name)
    }
    return [
      table([[`${leads} leads`, 'least', 'p50', 'p95', 'store p50'], ...lines]),
      '',
      `${rows} rows. ${slow.length === 0 ? `Every p95 is below ${TARGET} ms.` : `Above ${TARGET} ms: ${slow.join('; ')}.`}`,
    ].join('\n')
  } finally {
    await close()
  }
}
