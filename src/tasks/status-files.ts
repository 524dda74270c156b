/**
 * Takes a status list from the folder into which the student information system writes it: stores it as if someone had
 * uploaded it, has it checked and imported, and moves the file to `done` or `failed`.
 *
 * A file is identified by its name, size, date and content, and its list is stored with that key. So a file becomes one
 * list, even if processes die or several look into the folder; it is moved once the database has the list.
 */
import { hash } from 'node:crypto'
import { lstat, mkdir, readFile, rename } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { checkImport } from '../lead-actions/import-list.ts'
import type { Services } from '../lead-actions/services.ts'
import { shortName, storeList } from '../lead-actions/upload-list.ts'
import { FILE_LIMITS, NotCsv } from '../leads/import/csv-upload.ts'
import { MINUTE } from '../platform/time.ts'
import { STATUS_FOLDER } from '../store/imports/nightly-lists.ts'

export type StatusFileServices = Pick<Services, 'store' | 'clock' | 'calendar' | 'changed'> & {
  config: Pick<Config, 'statusDir'>
  log: Logger
}

export type StatusFile = { name: string; size: number; writtenAt: number }

/** If a process takes longer than this to store a list, in milliseconds, it has died. */
const STORED_WITHIN = 30 * MINUTE

/** Says why a file cannot be imported, in words for admins. */
class NotTaken extends Error {}

/** Never rejects. Problems are logged, and reported to the admins if they can help; the next look tries again. */
export async function takeStatusFile(deps: StatusFileServices, file: StatusFile): Promise<void> {
  const { config, log } = deps
  try {
    const bytes = await readWhole(config.statusDir, file)
    if (bytes === undefined) return
    const key = hash('sha256', Buffer.concat([Buffer.from(JSON.stringify(file)), bytes]), 'base64url')
    try {
      if (await becomesList(deps, file, { bytes, key })) await moveTo(deps, 'done', file, key)
    } catch (error) {
      if (!(error instanceof NotCsv || error instanceof NotTaken)) throw error
      await tellAdmins(deps, file.name, `${error.message} The file is in the folder “failed”.`)
      await moveTo(deps, 'failed', file, key)
    }
  } catch (error) {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
    if (reason !== undefined) await tellAdmins(deps, file.name, reason)
    // The next look tries again. The name of a file may be the name of a person.
    log.warn({ err: error }, 'a status list could not be taken from its folder')
  }
}

const reasons: Record<string, string> = {
  EACCES: 'The service may not read the file, or may not move it. It needs both, and tries again.',
  EPERM: 'The service may not move the file. It needs to, and tries again.',
  EROFS: 'The folder is read-only, and the service needs to move the file. It tries again.',
}

/** The content of the file; undefined if it changed meanwhile, or another process has moved it. */
async function readWhole(folder: string, { name, size, writtenAt }: StatusFile): Promise<Uint8Array | undefined> {
  const path = join(folder, name)
  if (size > FILE_LIMITS.bytes) return new Uint8Array(FILE_LIMITS.bytes + 1)
  try {
    const bytes = await readFile(path)
    const now = await lstat(path)
    return now.isFile() && now.size === size && Math.floor(now.mtimeMs) === writtenAt ? bytes : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Returns whether the file has become a list whose import has begun or ended. Throws a NotCsv or a NotTaken. */
async function becomesList(
  deps: StatusFileServices,
  { name }: StatusFile,
  { bytes, key }: { bytes: Uint8Array; key: string },
): Promise<boolean> {
  const { store, clock } = deps
  const now = clock.now()
  let known = await store.findListOfFile(key)
  if (known?.state === 'reading') {
    // Another process is storing the file, unless that process has died.
    if (Math.abs(now - known.createdAt) < STORED_WITHIN) return false
    await store.discardImport(known.id)
    known = undefined
  }
  if (known !== undefined && known.state !== 'draft') return true
  const fileName = shortName(name) || 'list.csv'
  const id =
    known?.id ?? (await storeList(store, { bytes, fileName, by: FOLDER, now, purpose: 'status', fileKey: key }))
  const list = await store.readImport(id)
  if (list === undefined) return false
  const recalled = await store.recallStatusPlan(list.digest, { imported: true })
  if (recalled === undefined || recalled.undone) {
    await store.discardImport(id)
    throw new NotTaken(recalled === undefined ? NEVER : UNDONE)
  }
  await checkImport(deps, list, { plan: { ...recalled.plan, startsItself: true } }, { actor: FOLDER })
  return true
}

/** The actor of these imports, in place of a person. */
const FOLDER = 'the folder'

const NEVER =
  'No one has imported a status list with these columns yet. Upload the file by hand, under Import, and say what its columns and words mean.'
const UNDONE =
  'The last status list with these columns was undone. Upload the file by hand, under Import, and import it: after that, the service imports such files again.'

/** The key distinguishes files with the same name. */
async function moveTo(
  { config, calendar, clock }: StatusFileServices,
  place: 'done' | 'failed',
  { name }: StatusFile,
  key: string,
): Promise<void> {
  const folder = join(config.statusDir, place)
  await mkdir(folder, { recursive: true, mode: 0o750 })
  const shortKey = key.replace(/[^a-z\d]/gi, '').slice(0, 8)
  const target = fitting(`${calendar.today(clock.now())}-${shortKey}-`, name)
  await rename(join(config.statusDir, name), join(folder, target)).catch(unlessMoved)
}

/** The maximum length of a file name in Linux file systems, in bytes. */
const LONGEST_NAME = 255

/** The name with a prefix. If that is too long for a file name, the letters right before its extension are left out. */
function fitting(prefix: string, name: string): string {
  const { name: beginning, ext } = parse(name)
  const letters = [...beginning]
  while (Buffer.byteLength(`${prefix}${letters.join('')}${ext}`) > LONGEST_NAME && letters.length > 0) letters.pop()
  return `${prefix}${letters.join('')}${ext}`
}

/** Another process may have moved it. */
function unlessMoved(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** Tells the admins, once until a list is imported, what is wrong with a file or with the folder. */
export async function tellAdmins({ store, clock, changed }: StatusFileServices, what: string, why: string) {
  const now = clock.now()
  const title = 'A status list could not be imported.'
  const alarm = { cause: STATUS_FOLDER, title, text: `${what}: ${why}`, path: '/import', since: now }
  if (await store.raiseAlarm(alarm, now)) changed(['reports'])
}
