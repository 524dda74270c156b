/** `frontdesk mail`: the outbox. */
import { Command, Option } from 'commander'
import { type MailState, mailStateOf } from '../store/outbox.ts'
import type { Task } from '../store/tasks.ts'
import { formatOption, parseId, parseLimit } from './arguments.ts'
import { count, type Format, moment, print, printRows } from './output.ts'
import { CommandFailed } from './terminal.ts'
import { createTimes } from './times.ts'
import { withStore } from './with-store.ts'

const states: MailState[] = ['queued', 'retrying', 'sent', 'failed', 'acknowledged', 'skipped']

/** The columns that people know by other words than programs do. */
const headings = { made: 'created', tries: 'attempts', next: 'next attempt' }

export function mailCommand(): Command {
  const command = new Command('mail').description('show and retry the messages in the outbox')
  command
    .command('list')
    .description('list messages, newest first')
    .addOption(new Option('--state <state>', 'only messages in this state').choices(states))
    .option('--limit <n>', 'list at most this many', '50')
    .addOption(formatOption('table', 'json', 'csv'))
    .action(list)
  command
    .command('retry [id...]')
    .description('send messages now that are waiting or have failed')
    .option('--failed', 'retry all messages that have failed')
    .action(retry)
  command
    .command('acknowledge [id...]')
    .description('stop warning about messages that were given up')
    .option('--all', 'acknowledge all messages that have failed')
    .action(acknowledge)
  return command
}

async function list(options: { state?: MailState; limit: string; format: Format }): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const time = options.format === 'table' ? createTimes(settings.school, now).near : moment
    const tasks = await store.listMail({ state: options.state, limit: parseLimit(options.limit) })
    const rows = tasks.map(task => ({
      id: task.id,
      made: time(task.created_at),
      message: task.kind,
      about: aboutOf(task),
      state: mailStateOf(task),
      tries: task.attempts,
      next: task.state === 'due' && task.due_at > 0 ? time(task.due_at) : '',
      note: task.note ?? '',
    }))
    printRows(rows, options.format, 'No messages match.', { headings })
  })
}

function aboutOf({ kind, subject, step }: Task): string {
  if (kind === 'digest') return String(subject)
  if (kind === 'step') return `lead ${subject}, step ${step}`
  return kind === 'news' ? `timeline entry ${subject}` : `submission ${subject}`
}

async function retry(texts: string[], { failed }: { failed?: true }): Promise<void> {
  const ids = texts.map(parseId)
  if ((ids.length === 0) === (failed === undefined)) {
    throw new CommandFailed('Give either the ids of messages or --failed for all that have failed.')
  }
  await withStore(async (store, { now }) => {
    const due = await store.retryMail(failed ? 'failed' : ids, now)
    store.announce()
    if (failed || due > 0) print(`${count(due, 'message is', 'messages are')} due now.`)
    if (!failed && due < ids.length) {
      throw new CommandFailed('The others have been sent, are being sent, or do not exist.')
    }
  })
}

async function acknowledge(texts: string[], { all }: { all?: true }): Promise<void> {
  const ids = texts.map(parseId)
  if ((ids.length === 0) === (all === undefined)) {
    throw new CommandFailed('Give either the ids of messages or --all for all that have failed.')
  }
  await withStore(async (store, { now }) => {
    const acknowledged = await store.acknowledgeMail(all ? 'failed' : ids, now)
    print(`${count(acknowledged, 'message')} acknowledged.`)
    if (!all && acknowledged < ids.length) {
      throw new CommandFailed(
        'The others have not failed, were acknowledged before, or do not exist.',
      )
    }
  })
}
