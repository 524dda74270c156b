/** The command line. */
import { existsSync, readFileSync } from 'node:fs'
import { Command } from 'commander'
import { checkCommand } from './cli/check.ts'
import { leadsCommand } from './cli/leads.ts'
import { mailCommand } from './cli/mail.ts'
import { CommandFailed } from './cli/output.ts'
import { quarantineCommand } from './cli/quarantine.ts'
import { serveCommand } from './cli/serve.ts'
import { ConfigError } from './config/config.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const program = new Command('frontdesk')
  .description('The front desk of a vocational school: takes in every lead, loses none.')
  .version(version)
  .showHelpAfterError('(run with --help for what is possible)')
  .addCommand(serveCommand())
  .addCommand(leadsCommand())
  .addCommand(quarantineCommand())
  .addCommand(mailCommand())
  .addCommand(checkCommand())
  .addHelpText(
    'after',
    `
Exit codes: 0 done, 1 it could not be done, 2 the settings or the environment are wrong.
Every command works while the service runs. Settings: frontdesk.config.ts; environment: .env.example.`,
  )

try {
  if (existsSync('.env')) process.loadEnvFile('.env')
  await program.parseAsync()
} catch (error) {
  if (error instanceof ConfigError) {
    process.stderr.write(`${['Frontdesk cannot start:', ...error.problems].join('\n  - ')}\n`)
    process.exitCode = 2
  } else if (error instanceof CommandFailed) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } else {
    throw error
  }
}
