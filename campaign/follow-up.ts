/**
 * `npm run campaign:follow-up`: simulates a month of leads with kills, jumping clocks and failing mail,
 * and reports how it went. CONTRIBUTING.md says what it proves.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runMonth } from './follow-up/simulation.ts'
import { makeFolder, makeMonthStorage } from './follow-up/storage.ts'

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    leads: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
    replicas: { type: 'string' },
    kills: { type: 'string', default: '40' },
    pace: { type: 'string', default: '1' },
  },
})
const { engine } = values
if (engine !== 'sqlite' && engine !== 'postgres')
  throw new Error('--engine must be sqlite or postgres')
const options = {
  engine,
  leads: whole('leads', values.leads),
  seed: whole('seed', values.seed),
  replicas: whole('replicas', values.replicas ?? (engine === 'sqlite' ? '1' : '2')),
  kills: whole('kills', values.kills),
  pace: whole('pace', values.pace),
} as const
if (engine === 'sqlite' && options.replicas > 1)
  throw new Error('--engine sqlite needs --replicas 1')

print(`seed ${options.seed}: ${JSON.stringify(options)}`)
const begun = performance.now()
const { folder, remove } = makeFolder()
const cleanups: (() => unknown)[] = []
try {
  const t = { after: (cleanup: () => unknown) => void cleanups.push(cleanup) }
  const storage = await makeMonthStorage(t as never, engine, folder)
  const { violations, table } = await runMonth(options, { storage, folder }, line =>
    print(`${Math.round((performance.now() - begun) / 1000)} s: ${line}`),
  )
  print('')
  for (const [what, figure] of table) print(`${String(figure).padStart(10)}  ${what}`)
  print('')
  for (const violation of violations.slice(0, 50)) print(`VIOLATION: ${violation}`)
  if (violations.length > 0) {
    print(`seed ${options.seed}: ${violations.length} violations. See ${folder}`)
    process.exitCode = 1
  } else {
    print(`seed ${options.seed}: everything that was due happened once, and nothing else did`)
    remove()
  }
} finally {
  for (const cleanup of cleanups) await cleanup()
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function whole(name: string, raw: string): number {
  const value = Number(raw)
  if (Number.isInteger(value) && value >= 0) return value
  throw new Error(`--${name} must be a whole number`)
}
