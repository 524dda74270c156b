/** `frontdesk leads`: list, show and export leads. What is done with one is in `lead-actions.ts`. */
import { Command, Option } from 'commander'
import { createCalendar } from '../follow-up/calendar.ts'
import type { Lead } from '../leads/lead.ts'
import { allStages } from '../leads/stages.ts'
import type { Kind } from '../leads/submission.ts'
import type { LeadFilter } from '../store/leads.ts'
import { CommandFailed } from './command-failed.ts'
import { addLeadActions } from './lead-actions.ts'
import { leadText, responsesOf } from './lead-text.ts'
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
import { terminal } from './terminal.ts'
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
  addLeadActions(command)
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
    terminal().stdout.write(text, error => (error ? reject(error) : resolve())),
  )
}

async function show(text: string, { format }: { format: 'text' | 'json' }): Promise<void> {
  const id = parseId(text)
  await withStore(async (store, { config: { settings } }) => {
    const found = await store.readLead(id)
    if (found === undefined) throw new CommandFailed(`There is no lead ${id}.`)
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

const summary = (lead: Lead): Row => ({
  id: lead.id,
  since: moment(lead.createdAt),
  kind: lead.kind,
  stage: lead.stage,
  owner: lead.owner ?? 'team',
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
  owner: lead.owner,
  firstName: lead.firstName,
  lastName: lead.lastName,
  email: lead.email,
  phone: lead.phone,
  phoneE164: lead.phoneE164,
  company: lead.company,
  state: lead.state,
  createdAt: moment(lead.createdAt),
  firstAttemptAt: lead.firstAttemptAt === null ? null : moment(lead.firstAttemptAt),
  firstContactAt: lead.firstContactAt === null ? null : moment(lead.firstContactAt),
  updatedAt: moment(lead.updatedAt),
})
