/** `frontdesk leads`: list, show and export leads. */

import { Command, Option } from 'commander'
import { type Signal, signalNotes } from '../leads/screening.ts'
import { allStages } from '../leads/stages.ts'
import type { Kind, Lead, Submission } from '../leads/submission.ts'
import type { LeadFilter } from '../store/leads.ts'
import { CommandFailed } from './command-failed.ts'
import {
  csv,
  type Format,
  formatOption,
  moment,
  parseId,
  parseLimit,
  parseTime,
  print,
  printRows,
  type Row,
} from './output.ts'
import { withStore } from './with-store.ts'

/** How many leads are read at once while exporting. */
const PAGE = 1000

type Filters = { kind?: Kind; stage?: string; since?: string; until?: string }

export function leadsCommand(): Command {
  const command = new Command('leads').description('the people who wrote in')
  filtered(command.command('list'))
    .description('list leads, newest first')
    .option('--limit <n>', 'how many', '50')
    .addOption(formatOption('table'))
    .action(list)
  command
    .command('show <id>')
    .description('show one lead with its submissions and timeline')
    .addOption(new Option('--format <format>').choices(['text', 'json']).default('text'))
    .action(show)
  filtered(command.command('export'))
    .description('write all leads that match, newest first, as CSV or as a JSON object a line')
    .addOption(new Option('--format <format>').choices(['csv', 'json']).default('csv'))
    .action(exportAll)
  return command
}

const filtered = (command: Command): Command =>
  command
    .addOption(new Option('--kind <kind>').choices(['site', 'student']))
    .addOption(new Option('--stage <stage>').choices([...allStages]))
    .option('--since <time>', 'made at or after: 2026-11-21, 2026-11-21T08:00Z, 7d, 12h')
    .option('--until <time>', 'made before')

async function list(options: Filters & { limit: string; format: Format }): Promise<void> {
  await withStore(async (store, { now }) => {
    const filter = filterOf(options, now)
    const leads = await store.listLeads({ ...filter, limit: parseLimit(options.limit) })
    const rows = leads.map(options.format === 'table' ? summary : record)
    printRows(rows, options.format, 'No leads match.')
  })
}

async function exportAll(options: Filters & { format: 'csv' | 'json' }): Promise<void> {
  await withStore(async (store, { now }) => {
    let before: number | undefined
    for (let first = true; ; first = false) {
      const page = await store.listLeads({ ...filterOf(options, now), before, limit: PAGE })
      const rows = page.map(record)
      if (options.format === 'csv') await write(csv(rows, first))
      else await write(rows.map(row => `${JSON.stringify(row)}\n`).join(''))
      if (page.length < PAGE) return
      before = page.at(-1)?.id
    }
  })
}

/** Writes as fast as the reader takes it, so that an export of any size fits into memory. */
async function write(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    process.stdout.write(text, error => (error ? reject(error) : resolve())),
  )
}

async function show(text: string, { format }: { format: 'text' | 'json' }): Promise<void> {
  await withStore(async store => {
    const id = parseId(text)
    const found = await store.readLead(id)
    if (found === undefined) throw new CommandFailed(`There is no lead ${id}.`)
    if (format === 'json') return print(JSON.stringify(found, null, 2))
    const { lead, submissions, timeline } = found
    print(
      [
        `Lead ${lead.id}: ${lead.firstName} ${lead.lastName} (${lead.kind}, ${lead.stage})`,
        ...fields({
          'E-mail': lead.email,
          Phone: lead.phoneE164 ?? lead.phone,
          Company: lead.company,
          State: lead.state,
          Since: moment(lead.createdAt),
        }),
        ...submissions.flatMap(describe),
        '',
        'Timeline',
        ...timeline.map(
          ({ at, kind, detail, submissionId }) =>
            `  ${moment(at)}  ${timelineText(kind, detail)} (submission ${submissionId})`,
        ),
      ].join('\n'),
    )
  })
}

function describe({ id, receivedAt, body }: Submission): string[] {
  const shown = Object.entries(body).map(([name, value]) => [
    name,
    typeof value === 'object' ? value.text : String(value),
  ])
  return ['', `Submission ${id}, ${moment(receivedAt)}`, ...fields(Object.fromEntries(shown))]
}

const fields = (values: Record<string, string | null>): string[] =>
  Object.entries(values)
    .filter(([, value]) => value)
    .map(
      ([name, value]) =>
        `  ${`${name}:`.padEnd(16)}${value?.replaceAll('\n', `\n${' '.repeat(18)}`)}`,
    )

function timelineText(kind: string, detail: string): string {
  if (kind === 'email') return detail === 'receipt' ? 'receipt sent' : 'team notified'
  const notes = detail === '' ? [] : detail.split(',').map(signal => signalNotes[signal as Signal])
  return ['wrote in', ...notes].join('; ')
}

function filterOf({ kind, stage, since, until }: Filters, now: number): LeadFilter {
  return {
    kind,
    stage,
    since: since === undefined ? undefined : parseTime(since, now),
    until: until === undefined ? undefined : parseTime(until, now),
  }
}

const summary = (lead: Lead): Row => ({
  id: lead.id,
  since: moment(lead.createdAt),
  kind: lead.kind,
  stage: lead.stage,
  name: `${lead.firstName} ${lead.lastName}`,
  email: lead.email,
  phone: lead.phoneE164 ?? lead.phone,
  from: lead.kind === 'site' ? lead.company : lead.state,
})

const record = (lead: Lead): Row => ({
  id: lead.id,
  kind: lead.kind,
  stage: lead.stage,
  closedReason: lead.closedReason,
  firstName: lead.firstName,
  lastName: lead.lastName,
  email: lead.email,
  phone: lead.phone,
  phoneE164: lead.phoneE164,
  company: lead.company,
  state: lead.state,
  createdAt: moment(lead.createdAt),
  updatedAt: moment(lead.updatedAt),
})
