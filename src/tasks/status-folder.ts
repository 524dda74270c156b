/**
 * Looks into the folder of status lists, and deletes old files in `done` and `failed`. The code that reads files is
 * loaded when there is a first file.
 */
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MINUTE } from '../platform/time.ts'
import { keepLooking, type Wait } from './lanes/in-portions.ts'
import type { StatusFile, StatusFileServices } from './status-files.ts'

const EVERY = 5 * MINUTE

/** A file that has changed within this time, in milliseconds, may still be being written. */
const QUIET = 2 * MINUTE

/** How many days files stay in `done` and `failed`. */
const DAYS = 7

/** Looks into the folder now and every five minutes, until `signal` is aborted. */
export const keepTakingStatusFiles = (deps: StatusFileServices & { wait?: Wait }, signal: AbortSignal): Promise<void> =>
  keepLooking(() => takeStatusFiles(deps), {
    every: EVERY,
    log: deps.log,
    failed: 'the folder of status lists could not be read',
    signal,
    wait: deps.wait,
  })

/** Takes each file of the folder that is complete, in the order in which they were written. */
export async function takeStatusFiles(deps: StatusFileServices): Promise<void> {
  const { config, clock, calendar } = deps
  const files = await filesIn(config.statusDir).catch(error => cannotRead(deps, error))
  const complete = files
    .filter(({ writtenAt }) => Math.abs(clock.now() - writtenAt) >= QUIET)
    .toSorted((one, other) => one.writtenAt - other.writtenAt)
  if (complete.length > 0) {
    const { takeStatusFile } = await import('./status-files.ts')
    for (const file of complete) await takeStatusFile(deps, file)
  }
  const oldest = Temporal.PlainDate.from(calendar.today(clock.now())).subtract({ days: DAYS }).toString()
  for (const place of ['done', 'failed']) await deleteOld(join(config.statusDir, place), oldest)
}

/** Links are left out: they may lead out of the folder. A file whose name begins with a dot is being written. */
async function filesIn(folder: string): Promise<StatusFile[]> {
  const names = await readdir(folder).catch(missing)
  const files: StatusFile[] = []
  for (const name of names.filter(one => /^[^.].*\.(?:csv|tsv|txt)$/i.test(one))) {
    const facts = await lstat(join(folder, name)).catch(() => undefined)
    if (facts?.isFile()) files.push({ name, size: facts.size, writtenAt: Math.floor(facts.mtimeMs) })
  }
  return files
}

async function cannotRead(deps: StatusFileServices, error: NodeJS.ErrnoException): Promise<never> {
  const { tellAdmins } = await import('./status-files.ts')
  const why = `The service cannot read this folder (${error.code}). It tries again every five minutes.`
  await tellAdmins(deps, deps.config.statusDir, why)
  throw error
}

function missing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}

/** Deletes our files that were moved into a folder on a day or earlier. */
async function deleteOld(folder: string, through: string): Promise<void> {
  for (const name of await readdir(folder).catch(missing)) {
    const [, day] = /^(\d{4}-\d\d-\d\d)-[a-z\d]{8}-/i.exec(name) ?? []
    if (day !== undefined && day <= through) await rm(join(folder, name), { force: true })
  }
}
