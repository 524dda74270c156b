/** The data folder: whether it exists, and whether we may use it. SQLite's own errors do not say who owns a file. */
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join, sep } from 'node:path'
import type { Config } from './config.ts'
import { StartError } from './config-error.ts'
import { describeDatabase } from './environment.ts'

type Place = Pick<Config, 'dataDir' | 'database' | 'smtpUrl'>

/** Creates the data folder, readable only by us, unless it exists. Throws StartError. */
export function prepareDataFolder(place: Place): void {
  const { dataDir, database, smtpUrl } = place
  // If there is a database server and a mail server, this folder is not used.
  if (database.engine !== 'sqlite' && smtpUrl !== undefined) return
  requireAccess(place)
  if (existsSync(dataDir)) return
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw cannotBeCreated(dataDir, error as Error)
  }
}

const cannotBeCreated = (dataDir: string, { message }: Error): StartError =>
  new StartError(
    `DATA_DIR names ${dataDir}, which does not exist and cannot be created: ${message}. ` +
      `Create it as root, for ${us()}: install -d -o ${us()} -m 700 ${dataDir}`,
  )

/**
 * Whether the first start will create the database, because it is a file that does not exist. Creates
 * nothing. Throws StartError when we may not use what is there.
 */
export function isNewDatabase(place: Place): boolean {
  requireAccess(place)
  return place.database.engine === 'sqlite' && !existsSync(place.database.file)
}

/** Throws StartError when the start could not create the data folder. Creates nothing. */
export function requireRoomForData({ dataDir }: Place): void {
  let folder = dataDir
  while (!existsSync(folder)) folder = dirname(folder)
  try {
    // The slash at the end asks for a folder.
    accessSync(join(folder, sep), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw cannotBeCreated(dataDir, error as Error)
  }
}

/** Throws StartError when the database is a file that does not exist, or that we may not use. */
export function requireDatabase(place: Place): void {
  if (!isNewDatabase(place)) return
  throw new StartError(
    `There is no database at ${describeDatabase(place.database)}. Run this command where the service runs, with the same ` +
      `DATA_DIR and DATABASE_URL; the first start of the service creates the database.`,
  )
}

/** Which files other users of this machine can read or change, in sentences that say how to end that. */
export function loosePermissions({ dataDir, database }: Place): string[] {
  // Windows does not have these modes.
  if (process.platform === 'win32') return []
  const looseFiles = database.engine === 'sqlite' && modeOf(database.file) & 0o077 ? [database.file] : []
  return [
    ...(modeOf(dataDir) & 0o022 ? [`other users may write to ${dataDir}: chmod go-w ${dataDir}`] : []),
    ...looseFiles.map(file => `other users may read or change ${file}: chmod 600 ${file}`),
  ]
}

function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0
}

/** Throws StartError when a file of ours exists that we may not read and write. */
function requireAccess({ dataDir, database }: Place): void {
  const files = [join(dataDir, 'mail')]
  if (database.engine === 'sqlite') {
    const { file } = database
    files.push(dirname(file), file, `${file}-wal`, `${file}-shm`)
  }
  for (const path of [dataDir, ...files]) {
    const problem = accessProblem(path, isInside(path, dataDir) ? dataDir : path)
    if (problem !== undefined) throw new StartError(`${problem} (DATA_DIR is ${dataDir}.)`)
  }
}

const isInside = (path: string, folder: string): boolean => path.startsWith(join(folder, sep))

/**
 * Why a path cannot be read and written; undefined if it can. `whole`: the path whose owner should change: if possible
 * the folder, so that all files in it get the same owner.
 */
function accessProblem(path: string, whole: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'EROFS') return `${path} is on a file system that cannot be written to.`
    return denied(path, whole)
  }
}

function denied(path: string, whole: string): string {
  const owner = ownerOf(path)
  if (owner === undefined) return `${us()} may not look into the folder of ${path}.`
  if (owner === us())
    return `${path} belongs to ${us()}, but its permissions do not allow reading and writing: chmod -R u+rwX ${whole}`
  const fix = `give it to ${us()}: chown -R ${us()} ${whole}`
  return owner === 'root'
    ? `${path} belongs to root, and this command runs as ${us()}. As root, ${fix}`
    : `${path} belongs to ${owner}, and this command runs as ${us()}. Run it as ${owner} (sudo -u ${owner} …), or ${fix}`
}

/** The name of the user that runs the process, or the number. */
function us(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.())
  }
}

/** The name of a file's owner, or the number; undefined if we may not even look. */
function ownerOf(path: string): string | undefined {
  try {
    const { uid } = statSync(path)
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find(entry => entry.split(':')[2] === String(uid))
    return line?.split(':')[0] ?? String(uid)
  } catch {
    return undefined
  }
}
