/** `frontdesk backup` and `frontdesk restore`: a copy of the database, and the way back. */
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { type Config, loadConfig } from '../config/config.ts'
import { orStartError } from '../config/config-error.ts'
import { prepareDataFolder, requireDatabase } from '../config/data-folder.ts'
import { DAYS_REPLACED, removeUnfinished, replacedName } from '../config/replaced-databases.ts'
import { momentInName } from '../platform/time.ts'
import { openStore } from '../store/open-store.ts'
import {
  type Copy,
  copyDatabase,
  draftFrom,
  type OnlyBefore,
  removeWithLogs,
  replaceDatabase,
  verifyCopy,
} from '../store/sqlite/backup.ts'
import { skipIn } from './follow-up/skip-overdue.ts'
import { unreadable } from './terminal/named-file.ts'
import { count, print } from './terminal/output.ts'
import { CommandFailed, terminal } from './terminal/terminal.ts'
import { createTimes } from './terminal/times.ts'

export function backupCommand(): Command {
  return new Command('backup')
    .description('copy the SQLite database into a file, while the service runs')
    .argument('<file>', 'a new file, or a folder in which the file gets a name with the time')
    .addHelpText(
      'after',
      `
The copy holds everything: submissions, leads, what is to be done, and the secret that signs links
(unless SECRET_KEY is set: keep that too). It does not hold your settings, your .env, your DKIM key, or
the emails that were written to files because SMTP_URL is not set.`,
    )
    .action(backup)
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('replace the SQLite database with a backup, while the service is stopped')
    .argument('<file>', 'the backup')
    .option('--replace', 'move the existing database aside, under a new name')
    .addHelpText(
      'after',
      `
Stop the service first. What has happened since the backup is not in it, such as inquiries and calls that
were recorded. Addresses that the existing database suppresses stay suppressed. Reminders and follow-up
emails that came due since then are skipped, since they may have been sent already; later ones keep their
times. Messages that were waiting in the outbox are sent, perhaps for the second time, with the same
Message-ID.`,
    )
    .action(restore)
}

async function backup(target: string): Promise<void> {
  const config = await loadConfig(terminal().env)
  const to = newFile(target, config.database.engine === 'sqlite' ? 'db' : 'dump')
  const from = sqliteFile(config, url => `pg_dump --format=custom --file='${to}' '${url}'`, 'To back it up')
  requireDatabase(config)
  const copy = await failing(`The database ${from} cannot be copied to ${to}`, () => copyDatabase(from, to))
  removeUnfinished(dirname(to), { of: OURS, now: Date.now() })
  print(`Copied ${from} to ${to} and verified the copy: ${describe(copy, config)}.`)
}

async function restore(given: string, { replace = false }: { replace?: boolean }): Promise<void> {
  const config = await loadConfig(terminal().env)
  const file = sqliteFile(
    config,
    url =>
      `pg_restore --clean --if-exists --no-owner --dbname='${url}' '${resolve(given)}'\n  npx frontdesk follow-up skip-overdue`,
    'To restore it, stop the service, run these, and start it again',
  )
  const source = resolve(given)
  requireFile(source)
  prepareDataFolder(config)
  if (existsSync(file) && !replace) {
    throw new CommandFailed(
      `There is a database at ${file} already. To put it aside and use the backup, add --replace.`,
    )
  }
  const copy = await failing(`${source} cannot be restored`, () => verifyCopy(source))
  const draft = await failing(`${source} cannot be restored`, () => draftFrom(source, file))
  try {
    const skipped = await skipPast(draft, config)
    const kept = replacedName(file, Date.now())
    const only = await failing(`The database ${file} cannot be replaced`, () => replaceDatabase(file, { draft, kept }))
    print(`Restored ${source} to ${file}: ${describe(copy, config)}.`)
    if (existsSync(kept)) print(aboutKept(kept, only))
    if (skipped !== undefined) print(skipped)
    print('What has happened since the backup is not in it. Start the service now.')
  } finally {
    removeWithLogs(draft)
  }
}

/**
 * Skips the steps that came due since the backup: they may have been done already, and doing them twice is worse than
 * not at all. Returns what to say about it.
 */
