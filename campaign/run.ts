/** `npm run campaign`: runs one campaign and reports how it went. CONTRIBUTING.md says what it proves. */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runCampaign } from './campaign.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'postgres' },
    replicas: { type: 'string' },
    keys: { type: 'string', default: '10000' },
    copies: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    connections: { type: 'string', default: '240' },
    every: { type: 'string', default: '1500' },
    quick: { type: 'boolean', default: false },
  },
})
const { engine, quick } = values
if (engine !== 'sqlite' && engine !== 'postgres')
  throw new Error('--engine must be sqlite or postgres')
const options = {
  engine,
  replicas: positive('replicas', values.replicas ?? (engine === 'sqlite' ? '1' : '4')),
  keys: positive('keys', values.keys),
  copies: positive('copies', values.copies),
  seed: positive('seed', values.seed),
  connections: positive('connections', values.connections),
  faultInterval: positive('every', values.every),
  quick,
} as const
if (engine === 'sqlite' && options.replicas > 1)
  throw new Error('--engine sqlite needs --replicas 1')

print(`seed ${options.seed}: ${JSON.stringify(options)}`)
if (quick)
  print('quick: at the end, leases and retries are moved into the past while no replica runs')

const cleanups: (() => unknown)[] = []
const begun = performance.now()
try {
  const t = { after: (cleanup: () => unknown) => void cleanups.push(cleanup) }
  const { violations, table, folder } = await runCampaign(t as never, options, line =>
    print(`${Math.round((performance.now() - begun) / 1000)} s: ${line}`),
  )
  print('')
  for (const [what, figure] of table) print(`${String(figure).padStart(10)}  ${what}`)
  print('')
  for (const violation of violations.slice(0, 50)) print(`VIOLATION: ${violation}`)
  if (violations.length > 0) {
    print(`seed ${options.seed}: ${violations.length} violations. See ${folder}`)
    process.exitCode = 1
  } else print(`seed ${options.seed}: everything happened exactly once`)
} finally {
  for (const cleanup of cleanups) await cleanup()
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function positive(name: string, raw: string): number {
  const value = Number(raw)
  if (Number.isInteger(value) && value > 0) return value
  throw new Error(`--${name} must be a whole number above 0`)
}
