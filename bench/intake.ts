/**
 * The basis of our performance claims: compares the service with a bare `node:http` server, in turns, in
 * one run. README.md in this folder says how to read the result.
 *
 * Exits with code 1 if a response was wrong, or if the number of stored submissions differs from the
 * number of 200 responses. A missed target is printed and does not change the exit code.
 */
import { statfsSync } from 'node:fs'
import { arch, cpus, tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { startMailServer } from './mail.ts'
import { measureBare, measureIdle, measureService } from './measure.ts'
import { wholeNumber } from './options.ts'
import { startPostgres } from './postgres.ts'
import { canPin, moveToClientCore } from './processes.ts'
import { report } from './report.ts'
import type { Operation } from './requests.ts'
import { type Comparison, concludeFrom, type Setting } from './results.ts'
import { type Bench, startByHand } from './servers.ts'

/** A moderate load, in requests per second, which is more than any school gets. */
const MODERATE = 500

/** The type of a file system in memory on Linux (statfs(2)). */
const TMPFS = 0x01021994

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '50' },
    database: { type: 'string', default: 'sqlite' },
    replicas: { type: 'string', default: '1' },
    mail: { type: 'string', default: 'files' },
    'by-hand': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const options = {
  seconds: wholeNumber('seconds', values.seconds),
  rounds: wholeNumber('rounds', values.rounds),
  connections: wholeNumber('connections', values.connections),
}
const bench = await prepare(values, wholeNumber('replicas', values.replicas))

progress('idle')
const idle = await measureIdle(bench)
const comparisons = [await compare('A'), await compare('B')]
const results = concludeFrom(idle, comparisons, setting())
process.stdout.write(values.json ? `${JSON.stringify({ options, ...results }, undefined, 2)}\n` : report(results))
if (results.faults.length > 0) process.exitCode = 1
await bench.postgres?.remove()
bench.smtp?.stop()

/**
 * PostgreSQL runs on the load client's core. With several servers nothing is pinned, because the replicas
 * would not have equal conditions.
 */
async function prepare({ database, mail }: { database: string; mail: string }, replicas: number): Promise<Bench> {
  if (database !== 'sqlite' && database !== 'postgres') throw new Error('--database must be sqlite or postgres')
  if (database === 'sqlite' && replicas > 1) throw new Error('--replicas needs --database postgres')
  if (mail !== 'files' && mail !== 'smtp') throw new Error('--mail must be files or smtp')
  const pinned = canPin && replicas === 1
  if (pinned) moveToClientCore()
  const postgres = database === 'postgres' ? await startPostgres() : undefined
  const smtp = mail === 'smtp' ? await startMailServer(pinned ? 'client' : 'anywhere') : undefined
  return { replicas, pinned, postgres, smtp }
}

async function compare(operation: Operation): Promise<Comparison> {
  const { rounds, ...load } = options
  const compared: Comparison['rounds'] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`${operation}, round ${round} of ${rounds}`)
    const bare = await measureBare(bench, operation, load)
    const service = await measureService(bench, operation, load)
    const byHand = values['by-hand'] ? await measureService(bench, operation, load, startByHand) : undefined
    compared.push({ bare, service, byHand })
  }
  const moderate: Comparison['moderate'] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`${operation}, ${MODERATE} requests a second, round ${round} of ${rounds}`)
    const paced = { ...load, rate: MODERATE }
    const bare = await measureBare(bench, operation, paced)
    moderate.push({ bare, service: await measureService(bench, operation, paced) })
  }
  return { operation, rounds: compared, moderate }
}

/** Prints to standard error, so that standard output contains only the result. */
function progress(what: string): void {
  process.stderr.write(`${what}\n`)
}

function setting(): Setting {
  return {
    node: process.version,
    processor: cpus()[0]?.model.trim() ?? arch(),
    cores: cpus().length,
    database: bench.postgres ? `PostgreSQL ${bench.postgres.version}` : 'SQLite',
    postgres: bench.postgres !== undefined,
    mail: bench.smtp ? 'sent to a mail server' : 'written to files',
    replicas: bench.replicas,
    pinned: bench.pinned,
    inMemory: process.platform === 'linux' && statfsSync(tmpdir()).type === TMPFS,
  }
}