async function skipPast(draft: string, { settings }: Config) {
  const store = await orStartError(`The backup cannot be opened`, () => openStore({ engine: 'sqlite', file: draft }))
  try {
    return await skipIn(store, settings, 'came due before the backup was restored')
  } finally {
    await store.close()
  }
}

function aboutKept(kept: string, only: OnlyBefore | undefined): string {
  return `The previous database is now ${kept}. The service deletes it after ${DAYS_REPLACED} days; move it elsewhere to keep it. ${aboutOnly(kept, only)}`
}

function aboutOnly(kept: string, only: OnlyBefore | undefined): string {
  if (only === undefined) return 'It cannot be read. If people were erased since the backup, erase them again.'
  return [aboutSubmissions(kept, only), ...aboutOptOuts(only)].join('\n')
}

function aboutSubmissions(kept: string, { submissions, people }: OnlyBefore): string {
  if (submissions === 0) return 'The backup has all of its submissions.'
  const more = submissions > people.length ? '\n  and others' : ''
  return (
    `It has ${count(submissions, 'submission')} that the backup does not have. No one follows up with these people unless you do:\n  ` +
    `${people.join('\n  ')}${more}\n` +
    `To see all that they sent, with the version that used it: DATABASE_URL=sqlite:${kept} npx frontdesk leads list`
  )
}

/** The register does not lead back to a person, so we cannot name them. */
function aboutOptOuts({ erased, suppressed }: OnlyBefore): string[] {
  const lines: string[] = []
  if (erased > 0) {
    const were = erased === 1 ? 'was erased since the backup, and is' : 'were erased since the backup, and are'
    lines.push(
      `${count(erased, 'person', 'people')} ${were} in it. Erase them again: npx frontdesk leads erase <address> --yes`,
    )
  }
  if (suppressed > 0) {
    const stay =
      suppressed === 1 ? 'was suppressed since the backup, and stays' : 'were suppressed since the backup, and stay'
    lines.push(`${count(suppressed, 'address', 'addresses')} ${stay} suppressed.`)
  }
  return lines
}

function sqliteFile({ database }: Config, command: (url: string) => string, what: string): string {
  if (database.engine === 'sqlite') return database.file
  const url = new URL(database.url)
  url.password = ''
  throw new CommandFailed(
    `The database is on PostgreSQL. ${what}:\n  ${command(url.href)}\nPostgreSQL asks for the password.`,
  )
}

function newFile(target: string, ending: string): string {
  const path = resolve(target)
  const isFolder = existsSync(path) && statSync(path).isDirectory()
  const folder = isFolder || /[/\\]$/.test(target) ? path : dirname(path)
  if (!existsSync(folder)) {
    throw new CommandFailed(
      `The folder ${folder} does not exist. Make it, readable only for the user that runs Frontdesk: mkdir -m 700 ${folder}`,
    )
  }
  const file = isFolder ? join(path, `${OURS}${timestamp()}.${ending}`) : path
  if (existsSync(file)) throw new CommandFailed(`${file} exists already. Name a new file.`)
  return file
}

/** Throws CommandFailed unless the file exists and can be read. */
function requireFile(path: string): void {
  try {
    closeSync(openSync(path, 'r'))
  } catch (error) {
    throw unreadable(path, error as NodeJS.ErrnoException)
  }
  if (statSync(path).isDirectory()) throw new CommandFailed(`${path} is a folder. Name a file in it.`)
}

/** What the names of backups in a folder begin with. */
const OURS = 'frontdesk-'

const timestamp = (): string => momentInName(Date.now())

function describe({ submissions, leads, newest }: Copy, { settings }: Config): string {
  const last = newest === null ? '' : `, the newest of ${createTimes(settings.school, newest).full(newest)}`
  return `${count(submissions, 'submission')} and ${count(leads, 'lead')}${last}`
}

async function failing<T>(what: string, work: () => T): Promise<T> {
  try {
    return work()
  } catch (error) {
    throw new CommandFailed(`${what}: ${(error as Error).message}.`)
  }
}
