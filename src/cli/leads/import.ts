/** `frontdesk leads import`: imports a list of people from a CSV file, as *Import* in the console does. */
import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import type { Settings } from '../../config/settings.ts'
import { startImport } from '../../lead-actions/import-list.ts'
import { listValues } from '../../lead-actions/list-values.ts'
import { listNumber, oneLine, shortName, sourceProblem, storeList } from '../../lead-actions/upload-list.ts'
import { languageFor } from '../../leads/body/languages.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { counted, inDigits } from '../../leads/body/tidy-text.ts'
import { NotCsv } from '../../leads/import/csv-upload.ts'
import { type ImportPlan, problemsInWords } from '../../leads/import/inquiry-of-row.ts'
import { importFields } from '../../leads/import/list-columns.ts'
import { actorName } from '../../leads/lead/staff.ts'
import type { Import } from '../../store/imports/imports.ts'
import type { Store } from '../../store/store.ts'
import { finishCheck } from '../../tasks/importing.ts'
import { actorNamed, auditEntries, type By, byOption } from '../terminal/actor.ts'
import { assertWritten } from '../terminal/arguments.ts'
import { readNamed } from '../terminal/named-file.ts'
import { print } from '../terminal/output.ts'
import { commandWithout } from '../terminal/shell-words.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { leadServices, withStore } from '../terminal/with-store.ts'
import { ownerNamed } from './actions.ts'
import { type ColumnChoice, columnChoices, columnsOf, columnTable } from './import-columns.ts'
import { meaningsOf, printUnread } from './import-values.ts'

export function addLeadImport(command: Command): void {
  command
    .command('import <file>')
    .description('import a list of people from a CSV file: from a fair, or another program')
    .requiredOption(
      '--source <text>',
      'where these people come from, such as "Fair Austin 2026-11"; at most 100 characters',
    )
    .addOption(new Option('--kind <kind>', 'what they are').choices(['site', 'student']).default('student'))
    .option(
      '--column <header=field>',
      'what a column holds, such as "Full name=fullName", or "Notes=" to leave it out; may be repeated (default: as we guess)',
      (text: string, before: string[] = []) => [...before, text],
    )
    .option(
      '--value <column:words=meaning>',
      'what words in a column of states, programs, stages, counselors or answers to choose mean, such as "State:Tex.=TX"; may be repeated',
      (text: string, before: string[] = []) => [...before, text],
    )
    .option('--counselor <id>', 'who gets the new leads: a counselor, manager or team')
    .option('--language <tag>', 'their language (default: the first of the settings)')
    .option('--may-write', 'they all agreed that we write to them by email: send follow-up emails')
    .option('--dry-run', 'only check all rows, say what would happen, and print the command that imports them')
    .addOption(byOption('the audit log'))
    .addHelpText(
      'after',
      `
Fields of students: ${importFields.student.join(', ')}
Fields of sites:    ${importFields.site.join(', ')}
Needed are the name (firstName and lastName, or fullName), email and phone; for sites, also company and address.`,
    )
    .action(importList)
}

type Options = {
  source: string
  kind: Kind
  column?: string[] | undefined
  value?: string[] | undefined
  counselor?: string
  language?: string
  mayWrite?: true
  dryRun?: true
} & By

async function importList(file: string, { by, dryRun, ...options }: Options, command: Command): Promise<void> {
  const bytes = await readNamed(file)
  const choices = columnChoices(options.column ?? [], options.kind)
  await withStore(async (store, { config, now }) => {
    const { settings } = config
    const plan = planOf(options, settings)
    const actor = actorNamed(by, settings)
    const fileName = shortName(basename(file)) || 'list.csv'
    const record = (action: string, detail?: string) => auditEntries(store, settings, { by, action, detail })
    const audit = record('uploaded a list')
    const id = await storeList(store, { bytes, fileName, by: actor, now, audit }).catch(error => {
      throw error instanceof NotCsv ? new CommandFailed(`Nothing was imported. ${error.message}`) : error
    })
    let started = false
    try {
      const list = await check(store, settings, id, { ...plan, choices, said: options.value ?? [] })
      const urlOf = (listId: number) => new URL(`/import/${listId}`, config.consoleUrl)
      await printResult(store, list, { settings, urlOf })
      const importable = counted(list.counts.opened + list.counts.joined, 'row')
      if (list.counts.opened + list.counts.joined === 0) throw nothingToImport(list.counts)
      if (dryRun) {
        return print(`\nNothing has been imported yet. To import ${importable}:\n${commandWithout(command, 'dryRun')}`)
      }
      const services = await leadServices(store, config)
      const operator = { id: null, name: actorName(actor, settings.admissions) }
      if ((await startImport(services, list, {}, { actor, operator })).outcome !== 'done')
        throw new CommandFailed('Someone else has started or discarded this list in the console.')
      started = true
      print(
        `\nThe service imports ${importable} in the background, or as soon as it runs.
To follow it, or to undo it within a day: ${urlOf(id)}`,
      )
    } finally {
      if (!started) await store.discardImport(id, record('discarded a list', listNumber(id)))
    }
  })
}

