/** `frontdesk mail`: the outbox. */
import { Command, Option } from 'commander'
import type { Mailbox } from '../../mail/transport/mailer.ts'
import { moment } from '../../platform/time.ts'
import { type MailState, mailStateOf, mailStates } from '../../store/outbox/outbox.ts'
import type { Task } from '../../store/tasks/tasks.ts'
import { kindInWords } from '../../tasks/message-kinds.ts'
import type { TaskMessage } from '../../tasks/message-of-task.ts'
import { auditEntries } from '../terminal/actor.ts'
import { formatOption, parseId, parseLimit } from '../terminal/arguments.ts'
import { count, type Format, print, printRows } from '../terminal/output.ts'
import type { Row } from '../terminal/table.ts'
import { bold, CommandFailed } from '../terminal/terminal.ts'
import type { Times } from '../terminal/times.ts'
import { createTimes } from '../terminal/times.ts'
import { withStore } from '../terminal/with-store.ts'
import { createMailReader } from './content.ts'

/** The columns whose names differ between people and programs. */
const headings = { made: 'created', tries: 'attempts', next: 'next attempt' }

export function mailCommand(): Command {
  const command = new Command('mail').description('show and retry the messages in the outbox')
  command
    .command('list')
    .description('list messages, newest first')
    .addOption(new Option('--state <state>', 'only messages in this state').choices(mailStates))
    .option('--limit <n>', 'list at most this many', '50')
    .addOption(formatOption('table', 'json', 'csv'))
    .action(list)
  command
    .command('show <id>')
    .description('show a message: what it says, who it goes to, and what happened to it')
    .action(show)
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

async function list({ state, limit, format }: { state?: MailState; limit: string; format: Format }): Promise<void> {
  await withStore(async (store, { config, now }) => {
    const time = format === 'table' ? createTimes(config.settings.school, now).near : moment
    const reader = await createMailReader(store, config)
    const rows: Row[] = []
    for (const task of await store.listMail({ state, limit: parseLimit(limit) })) {
      const message = await reader.read(task)
      // Some get their recipient and text only when they are sent, such as a weekly report.
      const { to, subject } =
        'content' in message ? message.content : { to: { address: '' }, subject: `(${kindInWords(task)})` }
      rows.push({
        id: task.id,
        made: time(task.created_at),
        message: task.kind,
        lead: (await reader.leadOf(task)) ?? null,
        to: to.address,
        subject,
        state: mailStateOf(task),
        tries: task.attempts,
        next: task.state === 'due' && task.due_at > 0 ? time(task.due_at) : '',
        note: task.note ?? '',
      })
    }
    printRows(rows, format, 'No messages match.', {
      headings,
      optional: ['tries', 'message', 'next', ...(state ? ['made', 'note'] : ['note', 'made'])],
      least: 24,
    })
  })
}

async function show(text: string): Promise<void> {
  const id = parseId(text)
  await withStore(async (store, { config, now }) => {
    const task = await store.readMail(id)
    if (task === undefined) throw new CommandFailed(`Message ${id} does not exist.`)
    const reader = await createMailReader(store, config)
    const times = createTimes(config.settings.school, now)
    const lead = await reader.leadOf(task)
    print(mailText(task, await reader.read(task), { lead, id: reader.idOf(task), times }))
  })
}

async function retry(texts: string[], { failed }: { failed?: true }): Promise<void> {
  const ids = texts.map(parseId)
  if ((ids.length === 0) === (failed === undefined)) {
    throw new CommandFailed('Give either the ids of messages or --failed for all that have failed.')
  }
  await withStore(async (store, { config, now }) => {
    const audit = auditEntries(store, config.settings, { action: 'retried mail' })
    const due = await store.retryMail(failed ? 'failed' : ids, { now, audit })
    store.announce()
    if (failed || due > 0) print(`${count(due, 'message is', 'messages are')} due now.`)
    if (!failed && due < ids.length) {
      throw new CommandFailed(
        ids.length === 1
          ? `Nothing to retry: message ${ids[0]} was already sent, is being sent, or does not exist.`
          : `${due === 0 ? 'Nothing to retry: the messages' : 'The others'} were already sent, are being sent, or do not exist.`,
      )
    }
  })
}

async function acknowledge(texts: string[], { all }: { all?: true }): Promise<void> {
  const ids = texts.map(parseId)
  if ((ids.length === 0) === (all === undefined)) {
    throw new CommandFailed('Give either the ids of messages or --all for all that have failed.')
  }
  await withStore(async (store, { config, now }) => {
    const audit = auditEntries(store, config.settings, { action: 'acknowledged mail' })
    const acknowledged = await store.acknowledgeMail(all ? 'failed' : ids, { now, audit })
    if (all || acknowledged > 0) print(`${count(acknowledged, 'message')} acknowledged.`)
    if (!all && acknowledged < ids.length) {
      throw new CommandFailed(
        `${acknowledged === 0 ? 'Nothing to acknowledge: these messages' : 'The others'} have not failed, were acknowledged before, or do not exist.`,
      )
    }
  })
}

type MailFacts = {
  /** The Message-ID, without angle brackets. */
  id: string
  lead: number | undefined
  times: Times
}

function mailText(task: Task, message: TaskMessage, { id, lead, times }: MailFacts): string {
  const facts = [
    bold(`Message ${task.id}: ${stateText(task, times)}`),
    `Lead:        ${lead === undefined ? 'none' : `${lead} (npx frontdesk leads show ${lead})`}`,
    `Created:     ${times.full(task.created_at)}`,
    ...(task.note === null ? [] : [`${task.state === 'done' ? 'Sent to:    ' : 'Note:       '} ${task.note}`]),
    '',
  ]
  if ('unknown' in message) return [...facts, message.unknown].join('\n')
  const { to, replyTo, subject, text, unsubscribe } = message.content
  return [
    ...facts,
    ...(task.state === 'done'
      ? ['As it would be sent with the data of today; the data may have changed since.', '']
      : []),
    `To:          ${mailbox(to)}`,
    ...(replyTo ? [`Reply-To:    ${mailbox(replyTo)}`] : []),
    `Subject:     ${subject}`,
    `Message-ID:  <${id}>`,
    ...(unsubscribe ? [`List-Unsubscribe: <${unsubscribe}>`] : []),
    '',
    text.trimEnd(),
  ].join('\n')
}

function stateText(task: Task, { near }: Times): string {
  const state = mailStateOf(task)
  const tried = task.attempts === 0 ? '' : ` after ${count(task.attempts, 'attempt')}`
  if (task.finished_at !== null) return `${state} ${near(task.finished_at)}${tried}`
  if (task.due_at === 0 || task.state !== 'due') return `${state}${tried}`
  return `${state}${tried}, next attempt ${near(task.due_at)}`
}

const mailbox = ({ name, address }: Mailbox): string => (name ? `${name} <${address}>` : address)
