/** `frontdesk move`: from SQLite to PostgreSQL, with everything. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { loadConfig } from '../config/config.ts'
import { ConfigError, orConfigError } from '../config/config-error.ts'
import { type DatabaseAddress, describeDatabase, variables } from '../config/environment.ts'
import { readSecret } from '../config/secret.ts'
import { move, type Report } from '../store/move/move.ts'
import { MoveRefused } from '../store/move/refused.ts'
import { CommandFailed } from './command-failed.ts'
import { print } from './output.ts'
import { terminal } from './terminal.ts'

export function moveCommand(): Command {
  return new Command('move')
    .description('move everything from SQLite to PostgreSQL, while the service is stopped')
    .requiredOption('--from <url>', 'sqlite:FILE, as in DATABASE_URL (relative to DATA_DIR)')
    .requiredOption('--to <url>', 'postgres://user:password@host:port/database, a new database')
    .addHelpText(
      'after',
      `
Stop the service first. Every submission, lead, task and key is copied, and the secret that signs
links, unless SECRET_KEY is set; then both sides are read again and compared. No row of
the file is changed. A move that was interrupted goes on when the same command is run again; until it is done,
no service starts on the new database.`,
    )
    .action(run)
}

async function run(options: { from: string; to: string }): Promise<void> {
  const from = parseAddress('--from', options.from, 'sqlite')
  const to = parseAddress('--to', options.to, 'postgres')
  const config = await loadConfig({
    ...terminal().env,
    DATABASE_URL: to.url,
    DATABASE_URL_FILE: undefined,
  })
  const file = resolve(config.dataDir, from.file)
  const name = describeDatabase(to)
  const secret = config.secretKey === undefined ? fileSecret(config.dataDir) : undefined
  // The drivers of both engines: no other command loads the two.
  const { openSource } = await import('../store/move/source.ts')
  const { openTarget } = await import('../store/move/target.ts')
  const source = await orConfigError(`The database ${file} cannot be opened`, () =>
    openSource(file, secret, Date.now()),
  )
  try {
    const target = await orConfigError(`The database ${name} cannot be opened`, () =>
      openTarget(to.url, name),
    )
    try {
      await move(source, target, progress)
    } finally {
      await target.close()
    }
  } catch (error) {
    throw toldPlainly(error)
  } finally {
    await source.close()
  }
  print(`
Everything in ${file} is now in ${name} too. Next:
  1. Set DATABASE_URL to that address, with its password, wherever the service runs.
  2. Start the service.
  3. Keep the old file until you are satisfied. Nothing new goes into it.`)
}

function parseAddress<Engine extends DatabaseAddress['engine']>(
  option: string,
  text: string,
  engine: Engine,
): Extract<DatabaseAddress, { engine: Engine }> {
  const wanted = { sqlite: 'sqlite:FILE', postgres: 'postgres://user:password@host:port/database' }
  try {
    const address = variables.DATABASE_URL.parse(text)
    if (address.engine === engine) return address as never
  } catch {
    // Told below, for this option.
  }
  throw new CommandFailed(`${option} must be ${wanted[engine]}.`)
}

/** What signs links and message ids, where the service on SQLite keeps it. */
function fileSecret(dataDir: string): string {
  const file = resolve(dataDir, 'secret-key')
  if (existsSync(file)) return readSecret(file)
  throw new ConfigError([
    `${file} is missing: set DATA_DIR or SECRET_KEY as they are for the service, so that links stay valid`,
  ])
}

const TOLD_EVERY = 100_000

const progress: Report = {
  copied: (table, rows, of) => {
    if (rows % TOLD_EVERY === 0 || rows === of) print(`copied    ${table}: ${rows} of ${of}`)
  },
  verified: (table, rows) => print(`verified  ${table}: ${rows}`),
}

function toldPlainly(error: unknown): unknown {
  if (error instanceof ConfigError) return error
  const { message } = error as Error
  if (error instanceof MoveRefused) return new CommandFailed(message)
  return new CommandFailed(
    `The move has stopped: ${message}. Run it again, and it goes on from there.`,
  )
}
