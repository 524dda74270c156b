/** The help of the commands. */
import type { Command } from 'commander'

/** Adds examples to the help of a command, each as it stands after the name of the program. */
export const withExamples = (command: Command, ...examples: string[]): Command =>
  command.addHelpText(
    'after',
    `\nExamples:\n${examples.map(example => `  npx frontdesk ${example}`).join('\n')}`,
  )