const nothingToImport = ({ repeated, rejected }: Import['counts']): CommandFailed =>
  new CommandFailed(
    repeated === 0
      ? 'There is nothing to import: every row is rejected, for the reasons above. Correct the file, or choose other columns with --column.'
      : `There is nothing to import: every row is ${rejected === 0 ? '' : 'rejected or '}repeated. The same words from the same source are imported once.`,
  )

/** What the options say about all people of the list. Throws CommandFailed. */
function planOf(
  { source: text, kind, counselor, language, ...given }: Options,
  settings: Settings,
): Omit<ImportPlan, 'columns'> {
  if (language !== undefined) assertWritten(language, settings)
  const mayWrite = given.mayWrite === true
  const source = oneLine(text)
  const wrongSource = sourceProblem(source)
  if (wrongSource !== undefined) throw new CommandFailed(`--source ${wrongSource}.`)
  if (mayWrite && kind === 'site')
    throw new CommandFailed('--may-write is only for students: sites get no follow-up emails.')
  return {
    kind,
    source,
    mayWrite,
    language: languageFor(language, settings.languages),
    ...(counselor !== undefined && { owner: ownerNamed(counselor, settings) }),
  }
}

/** Has all rows checked. Throws CommandFailed if the columns do not fit. */
async function check(
  store: Store,
  settings: Settings,
  id: number,
  { choices, said, ...plan }: Omit<ImportPlan, 'columns'> & { choices: readonly ColumnChoice[]; said: string[] },
): Promise<Import> {
  const { clock } = store
  const list = await store.readImport(id)
  if (list === undefined) throw discarded()
  const known = listValues(settings)
  const columns = await columnsOf(store, list, { kind: plan.kind, languages: settings.languages, choices, known })
  const meanings = meaningsOf(said, { ...list, columns, kind: plan.kind, known })
  await store.checkImport(id, { plan: { ...plan, columns, meanings }, now: clock.now() })
  const checked = await finishCheck({ store, clock, settings }, id)
  if (checked === undefined) throw discarded()
  return checked
}

const discarded = () => new CommandFailed('Someone discarded this list in the console.')

async function printResult(
  store: Store,
  list: Import,
  { settings, urlOf }: { settings: Settings; urlOf: (id: number) => URL },
): Promise<void> {
  const { id, fileName, plan, rows, counts } = list
  const columns = await columnTable(store, list, plan?.columns ?? [])
  print(`${fileName}: ${counted(rows, 'row')}\n\n${columns}\n`)
  const { known, twice } = await store.countKnownPeople(list)
  print(
    [
      `New leads: ${inDigits(counts.opened)}`,
      `People with an open lead: ${inDigits(known)}`,
      ...(twice === 0 ? [] : [`Same person twice in this list: ${inDigits(twice)}`]),
      `Repeated rows: ${inDigits(counts.repeated)}`,
      `Rejected rows: ${inDigits(counts.rejected)}`,
    ].join('\n'),
  )
  await printUnread(store, list, settings)
  await printRejected(store, id)
  for (const same of counts.repeated === 0 ? [] : await store.listsWithSameRows(id)) {
    print(
      `\nRepeated rows are already waiting in list ${same}, which the service imports in the background, or as soon as it runs: ${urlOf(same)}`,
    )
  }
}

async function printRejected(store: Store, id: number): Promise<void> {
  for (let after = 0; ; ) {
    const some = await store.readImportRows(id, { after, limit: 500, outcome: 'rejected' })
    for (const { row, problems } of some) print(`  Row ${row}: ${problemsInWords(problems)}`)
    const last = some.at(-1)
    if (last === undefined) return
    after = last.row
  }
}
