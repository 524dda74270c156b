/** Writes the leads of a saved view into a file every night, and deletes the files that are too old. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { SftpTarget } from '../config/environment-values.ts'
import { timeZone } from '../follow-up/time-zones.ts'
import type { Services } from '../lead-actions/services.ts'
import { replaceFile } from '../platform/replace-file.ts'
import { DAY, HOUR, MINUTE } from '../platform/time.ts'
import type { NightlyExport } from '../store/nightly/nightly-exports.ts'
import type { Task } from '../store/tasks/tasks.ts'
import { isOutage } from './lanes/outage.ts'
import { retryDelay } from './lanes/retry.ts'
import { NotSent } from './sftp-command.ts'

/** A file with the leads that a view shows to an admin, as bytes. `count` gets the number of leads in each piece. */
export type ViewAsCsv = (filter: string, count: (leads: number) => void) => AsyncIterable<Uint8Array>

export type ExportServices = Pick<Services, 'store' | 'clock' | 'calendar' | 'settings'> & {
  config: Pick<Config, 'exportDir' | 'exportSftp'>
  viewAsCsv: ViewAsCsv
  /** Sends a file by SFTP. Throws a NotSent; rejects when `signal` is aborted. */
  sendFile: (target: SftpTarget, file: { folder: string; name: string }, how: { signal: AbortSignal }) => Promise<void>
  /** Aborted when the service stops: a transfer that is under way ends, and the next process does it again. */
  stopping: AbortSignal
  log: Logger
}

/**
 * The next moment at which it is this hour at the school. Where the clocks are put forward from 23:00 to the next day, it
 * is the minute before, so that the file of that day has its date.
 */
export function nextAt(hour: number, now: number, zoneName: string): number {
  const zone = timeZone(zoneName)
  const { day } = zone.localTime(now)
  const moments = [day, day + 1].map(one => {
    const moment = zone.momentOf({ day: one, time: hour * HOUR })
    return zone.localTime(moment).day === one ? moment : moment - MINUTE
  })
  return moments.find(moment => moment > now) ?? now + DAY
}

export async function writeNightlyExport(deps: ExportServices, task: Task): Promise<void> {
  const { store, clock, settings, log } = deps
  const one = await store.readNightlyExport(task.subject)
  if (one === undefined) {
    await store.finishTask(task, { state: 'skipped', note: 'it was deleted', now: clock.now() })
    return
  }
  try {
    const written = await write(deps, one)
    const now = clock.now()
    await store.recordExport(task, { ...written, now, dueAt: nextAt(one.hour, now, settings.school.timeZone) })
  } catch (error) {
    if (deps.stopping.aborted) return
    if (isOutage(error, task)) throw error
    log.error({ err: error, export: one.id }, 'a nightly export could not be written')
    const now = clock.now()
    const dueAt = now + retryDelay(task.attempts, Math.random())
    await store.recordFailedExport(task, { name: one.name, why: reasonOf(error), now, dueAt })
  }
}

async function write(
  { config, calendar, clock, viewAsCsv, sendFile, stopping: signal }: ExportServices,
  { name, filter, keepDays }: NightlyExport,
): Promise<{ file: string; leads: number }> {
  const today = calendar.today(clock.now())
  const file = `${name}-${today}.csv`
  // Comes first, so that old files are deleted even if the disk is full or the receiver is unavailable.
  await deleteOld(config.exportDir, name, Temporal.PlainDate.from(today).subtract({ days: keepDays }).toString())
  let leads = 0
  const pieces = viewAsCsv(filter, more => {
    leads += more
  })
  await replaceFile(config.exportDir, file, pieces)
  const { exportDir: folder, exportSftp: target } = config
  if (target !== undefined) await sendFile(target, { folder, name: file }, { signal })
  return { file, leads }
}

/**
 * Deletes an export's files that were written on a day or earlier, and unfinished files of processes that died. Other
 * files in the folder are not ours. If the folder cannot be read, writing will say why.
 */
async function deleteOld(folder: string, name: string, through: string): Promise<void> {
  const ours = new RegExp(`^(\\.?)${name}-(\\d{4}-\\d\\d-\\d\\d)\\.csv(\\.part)?$`)
  for (const file of await readdir(folder).catch(() => [])) {
    const [, dot = '', day, part = ''] = ours.exec(file) ?? []
    const isUnfinished = dot !== '' && part !== ''
    const isOld = dot === '' && part === '' && day !== undefined && day <= through
    if (isUnfinished || isOld) await rm(join(folder, file), { force: true })
  }
}

const reasons: Record<string, string> = {
  EACCES: 'the service may not write into the folder',
  EPERM: 'the service may not write into the folder',
  EROFS: 'the folder is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENOTDIR: 'the path of the folder leads through a file',
  EEXIST: 'there is a file where the folder should be',
}

const reasonOf = (error: unknown): string =>
  error instanceof NotSent
    ? error.message
    : (reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? 'it failed; the log says why')
