/** `frontdesk move`: from SQLite to PostgreSQL, with everything. */
import { resolve } from 'node:path'
import { Command } from 'commander'
import { loadConfig } from '../config/config.ts'
import { ConfigError, orStartError, StartError } from '../config/config-error.ts'
import { type DatabaseAddress, describeDatabase, variables } from '../config/environment.ts'
import { move, type Progress } from '../store/move/move.ts'
import { MoveRefused } from '../store/move/refused.ts'
import { print } from './terminal/output.ts'
import { CommandFailed, terminal } from './terminal/terminal.ts'

export function moveCommand(): Command {
  return new Command('move')
    .description('move everything from SQLite to PostgreSQL, while the service is stopped')
    .requiredOption('--from <url>', 'sqlite:FILE, as in DATABASE_URL (relative to DATA_DIR)')
    .requiredOption('--to <url>', 'postgres://user:password@host:port/database, a new database')
    .addHelpText(
      'after',
      `
Stop the service first. The command copies every submission, lead, task and key,
and the secret that signs links, unless SECRET_KEY is set; then it reads both
sides again and compares them. It does not change any row of the file, but marks
it as moved, so that no service starts on it by mistake. If it is interrupted, run
the same command again to continue. Until the move is finished, no service starts
on the new database.`,
    )
    .action(run)
}

async function run(options: { from: string; to: string }): Promise<void> {
  const from = parseAddress('--from', options.from, 'sqlite')
  const to = parseAddress('--to', options.to, 'postgres')
  const config = await loadConfig({ ...terminal().env, DATABASE_URL: to.url, DATABASE_URL_FILE: undefined })
  const file = resolve(config.dataDir, from.file)
  const name = describeDatabase(to)
  const complete = config.secretKey === undefined
  // Loaded here, because no other command needs the drivers of both engines.
  const { openSource } = await import('../store/move/source.ts')
  const { openTarget } = await import('../store/move/target.ts')
  const source = await orStartError(`The database ${file} cannot be opened`, () =>
    openSource(file, { complete }, Date.now()),
  )
  try {
    const target = await orStartError(`The database ${name} cannot be opened`, () => openTarget(to.url, name))
    try {
      await move(source, target, progress)
    } finally {
      await target.close()
    }
  } catch (error) {
    throw failureOf(error)
  } finally {
    await source.close()
  }
  print(`
Everything in ${file} is now in ${name} too. Next:
  1. Set DATABASE_URL to that URL, with its password, wherever the service runs.
  2. Start the service.
  3. Keep the old file until you are satisfied. No service starts on it anymore.`)
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
    // The error below names this option.
  }
  throw new CommandFailed(`${option} must be ${wanted[engine]}.`)
}

/** The command prints its progress after this many rows of a table. */
const ROWS_PER_LINE = 100_000

const progress: Progress = {
  copied: (table, rows, of) => {
    if (rows % ROWS_PER_LINE === 0 || rows === of) print(`copied    ${table}: ${rows} of ${of}`)
  },
  verified: (table, rows) => print(`verified  ${table}: ${rows}`),
}

/** The error for the operator, which says how to continue. */
function failureOf(error: unknown): Error {
  if (error instanceof ConfigError || error instanceof StartError) return error
  const { message } = error as Error
  if (error instanceof MoveRefused) return new CommandFailed(message)
  return new CommandFailed(`The move has stopped: ${message}. To continue, run the same command again.`)
}
