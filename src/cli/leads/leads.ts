/** `frontdesk leads`: find, show and export leads. The commands that change a lead are in `actions.ts`. */
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Settings } from '../../config/settings.ts'
import { csv } from '../../content/csv.ts'
import { createCalendar } from '../../follow-up/calendar.ts'
import type { ConsentState } from '../../leads/body/consent.ts'
import { numberToCall } from '../../leads/body/phone.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { exportCells, exportData, exportTitles } from '../../leads/lead/export-columns.ts'
import { labelKey } from '../../leads/lead/labels.ts'
import { fullName, type Lead, reachOf } from '../../leads/lead/lead.ts'
import { MANAGER, TEAM } from '../../leads/lead/staff.ts'
import { allStages, stageName, stageNamed } from '../../leads/lead/stages.ts'
import { parseLeadSearch } from '../../leads/words/lead-search.ts'
import { exactMoment, moment } from '../../platform/time.ts'
import type { LeadFilter } from '../../store/lookup/list-leads.ts'
import type { Store } from '../../store/store.ts'
import { auditEntries, type By, byOption } from '../terminal/actor.ts'
import { formatOption, parseId, parseLimit, parseTime, TIME } from '../terminal/arguments.ts'
import { type Format, print, printRows, write } from '../terminal/output.ts'
import type { Row } from '../terminal/table.ts'
import { CommandFailed, terminal } from '../terminal/terminal.ts'
import { createTimes, type Times, wait } from '../terminal/times.ts'
import { leadDoesNotExist, withStore } from '../terminal/with-store.ts'
import { addLeadActions } from './actions.ts'
import { addLeadAdd } from './add.ts'
import { addAttachment } from './attachment.ts'
import { addLeadCorrect } from './correct.ts'
import { findCounselor } from './counselors.ts'
import { addExportPerson } from './export-person.ts'
import { findLeadId } from './find.ts'
import { addLeadImport } from './import.ts'
import { leadText, nameOf, responsesOf } from './lead-as-text.ts'
import { addLeadMerge } from './merge.ts'

const PAGE_SIZE = 1000

type Filters = {
  kind?: Kind
  stage?: string
  counselor?: string
  waiting?: true
  unanswered?: true
  tag?: string
  program?: string
  campaign?: string
  cameFrom?: string
  form?: string
  campus?: string
  answer?: string
  language?: string
  consent?: ConsentState | 'not-asked'
  since?: string
  until?: string
}

export function leadsCommand(): Command {
  const command = new Command('leads').description('find, show, export and change leads')
  filtered(command.command('list'))
    .description('list leads, newest first; with --waiting or --unanswered, the longest wait first')
    .option('--search <text>', 'only leads with this name, company, email address or phone number')
    .option('--limit <n>', 'list at most this many', '50')
    .addOption(byOption('the audit log'))
    .addOption(formatOption('table', 'json', 'csv'))
    .action(list)
  command
    .command('show <lead>')
    .description('show a lead, by id, email address or phone number, with the newest entries of its timeline')
    .option('--before <entry>', 'show what came before this entry of its timeline')
    .addOption(byOption('the audit log'))
    .addOption(formatOption('text', 'json'))
    .action(show)
  addLeadAdd(command)
  addLeadActions(command)
  addAttachment(command)
  addExportPerson(command)
  addLeadCorrect(command)
  addLeadMerge(command)
  addLeadImport(command)
  filtered(command.command('export'))
    .description('write all matching leads, newest first, as CSV or as one JSON object per line')
    .addOption(byOption('the audit log'))
    .addOption(formatOption('csv', 'json'))
    .action(exportAll)
  return command
}

