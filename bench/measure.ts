/** The measurements. Each starts and stops its own server, so that none leaves work to the next. */
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadOptions, LoadResult } from './load.ts'
import { residentMemory, spawnNode } from './processes.ts'
import type { Operation } from './requests.ts'
import { type Bench, type Server, type StopResult, startBare, startService } from './servers.ts'

/** How heavy the load is. */
export type Load = Pick<LoadOptions, 'connections' | 'seconds' | 'rate'> & Partial<Pick<LoadOptions, 'warmUp'>>

/**
 * The service under load, from its start to its end. Memory is in megabytes and times are in
 * milliseconds, each from the replica with the largest value.
 */
export type ServiceRun = LoadResult & {
  startMs: number
  memoryAfter: number
  /** Rows in the `submissions` table after the end, which must equal the number of 200 responses. */
  stored: number
  stopMs: number
  /** Descriptions of everything that went wrong. */
  faults: string[]
}

/** The service without any load. */
export type IdleRun = { startMs: number; memory: number; stopMs: number }

/** How long a server is under load before measuring begins, in seconds, if the measurement does not say otherwise. */
const WARM_UP = 1

/** How long a service without load needs to become idle, in milliseconds. */
const SETTLED = 5000

export async function measureIdle(bench: Bench): Promise<IdleRun> {
  const service = await startService(bench)
  await sleep(SETTLED)
  const memory = largestMemory(service.replicas)
  const { ms } = await stopAll(service.replicas)
  await service.remove()
  return { startMs: slowestStart(service.replicas), memory, stopMs: ms }
}

export async function measureBare(bench: Bench, operation: Operation, applied: Load): Promise<LoadResult> {
  const servers = await startBare(bench)
  const load = await applyLoad({ ...bench, postgres: undefined }, servers, operation, applied)
  await stopAll(servers)
  return load
}

/** Measures the service, or what is written by hand, under load. Keeps the files of a run with faults. */
export async function measureService(
  bench: Bench,
  operation: Operation,
  applied: Load,
  start = startService,
): Promise<ServiceRun> {
  const service = await start(bench)
  const { replicas, folder, database } = service
  const load = await applyLoad(bench, replicas, operation, applied)
  const memoryAfter = largestMemory(replicas)
  const stopped = await stopAll(replicas)

  const stored = await database.countSubmissions()
  const faults = faultsOf(load, stored, stopped)
  if (faults.length === 0) await service.remove()
  else faults.push(`the files of that run are in ${folder}`)
  const startMs = slowestStart(replicas)
  return { ...load, startMs, memoryAfter, stored, stopMs: stopped.ms, faults }
}

const slowestStart = (servers: Server[]): number => Math.max(...servers.map(server => server.startMs))

const largestMemory = (servers: Server[]): number => Math.max(...servers.map(server => residentMemory(server.pid)))

/** Stops all servers at once. Returns the longest time, and the exit code of one that failed. */
async function stopAll(servers: Server[]): Promise<StopResult> {
  const stopped = await Promise.all(servers.map(server => server.stop()))
  const bad = stopped.find(one => one.exitCode !== 0)
  return { ms: Math.max(...stopped.map(one => one.ms)), exitCode: bad ? bad.exitCode : 0 }
}

function faultsOf(load: LoadResult, stored: number, { ms, exitCode }: StopResult): string[] {
  const faults: string[] = []
  const examples = load.wrongExamples.join(' | ')
  if (load.wrong > 0) faults.push(`${load.wrong} wrong or missing responses: ${examples}`)
  if (stored !== load.accepted) faults.push(`${load.accepted} responses with 200, but ${stored} stored`)
  if (exitCode !== 0) faults.push(`exit code ${exitCode} ${Math.round(ms)} ms after SIGTERM`)
  return faults
}

/** Sends requests to servers, from a process of its own. */
export async function applyLoad(
  { pinned, postgres }: Bench,
  servers: Server[],
  operation: Operation,
  load: Load,
): Promise<LoadResult> {
  const options: LoadOptions = {
    operation,
    servers: servers.map(({ pid, ports }) => ({ pid, port: ports[operation] })),
    databasePid: postgres?.pid,
    warmUp: WARM_UP,
    ...load,
  }
  const program = join(import.meta.dirname, 'load.ts')
  const core = pinned ? 'client' : 'anywhere'
  const client = spawnNode(core, [program, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(client, 'exit')
  const output = await text(client.stdout as NodeJS.ReadableStream)
  const [exitCode] = await exited
  if (exitCode !== 0) throw new Error('the load client failed')
  return JSON.parse(output)
}
