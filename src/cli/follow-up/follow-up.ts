/** `frontdesk follow-up`: what happens next to a lead, what the settings mean, how quickly the school responds. */
import { Command, Option } from 'commander'
import { kinds } from '../../leads/body/submission.ts'
import { formatOption, TIME } from '../terminal/arguments.ts'
import { showPlan } from './plan.ts'
import { showSimulation } from './simulation.ts'
import { skip } from './skip-overdue.ts'
import { showSpeed } from './speed.ts'

export function followUpCommand(): Command {
  const command = new Command('follow-up').description(
    'show the plan for a lead, simulate the settings, measure response times',
  )
  command
    .command('plan <lead>')
    .description('show what has happened to a lead, what will happen, and what stops it')
    .addOption(formatOption('text', 'json'))
    .action(showPlan)
  command
    .command('simulate')
    .description('try the settings on a simulated month of students')
    .option('--leads <n>', 'how many students write', '400')
    .option('--days <n>', 'over how many days, starting today', '30')
    .option('--seed <n>', 'seed of the random numbers: each makes a different month', '1')
    .addOption(formatOption('text', 'json'))
    .action(showSimulation)
  command
    .command('speed')
    .description('show how quickly people were reached, as Insight does')
    .addOption(new Option('--kind <kind>', 'only leads of this kind').choices(kinds))
    .option('--since <time>', `only leads that first wrote on the day of this time or later: ${TIME}`, '30d')
    .option('--names', 'list the people no one has tried to reach')
    .addOption(formatOption('text', 'json'))
    .action(showSpeed)
  command
    .command('skip-overdue')
    .description('skip the reminders and follow-up emails that are due, such as after restoring PostgreSQL')
    .action(skip)
  return command
}
