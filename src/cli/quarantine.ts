/** `frontdesk quarantine`: what was held back, and the decision on it. */
import { Command, Option } from 'commander'
import type { QuarantineState } from '../store/quarantine.ts'
import { CommandFailed } from './command-failed.ts'
import {
  type Format,
  formatOption,
  moment,
  parseId,
  parseLimit,
  print,
  printRows,
} from './output.ts'
import { withStore } from './with-store.ts'

export function quarantineCommand(): Command {
  const command = new Command('quarantine').description('submissions held back for you to look at')
  command
    .command('list')
    .description('list entries, newest first')
    .addOption(
      new Option('--state <state>').choices(['held', 'released', 'dismissed']).default('held'),
    )
    .option('--limit <n>', 'how many', '50')
    .addOption(formatOption('table'))
    .action(list)
  command
    .command('release <id...>')
    .description('let submissions into the normal flow: a lead is made and the team is notified')
    .action(release)
  command
    .command('dismiss <id...>')
    .description('mark submissions as not worth following up')
    .action(dismiss)
  return command
}

type ListOptions = { state: QuarantineState; limit: string; format: Format }

async function list({ state, limit, format }: ListOptions): Promise<void> {
  await withStore(async store => {
    const held = await store.listQuarantine({ state, limit: parseLimit(limit) })
    const rows = held.map(({ submission: { id, body }, reason, signals, heldAt }) => ({
      id,
      held: moment(heldAt),
      reason,
      signals: signals.join(' '),
      name: `${body.firstName} ${body.lastName}`,
      email: body.email,
      phone: body.phone,
      company: body.company,
      website: body.website,
      message: body.message ?? '',
    }))
    printRows(rows, format, `Nothing is ${state}.`)
  })
}

async function release(ids: string[]): Promise<void> {
  await decide(ids, 'released', (store, id, now) => store.releaseQuarantined(id, now))
}

async function dismiss(ids: string[]): Promise<void> {
  await decide(ids, 'dismissed', (store, id, now) => store.dismissQuarantined(id, now))
}

async function decide(
  texts: string[],
  done: string,
  change: (
    store: Parameters<Parameters<typeof withStore>[0]>[0],
    id: number,
    now: number,
  ) => Promise<boolean>,
): Promise<void> {
  const ids = texts.map(parseId)
  await withStore(async (store, { now }) => {
    const missed: number[] = []
    for (const id of ids) {
      if (await change(store, id, now)) print(`${id} ${done}.`)
      else missed.push(id)
    }
    store.announce()
    if (missed.length > 0) {
      throw new CommandFailed(`Not in quarantine, or decided on before: ${missed.join(', ')}.`)
    }
  })
}
