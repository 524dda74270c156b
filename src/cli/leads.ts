/** `frontdesk leads`: list, show and export leads. The commands that change a lead are in `lead-actions.ts`. */
import { Command, Option } from 'commander'
import { createCalendar } from '../follow-up/calendar.ts'
import type { Lead } from '../leads/lead.ts'
import { allStages } from '../leads/stages.ts'
import type { Kind } from '../leads/submission.ts'
import type { LeadFilter } from '../store/leads.ts'
import { formatOption, parseId, parseLimit, parseTime } from './arguments.ts'
import { addLeadActions } from './lead-actions.ts'
import { leadText, responsesOf } from './lead-text.ts'
import { csv, type Format, moment, print, printRows, type Row } from './output.ts'
import { terminal } from './terminal.ts'
import { findLead, withStore } from './with-store.ts'

/** How many leads an export reads at once. */
const PAGE_SIZE = 1000

type Filters = { kind?: Kind; stage?: string; since?: string; until?: string }

export function leadsCommand(): Command {
  const command = new Command('leads').description('list, show, export and change leads')
  filtered(command.command('list'))
    .description('list leads, newest first')
    .option('--limit <n>', 'list at most this many', '50')
    .addOption(formatOption('table', 'json', 'csv'))
    .action(list)
  command
    .command('show <id>')
    .description('show a lead with its submissions and timeline')
    .addOption(formatOption('text', 'json'))
    .action(show)
  addLeadActions(command)
  filtered(command.command('export'))
    .description('write all matching leads, newest first, as CSV or as one JSON object per line')
    .addOption(formatOption('csv', 'json'))
    .action(exportAll)
  return command
}

const filtered = (command: Command): Command =>
  command
    .addOption(new Option('--kind <kind>', 'only leads of this kind').choices(['site', 'student']))
    .addOption(new Option('--stage <stage>', 'only leads in this stage').choices([...allStages]))
    .option(
      '--since <time>',
      'only leads that first wrote at or after this time: 2026-11-21, 2026-11-21T08:00Z, 7d, 12h',
    )
    .option('--until <time>', 'only leads that first wrote before this time')

async function list(options: Filters & { limit: string; format: Format }): Promise<void> {
  await withStore(async (store, { now }) => {
    const filter = filterOf(options, now)
    const leads = await store.listLeads({ ...filter, limit: parseLimit(options.limit) })
    const name = options.format === 'table' ? 'heading' : 'property'
    const rows = leads.map(lead => rowOf(lead, name))
    printRows(rows, options.format, 'No leads match.')
  })
}

async function exportAll(options: Filters & { format: 'csv' | 'json' }): Promise<void> {
  await withStore(async (store, { now }) => {
    let before: number | undefined
    for (let first = true; ; first = false) {
      const page = await store.listLeads({ ...filterOf(options, now), before, limit: PAGE_SIZE })
      const rows = page.map(lead => rowOf(lead, 'property'))
      if (options.format === 'csv') await write(csv(rows, first))
      else await write(rows.map(row => `${JSON.stringify(row)}\n`).join(''))
      if (page.length < PAGE_SIZE) return
      before = page.at(-1)?.id
    }
  })
}

/** Waits until the reader has read it, so that an export of any size fits into memory. */
async function write(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    terminal().stdout.write(text, error => (error ? reject(error) : resolve())),
  )
}

async function show(text: string, { format }: { format: 'text' | 'json' }): Promise<void> {
  const id = parseId(text)
  await withStore(async (store, { config: { settings } }) => {
    const found = await findLead(store, id)
    const calendar = createCalendar(settings)
    if (format === 'text') return print(leadText(found, settings, calendar))
    const responses = responsesOf(found.lead, calendar)
    print(JSON.stringify({ ...found, responses }, null, 2))
  })
}

function filterOf({ kind, stage, since, until }: Filters, now: number): LeadFilter {
  return {
    kind,
    stage,
    since: since === undefined ? undefined : parseTime(since, now),
    until: until === undefined ? undefined : parseTime(until, now),
  }
}

type Column = {
  /** The name in JSON and CSV; undefined where only the table has the column. */
  property?: string
  /** The heading in the table; undefined where only JSON and CSV have the column. */
  heading?: string
  value: (lead: Lead) => string | number | null
}

const columns: Column[] = [
  { property: 'id', heading: 'id', value: lead => lead.id },
  { heading: 'first wrote', value: lead => moment(lead.createdAt) },
  { property: 'kind', heading: 'kind', value: lead => lead.kind },
  { property: 'stage', heading: 'stage', value: lead => lead.stage },
  { property: 'closedReason', value: lead => lead.closedReason },
  { property: 'owner', value: lead => lead.owner },
  { heading: 'counselor', value: lead => lead.owner ?? 'team' },
  { property: 'firstName', value: lead => lead.firstName },
  { property: 'lastName', value: lead => lead.lastName },
  { heading: 'name', value: lead => `${lead.firstName} ${lead.lastName}` },
  { property: 'email', heading: 'email', value: lead => lead.email },
  { property: 'phone', value: lead => lead.phone },
  { property: 'phoneE164', value: lead => lead.phoneE164 },
  { heading: 'phone', value: lead => lead.phoneE164 ?? lead.phone },
  { property: 'company', value: lead => lead.company },
  { property: 'state', value: lead => lead.state },
  { heading: 'company/state', value: lead => (lead.kind === 'site' ? lead.company : lead.state) },
  { property: 'createdAt', value: lead => moment(lead.createdAt) },
  { property: 'firstAttemptAt', value: lead => lead.firstAttemptAt && moment(lead.firstAttemptAt) },
  { property: 'firstContactAt', value: lead => lead.firstContactAt && moment(lead.firstContactAt) },
  { property: 'updatedAt', value: lead => moment(lead.updatedAt) },
]

/** A lead as a row of a table for people, or of JSON and CSV. */
const rowOf = (lead: Lead, name: 'heading' | 'property'): Row =>
  Object.fromEntries(
    columns.flatMap(column => {
      const title = column[name]
      return title === undefined ? [] : [[title, column.value(lead)]]
    }),
  )