const filtered = (command: Command): Command =>
  command
    .addOption(new Option('--kind <kind>', 'only leads of this kind').choices(['site', 'student']))
    .addOption(new Option('--stage <stage>', 'only leads in this stage').argParser(parseStage))
    .option('--counselor <id>', 'only leads of this counselor, of the manager or of the team')
    .addOption(new Option('--waiting', 'only people no one has reached yet').conflicts('stage'))
    .option('--unanswered', 'only people who wrote back and wait for an answer, whatever the stage')
    .option('--tag <name>', 'only leads with this tag')
    .option('--program <name>', 'only leads interested in this program')
    .option('--campaign <name>', 'only leads with an inquiry through a form, from this campaign')
    .option('--came-from <site>', 'only leads with an inquiry through a form, from this site')
    .option('--form <name>', 'only leads with an inquiry through this form of yours, such as phlebotomy-austin')
    .option('--campus <name>', 'only leads who chose this campus last')
    .option('--answer <text>', 'only leads with this answer to a question of your own: "Which shift?: Evening"')
    .option('--language <tag>', 'only leads whose latest form was in this language, such as es')
    .addOption(
      new Option('--consent <answer>', 'only leads with this answer about calls and texts from your systems').choices([
        'given',
        'refused',
        'withdrawn',
        'not-asked',
      ]),
    )
    .option('--since <time>', `only leads that first wrote at or after this time: ${TIME}`)
    .option('--until <time>', 'only leads that first wrote before this time')

type ListOptions = Filters & By & { search?: string; limit: string; format: Format }

async function list({ search, format, by, ...options }: ListOptions): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const filter = { ...(await filterOf(store, options, settings, now)), limit: parseLimit(options.limit) }
    const times = createTimes(settings.school, now)
    const { leads, searchedBackTo } =
      search === undefined
        ? {
            leads: await store.listLeads({ ...filter, oldestFirst: (options.unanswered ?? options.waiting) === true }),
            searchedBackTo: null,
          }
        : await store.searchLeads(parseLeadSearch(search, settings.school.country), filter)
    if (leads.length === 0 && options.counselor) requireOwner(options.counselor, settings)
    const ids = leads.map(({ id }) => id).join(', ')
    if (ids !== '') await store.recordAudit(auditEntries(store, settings, { by, action: 'read leads', detail: ids }))
    if (format === 'csv') await writeCsv(store, leads, settings, leads.length > 0)
    else {
      const rows =
        format === 'table' ? leads.map(lead => tableRow(lead, settings, times, now)) : await dataRows(store, leads)
      printRows(rows, format, 'No leads match.', { optional: optionalColumns })
    }
    if (searchedBackTo !== null) {
      terminal().stderr.write(
        `Searched the newest leads only, back to ${times.full(searchedBackTo)}. To search earlier ones, add --until ${exactMoment(searchedBackTo)}\n`,
      )
    }
  })
}

async function exportAll({ by, ...options }: Filters & By & { format: 'csv' | 'json' }): Promise<void> {
  await withStore(async (store, { config: { settings }, now }) => {
    const filter = await filterOf(store, options, settings, now)
    const deed = { by, action: 'exported leads', detail: exportInWords(options) }
    await store.recordAudit(auditEntries(store, settings, deed))
    let before: number | undefined
    for (let first = true; ; first = false) {
      const page = await store.listLeads({ ...filter, before, limit: PAGE_SIZE })
      if (options.format === 'csv') await writeCsv(store, page, settings, first && page.length > 0)
      else await write((await dataRows(store, page)).map(row => `${JSON.stringify(row)}\n`).join(''))
      if (page.length < PAGE_SIZE) return
      before = page.at(-1)?.id
    }
  })
}

/** The filters whose values are the same at every school. The words of the others may name a person. */
const TOLD: readonly string[] = ['kind', 'consent', 'language']

/** What was exported, for the audit log, which outlives the people who are erased. */
function exportInWords({ format, ...filters }: Filters & { format: string }): string {
  const chosen = Object.entries(filters).map(([name, value]) => (TOLD.includes(name) ? `${name}=${value}` : name))
  return `${format}: ${chosen.join(', ') || 'all leads'}`
}

const dataRows = async (store: Store, leads: readonly Lead[]) => (await exported(store, leads)).map(exportData)

async function writeCsv(store: Store, leads: readonly Lead[], { admissions }: Settings, withTitles: boolean) {
  const rows = (await exported(store, leads)).map(row => exportCells(row, admissions))
  await write(csv(withTitles ? [exportTitles, ...rows] : rows, false))
}

const exported = (store: Store, leads: readonly Lead[]) => store.readInboxRows(leads.map(({ id }) => id))

type ShowOptions = By & { format: 'text' | 'json'; before?: string }

