/** The command line: all commands, and the exit code for each way that one ends. */
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config/config-error.ts'
import { CommandFailed } from './command-failed.ts'
import { onTerminal, type Terminal } from './terminal.ts'

/**
 * Runs a command and returns its exit code. `args` are the arguments after the program's name. Throws
 * an error that is neither about the command nor about the configuration.
 */
export function runCommand(args: string[], terminal: Terminal = process): Promise<number> {
  return onTerminal(terminal, async () => {
    try {
      const program = programOn(terminal)
      for (const command of await commandsFor(args[0])) {
        program.addCommand(command)
        for (const one of [command, ...command.commands]) one.copyInheritedSettings(program)
      }
      await program.parseAsync(args, { from: 'user' })
      return 0
    } catch (error) {
      // Help, the version or a usage error, which commander has printed.
      if (error instanceof CommanderError) return error.exitCode
      if (error instanceof ConfigError) {
        terminal.stderr.write(`${['Invalid configuration:', ...error.problems].join('\n  - ')}\n`)
        return 2
      }
      if (error instanceof CommandFailed) {
        terminal.stderr.write(`${error.message}\n`)
        return 1
      }
      throw error
    }
  })
}

function programOn({ stdout, stderr }: Terminal): Command {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return new Command('frontdesk')
    .description('The front desk of a vocational school: stores every inquiry, loses none.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: text => stdout.write(text),
      writeErr: text => stderr.write(text),
    })
    .showHelpAfterError('(run with --help to see what is possible)')
    .addHelpText(
      'after',
      `
Exit codes: 0 done, 1 failed, 2 invalid settings or environment.
Every command except move works while the service runs.
Settings: frontdesk.config.ts; environment: .env.example.`,
    )
}

/** `serve` and `worker` load nothing that only the other commands need. */
async function commandsFor(name: string | undefined): Promise<Command[]> {
  const { serveCommand, workerCommand } = await import('./serve.ts')
  if (name === 'serve' || name === 'worker') return [serveCommand(), workerCommand()]
  const { leadsCommand } = await import('./leads.ts')
  const { followUpCommand } = await import('./follow-up.ts')
  const { counselorsCommand } = await import('./counselors.ts')
  const { suppressionsCommand } = await import('./suppressions.ts')
  const { accountsCommand } = await import('./accounts.ts')
  const { quarantineCommand } = await import('./quarantine.ts')
  const { mailCommand } = await import('./mail.ts')
  const { checkCommand } = await import('./check.ts')
  const { moveCommand } = await import('./move.ts')
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
