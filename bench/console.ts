/**
 * Measures how long the server takes for each page of the console with many leads. README.md in this
 * folder says how to read the result.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildConfig } from '../src/config/config.ts'
import type { DatabaseAddress } from '../src/config/environment.ts'
import { checkSettings } from '../src/config/settings.ts'
import { createApp } from '../src/create-app.ts'
import { createLog } from '../src/platform/log.ts'
import {
  measureExport,
  type Page,
  type PageTimes,
  pagesOf,
  timesOf,
  watchStore,
} from './console/pages.ts'
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
    process.stdout.write(`\n${await measured(database, leads)}\n`)
  }
} finally {
  await scratch.remove()
}

async function measured(database: DatabaseAddress, leads: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'frontdesk-console-bench-'))
  const config = buildConfig(
    {
      DATA_DIR: folder,
      DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url,
      ...{ SITE_PORT: '0', LEARN_PORT: '0', CONSOLE_PORT: '0' },
      SECRET_KEY: randomBytes(32).toString('base64url'),
      UNLIMITED_NETWORKS: '127.0.0.0/8,::1',
    },
    checkSettings({}),
  )
  const app = await createApp(config, { log: createLog('silent'), drainDelay: 0 })
  try {
    const { console } = await app.listen(['console'])
    const now = app.store.clock.now()
    const operator = await app.store.addOperator({
      ...{ email: 'bench@school.example', name: 'Bench', role: 'admin', now },
    })
    const token = randomBytes(32).toString('base64url')
    const tokenHash = createHash('sha256').update(token).digest('base64url')
    await app.store.addSession(operator ?? 0, {
      ...{ tokenHash, network: '127.0.0.1', browser: 'bench', now },
    })
    const client = { origin: `http://127.0.0.1:${console?.port}`, cookie: `session=${token}` }
    const waited = watchStore(app.store)
    const rows: [Page, PageTimes][] = []
    for (const page of pagesOf(leads))
      rows.push([page, await timesOf(client, page, waited, samples)])
    const slow = rows.filter(([, { p95 }]) => p95 > TARGET).map(([{ name }]) => name)
    const exported = await measureExport(client)
    return [
      table([
        [`${leads} leads`, 'least', 'p50', 'p95', 'store p50'],
        ...rows.map(([{ name }, { least, p50, p95, store }]) => [
          name,
          ...[least, p50, p95, store].map(digits),
        ]),
      ]),
      '',
      slow.length === 0
        ? `Every p95 is below ${TARGET} ms.`
        : `Above ${TARGET} ms: ${slow.join('; ')}.`,
      `Export as CSV: ${exported.rows} rows in ${seconds(exported.milliseconds)}.`,
    ].join('\n')
  } finally {
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function digits(milliseconds: number): string {
  return milliseconds.toFixed(1)
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
