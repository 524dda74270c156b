/** The command line. */
import { existsSync, readFileSync } from 'node:fs'
import { Command } from 'commander'
import { CommandFailed } from './cli/command-failed.ts'
import { ConfigError } from './config/config.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const program = new Command('frontdesk')
  .description('The front desk of a vocational school: takes in every lead, loses none.')
  .version(version)
  .showHelpAfterError('(run with --help for what is possible)')
  .addHelpText(
    'after',
    `
Exit codes: 0 done, 1 it could not be done, 2 the settings or the environment are wrong.
Every command but move works while the service runs. Settings: frontdesk.config.ts; environment: .env.example.`,
  )

// Whoever reads the output has enough, such as `head`.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  process.exit(0)
})

// What is written holds personal data and secrets.
process.umask(0o077)

try {
  if (existsSync('.env')) process.loadEnvFile('.env')
  for (const command of await commandsFor(process.argv[2])) {
    program.addCommand(command)
    for (const one of [command, ...command.commands]) one.copyInheritedSettings(program)
  }
  await program.parseAsync()
} catch (error) {
  if (error instanceof ConfigError) {
    process.stderr.write(`${['Invalid configuration:', ...error.problems].join('\n  - ')}\n`)
    process.exitCode = 2
  } else if (error instanceof CommandFailed) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } else {
    throw error
  }
}

/** The service loads nothing that only the other commands need. */
async function commandsFor(name: string | undefined): Promise<Command[]> {
  const { serveCommand, workerCommand } = await import('./cli/serve.ts')
  if (name === 'serve' || name === 'worker') return [serveCommand(), workerCommand()]
  const { leadsCommand } = await import('./cli/leads.ts')
  const { followUpCommand } = await import('./cli/follow-up.ts')
  const { counselorsCommand } = await import('./cli/counselors.ts')
  const { suppressionsCommand } = await import('./cli/suppressions.ts')
  const { accountsCommand } = await import('./cli/accounts.ts')
  const { quarantineCommand } = await import('./cli/quarantine.ts')
  const { mailCommand } = await import('./cli/mail.ts')
  const { checkCommand } = await import('./cli/check.ts')
  const { moveCommand } = await import('./cli/move.ts')
  return [
    serveCommand(),
    workerCommand(),
    leadsCommand(),
    followUpCommand(),
    counselorsCommand(),
    suppressionsCommand(),
    accountsCommand(),
    quarantineCommand(),
    mailCommand(),
    checkCommand(),
    moveCommand(),
  ]
}
