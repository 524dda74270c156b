/** `frontdesk mail`: the outbox. */
import { Command, Option } from 'commander'
import type { MailState } from '../store/outbox.ts'
import type { Task } from '../store/tasks.ts'
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

const states: MailState[] = ['queued', 'retrying', 'sent', 'failed', 'skipped']

export function mailCommand(): Command {
  const command = new Command('mail').description('the outbox: every message, waiting or sent')
  command
    .command('list')
    .description('list messages, newest first')
    .addOption(new Option('--state <state>').choices(states))
    .option('--limit <n>', 'how many', '50')
    .addOption(formatOption('table'))
    .action(list)
  command
    .command('retry [id...]')
    .description('try messages again at once that wait or were given up')
    .option('--failed', 'all that were given up')
    .action(retry)
  return command
}

async function list(options: { state?: MailState; limit: string; format: Format }): Promise<void> {
  await withStore(async store => {
    const tasks = await store.listMail({ state: options.state, limit: parseLimit(options.limit) })
    const rows = tasks.map(task => ({
      id: task.id,
      made: moment(task.created_at),
      message: task.kind,
      about: aboutOf(task),
      state: stateOf(task),
      tries: task.attempts,
      next: task.state === 'due' && task.due_at > 0 ? moment(task.due_at) : '',
      note: task.note ?? '',
    }))
    printRows(rows, options.format, 'No messages match.')
  })
}

function aboutOf({ kind, subject, step }: Task): string {
  if (kind === 'digest') return String(subject)
  if (kind === 'step') return `lead ${subject}, step ${step}`
  return kind === 'news' ? `timeline entry ${subject}` : `submission ${subject}`
}

function stateOf(task: Task): MailState {
  if (task.state === 'due') return task.note === null ? 'queued' : 'retrying'
  return ({ done: 'sent', dead: 'failed', skipped: 'skipped' } as const)[task.state]
}

async function retry(texts: string[], { failed }: { failed?: true }): Promise<void> {
  const ids = texts.map(parseId)
  if ((ids.length === 0) === (failed === undefined)) {
    throw new CommandFailed('Name the messages by id, or use --failed for all that were given up.')
  }
  await withStore(async (store, { now }) => {
    const count = await store.retryMail(failed ? 'failed' : ids, now)
    store.announce()
    if (failed || count > 0)
      print(`${count} ${count === 1 ? 'message is' : 'messages are'} due now.`)
    if (!failed && count < ids.length) {
      throw new CommandFailed('The others were sent, are being sent, or do not exist.')
    }
  })
}
