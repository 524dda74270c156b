/** The measurements. Each starts its own server and stops it, so none leaves work to the next. */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadOptions, LoadResult } from './load.ts'
import { residentMemory, spawnNode } from './processes.ts'
import type { Operation } from './requests.ts'
import { type Server, type Stopped, startBare, startService } from './servers.ts'

/** How hard to press. */
export type Pressure = Pick<LoadOptions, 'connections' | 'seconds' | 'rate'>

/** The service under load, from its start to its end. Memory in megabytes, times in milliseconds. */
export type ServiceRun = LoadResult & {
  startMs: number
  memoryAfter: number
  /** Rows in the `submissions` table after the end; as many as were answered 200. */
  stored: number
  stopMs: number
  /** What must not happen, in words. */
  faults: string[]
}

/** The service with nothing to do. */
export type IdleRun = { startMs: number; memory: number; stopMs: number }

/** For this long a server is under load before measuring begins, in seconds. */
const WARM_UP = 1

/** A service that has nothing to do counts as idle after this long, in milliseconds. */
const SETTLED = 5000

export async function measureIdle(): Promise<IdleRun> {
  const service = await startService()
  await sleep(SETTLED)
  const memory = residentMemory(service.pid)
  const { ms } = await service.stop()
  rmSync(service.folder, { recursive: true })
  return { startMs: service.startMs, memory, stopMs: ms }
}

export async function measureBare(operation: Operation, pressure: Pressure): Promise<LoadResult> {
  const server = await startBare()
  const load = await applyLoad(server, operation, pressure)
  await server.stop()
  return load
}

/** The files of a run with faults stay, to be looked at. */
export async function measureService(
  operation: Operation,
  pressure: Pressure,
): Promise<ServiceRun> {
  const service = await startService()
  const load = await applyLoad(service, operation, pressure)
  const memoryAfter = residentMemory(service.pid)
  const stopped = await service.stop()

  const stored = storedSubmissions(service.dataDir)
  const faults = faultsOf(load, stored, stopped)
  if (faults.length === 0) rmSync(service.folder, { recursive: true })
  else faults.push(`the files of that run are in ${service.folder}`)
  return { ...load, startMs: service.startMs, memoryAfter, stored, stopMs: stopped.ms, faults }
}

function faultsOf(load: LoadResult, stored: number, { ms, exitCode }: Stopped): string[] {
  const faults: string[] = []
  const examples = load.wrongExamples.join(' | ')
  if (load.wrong > 0) faults.push(`${load.wrong} wrong or missing answers: ${examples}`)
  if (stored !== load.accepted) faults.push(`answered 200 ${load.accepted} times, stored ${stored}`)
  if (exitCode !== 0) faults.push(`exit code ${exitCode} ${Math.round(ms)} ms after SIGTERM`)
  return faults
}

async function applyLoad(
  server: Server,
  operation: Operation,
  pressure: Pressure,
): Promise<LoadResult> {
  const options: LoadOptions = {
    operation,
    port: server.ports[operation],
    serverPid: server.pid,
    warmUp: WARM_UP,
    ...pressure,
  }
  const program = join(import.meta.dirname, 'load.ts')
  const client = spawnNode('client', [program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(client, 'exit')
  const output = await text(client.stdout as NodeJS.ReadableStream)
  const [exitCode] = await exited
  if (exitCode !== 0) throw new Error('the load client failed')
  return JSON.parse(output)
}

/** What is on the disk, read as anybody else would read it once the service has ended. */
function storedSubmissions(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'frontdesk.db'), { readOnly: true })
  const row = database.prepare('select count(*) as stored from submissions').get()
  database.close()
  return Number(row?.stored)
}
