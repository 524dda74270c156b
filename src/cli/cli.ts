/** The command line: all commands, and the exit code for each way that one ends. */
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { ConfigError, StartError } from '../config/config-error.ts'
import { ourPath } from '../platform/places.ts'
import { addExamples } from './examples.ts'
import { CommandFailed, onTerminal, type Terminal } from './terminal/terminal.ts'

/** In the order of the help. Each loads only what it needs itself. */
const commands: Record<string, () => Promise<Command>> = {
  init: async () => (await import('./init/init.ts')).initCommand(),
  serve: async () => (await import('./serve.ts')).serveCommand(),
  worker: async () => (await import('./serve.ts')).workerCommand(),
  leads: async () => (await import('./leads/leads.ts')).leadsCommand(),
  'follow-up': async () => (await import('./follow-up/follow-up.ts')).followUpCommand(),
  counselors: async () => (await import('./leads/counselors.ts')).counselorsCommand(),
  operators: async () => (await import('./operators.ts')).operatorsCommand(),
  suppressions: async () => (await import('./suppressions.ts')).suppressionsCommand(),
  accounts: async () => (await import('./accounts.ts')).accountsCommand(),
  quarantine: async () => (await import('./quarantine.ts')).quarantineCommand(),
  mail: async () => (await import('./mail/mail.ts')).mailCommand(),
  rehearse: async () => (await import('./rehearse.ts')).rehearseCommand(),
  check: async () => (await import('./check/check.ts')).checkCommand(),
  preview: async () => (await import('./preview/preview.ts')).previewCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./backup.ts')).restoreCommand(),
  move: async () => (await import('./move.ts')).moveCommand(),
}

/**
 * Runs a command and returns its exit code. `args` are the arguments after the program's name. Throws errors that are
 * neither about the command nor about the configuration.
 */
export function runCommand(args: string[], terminal: Terminal = process): Promise<number> {
  return onTerminal(terminal, async () => {
    try {
      const program = await createProgram(args[0], terminal)
      if (args.length === 0) {
        const { printStatus } = await import('./status.ts')
        await printStatus()
        terminal.stdout.write(`\n${program.helpInformation()}`)
        return 0
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
      if (error instanceof StartError) {
        terminal.stderr.write(`${error.message}\n`)
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

/** The program with the command of that name, or with all of them. */
export async function createProgram(name: string | undefined, terminal: Terminal): Promise<Command> {
  const program = programOn(terminal)
  for (const command of await commandsFor(name)) {
    addExamples(command)
    program.addCommand(command)
    for (const each of [command, ...command.commands]) each.copyInheritedSettings(program)
  }
  return program
}

function programOn({ stdout, stderr }: Terminal): Command {
  const { version } = JSON.parse(readFileSync(ourPath('package.json'), 'utf8'))
  return new Command('npx frontdesk')
    .description('The front desk of a vocational school: stores every inquiry, loses none.')
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: text => stdout.write(text), writeErr: text => stderr.write(text) })
    .showHelpAfterError('(run with --help to see what is possible)')
    .addHelpText(
      'after',
      `
Exit codes: 0 done, 1 failed, 2 the settings or the environment are invalid, or name
something that cannot be used, such as a database that is not there.
Every command except move and restore works while the service runs.
Settings: frontdesk.config.ts; environment: .env.example.`,
    )
}

/** Loads the command of that name, or all of them if the help or an error message needs them. */
async function commandsFor(name = ''): Promise<Command[]> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  return load ? [await load()] : Promise.all(Object.values(commands).map(load => load()))
}