async function show(text: string, { format, by, ...options }: ShowOptions): Promise<void> {
  const before = options.before === undefined ? undefined : parseId(options.before)
  await withStore(async (store, { config: { settings }, now }) => {
    const id = await findLeadId(store, text, settings)
    const found = await store.readLead(id, { before })
    if (found === undefined) throw leadDoesNotExist(id)
    const { id: leadId } = found.lead
    await store.recordAudit(auditEntries(store, settings, { by, action: 'opened', leadId }))
    const all = await store.findLeadsOf(reachOf(found.lead))
    const others = all.filter(({ id }) => id !== found.lead.id)
    const calendar = createCalendar(settings)
    const phones = await store.readPhones(found.lead)
    const labels = (await store.readLabels([id])).get(id) ?? []
    if (format === 'text') {
      const times = createTimes(settings.school, now)
      return print(leadText(found, { phones, labels, others, settings, calendar, times, now }))
    }
    const responses = responsesOf(found.lead, calendar)
    const otherLeads = others.map(({ id }) => id)
    const { cadence: _, ...history } = found
    print(JSON.stringify({ ...history, phones, labels, responses, otherLeads }, withMoments, 2))
  })
}

/** Times are written as in the other commands: ISO 8601, in UTC. */
const withMoments = (key: string, value: unknown): unknown =>
  typeof value === 'number' && /^at$|(?:At|Until)$/.test(key) ? moment(value) : value

function parseStage(name: string): string {
  const stage = stageNamed(name)
  if (allStages.includes(stage)) return stage
  throw new InvalidArgumentError(`Allowed choices are ${allStages.map(stageName).join(', ')}.`)
}

async function filterOf(
  store: Store,
  {
    kind,
    stage,
    counselor,
    waiting,
    unanswered,
    campaign,
    cameFrom,
    form,
    campus,
    answer,
    language,
    consent,
    since,
    until,
    ...named
  }: Filters,
  settings: Settings,
  now: number,
): Promise<LeadFilter> {
  const time = (text: string | undefined) =>
    text === undefined ? undefined : parseTime(text, now, settings.school.timeZone)
  return {
    kind,
    stage: waiting ? 'new' : stage,
    unanswered,
    owner: counselor === TEAM ? null : counselor,
    campaign,
    cameFrom,
    form,
    campus,
    answer,
    language,
    labels: await labelsNamed(store, named),
    consent: consent === 'not-asked' ? null : consent,
    since: time(since),
    until: time(until),
  }
}

async function labelsNamed(store: Store, named: Pick<Filters, 'tag' | 'program'>): Promise<number[]> {
  const ids: number[] = []
  for (const kind of ['tag', 'program'] as const) {
    const name = named[kind]
    if (name === undefined) continue
    const known = await store.listLabels(kind)
    const label = known.find(one => labelKey(one.name) === labelKey(name))
    if (label === undefined) {
      const names = known.map(one => one.name).join(', ') || 'none yet'
      throw new CommandFailed(`The ${kind} "${name}" does not exist. Existing ${kind}s: ${names}`)
    }
    ids.push(label.id)
  }
  return ids
}

/** Throws for an id that the settings do not have. Only for a list without leads: who has left may still have some. */
function requireOwner(counselor: string, settings: Settings): void {
  if (counselor !== TEAM && counselor !== MANAGER) findCounselor(counselor, settings)
}

/** The columns of the table to leave out first when it is too wide. */
const optionalColumns = ['company/state', 'email', 'kind', 'first wrote']

/** A lead as a row of the table. A person waits until someone reaches them or answers what they wrote later. */
function tableRow(lead: Lead, settings: Settings, times: Times, now: number): Row {
  const since = lead.stage === 'new' ? lead.createdAt : lead.unansweredSince
  return {
    id: lead.id,
    'first wrote': times.near(lead.createdAt),
    waiting: since === null ? '' : wait(now - since),
    kind: lead.kind,
    stage: lead.pausedAt === null ? stageName(lead.stage) : `${stageName(lead.stage)}, paused`,
    counselor: nameOf(lead.owner, settings),
    name: fullName(lead),
    phone: [lead.phone && numberToCall(lead.phone, settings.school.country), lead.latestPhone]
      .filter(Boolean)
      .join(', '),
    email: lead.email,
    'company/state': lead.kind === 'site' ? lead.company : lead.state,
  }
}
