/** `frontdesk leads import`: imports a list of people from a CSV file, as *Import* in the console does. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import type { Settings } from '../config/settings.ts'
import { firstPlan, listNumber, shortName, storeList } from '../console/import-upload.ts'
import { createCalendar } from '../follow-up/calendar.ts'
import {
  type Columns,
  columnProblems,
  type ImportField,
  importFieldNames,
  importFields,
} from '../leads/import-columns.ts'
import { NotCsv } from '../leads/import-file.ts'
import type { ImportPlan } from '../leads/import-row.ts'
import { languageFor } from '../leads/languages.ts'
import { actorName } from '../leads/staff.ts'
import type { Kind } from '../leads/submission.ts'
import { counted, inDigits } from '../leads/text.ts'
import { createLog } from '../platform/log.ts'
import type { Import } from '../store/imports.ts'
import type { Store } from '../store/store.ts'
import { cadenceVersions } from '../tasks/cadence-start.ts'
import { finishCheck } from '../tasks/importing.ts'
import { actorNamed, type By, byOption, recordInAuditLog } from './actor.ts'
import { assertWritten } from './arguments.ts'
import { ownerNamed } from './lead-actions.ts'
import { print } from './output.ts'
import { table } from './table.ts'
import { CommandFailed } from './terminal.ts'
import { withStore } from './with-store.ts'

export function addLeadImport(command: Command): void {
  command
    .command('import <file>')
    .description('import a list of people from a CSV file: from a fair, or another program')
    .requiredOption(
      '--source <text>',
      'where these people come from, such as "Fair Austin 2026-11"',
    )
    .addOption(
      new Option('--kind <kind>', 'what they are').choices(['site', 'student']).default('student'),
    )
    .option(
      '--column <header=field>',
      'what a column holds, such as "Full name=fullName", or "Notes=" to leave it out; may be repeated',
      (text: string, before: string[] = []) => [...before, text],
    )
    .option('--counselor <id>', 'who gets the new leads: a counselor, manager or team')
    .option('--language <tag>', 'their language (default: the first of the settings)')
    .option('--may-write', 'they all agreed that we write to them by email: send follow-up emails')
    .option('--dry-run', 'only check all rows, and say what would happen')
    .addOption(byOption('the audit log'))
    .action(importList)
}

type Options = {
  source: string
  kind: Kind
  column?: string[] | undefined
  counselor?: string
  language?: string
  mayWrite?: true
  dryRun?: true
} & By

async function importList(file: string, { by, dryRun, ...options }: Options): Promise<void> {
  const bytes = await readFile(file).catch(error => {
    throw new CommandFailed(`${file} cannot be read: ${error.message}`)
  })
  await withStore(async (store, { config, now }) => {
    const { settings } = config
    const choices = choicesOf(options, settings)
    const actor = actorNamed(by, settings)
    const fileName = shortName(basename(file)) || 'list.csv'
    const id = await storeList(store, { bytes, fileName, by: actor, now }).catch(error => {
      throw error instanceof NotCsv
        ? new CommandFailed(`Nothing was imported. ${error.message}`)
        : error
    })
    const record = (action: string) =>
      recordInAuditLog(store, settings, { by, action, detail: listNumber(id) })
    await record('uploaded a list')
    let started = false
    try {
      const list = await check(store, settings, id, { ...choices, column: options.column })
      await printResult(store, list)
      const importable = list.counts.opened + list.counts.joined
      if (dryRun) return print('\nNothing has been imported yet.')
      if (importable === 0) return print('\nThere is nothing to import.')
      const entry = auditEntry(store, list, actorName(actor, settings.admissions))
      if ((await store.startImport(id, { now, audit: [entry] })) !== 'done')
        throw new CommandFailed('Someone else has started or discarded this list in the console.')
      started = true
      store.announce()
      print(
        `\nThe service imports ${counted(importable, 'row')} in the background, or as soon as it runs.
To follow it, or to undo it within a day: ${new URL(`/import/${id}`, config.consoleUrl)}`,
      )
    } finally {
      if (!started && (await store.discardImport(id))) await record('discarded a list')
    }
  })
}

const auditEntry = (store: Store, { id, plan, counts }: Import, actor: string) => {
  const consent = plan?.mayWrite ? '; says that they agreed to emails' : ''
  const detail = `${listNumber(id)}: ${counts.opened} new, ${counts.joined} with a lead${consent}`
  return { at: store.clock.now(), operatorId: null, actor, action: 'imported leads', detail }
}

/** What the options say about all people of the list. Throws CommandFailed. */
function choicesOf(
  { source: text, kind, counselor, language, ...given }: Options,
  settings: Settings,
): Omit<ImportPlan, 'columns'> {
  if (language !== undefined) assertWritten(language, settings)
  const mayWrite = given.mayWrite === true
  const source = shortName(text)
  if (source === '') throw new CommandFailed('--source must say where these people come from.')
  if (mayWrite && kind === 'site')
    throw new CommandFailed('--may-write is only for students: sites get no follow-up emails.')
  return {
    ...{ kind, source, mayWrite, language: languageFor(language, settings.languages) },
    ...(counselor !== undefined && { owner: ownerNamed(counselor, settings) }),
  }
}

/** Has all rows checked. Throws CommandFailed if the columns do not fit. */
async function check(
  store: Store,
  settings: Settings,
  id: number,
  { column = [], ...choices }: Omit<ImportPlan, 'columns'> & Pick<Options, 'column'>,
): Promise<Import> {
  const { clock } = store
  const list = await store.readImport(id)
  if (list === undefined) throw discarded()
  const { kind } = choices
  const columns = columnsNamed(column, list, await guess(store, list, choices, settings), kind)
  const problems = columnProblems(kind, columns)
  if (problems.length > 0) {
    throw new CommandFailed(
      `Nothing was imported. ${problems.join(' ')}
The columns of ${list.fileName}: ${list.headers.join(', ')}
To say what one holds: --column "${list.headers[0]}=field", with one of: ${importFields[kind].join(', ')}`,
    )
  }
  await store.checkImport(id, { plan: { ...choices, columns }, now: clock.now() })
  const deps = {
    ...{ store, clock, settings, calendar: createCalendar(settings), log: createLog('silent') },
    ...{ cadences: cadenceVersions(store, settings), wake: () => store.announce() },
  }
  const checked = await finishCheck(deps, id)
  if (checked === undefined) throw discarded()
  return checked
}

const discarded = () => new CommandFailed('Someone discarded this list in the console.')

/** As for the last list with these headers, if that was of this kind; otherwise by headers and cells. */
async function guess(
  store: Store,
  list: Import,
  { kind }: Pick<ImportPlan, 'kind'>,
  { languages }: Settings,
): Promise<Columns> {
  const plan = await firstPlan(store, list, { kind, languages })
  if (plan.kind === kind) return plan.columns
  return (await firstPlan(store, { ...list, digest: '' }, { kind, languages })).columns
}

/** The columns with those that the options name. Throws CommandFailed for a header or a field that does not exist. */
function columnsNamed(
  named: readonly string[],
  { fileName, headers }: Import,
  guessed: Columns,
  kind: Kind,
): Columns {
  const fields: readonly string[] = importFields[kind]
  const chosen = new Map<number, ImportField | null>()
  for (const text of named) {
    const [, header = '', field = ''] = /^(.*)=(.*)$/s.exec(text) ?? []
    const at = headers.indexOf(header.trim())
    if (at < 0) {
      throw new CommandFailed(
        `--column "${text}" names no column of ${fileName}; use one of: ${headers.map(one => `"${one}=field"`).join(', ')}`,
      )
    }
    if (field.trim() !== '' && !fields.includes(field.trim())) {
      throw new CommandFailed(
        `"${field.trim()}" is not a field of ${kind} leads; use one of: ${fields.join(', ')}`,
      )
    }
    chosen.set(at, (field.trim() || null) as ImportField | null)
  }
  const taken = new Set(chosen.values())
  return guessed.map((field, at) => {
    const choice = chosen.get(at)
    if (choice !== undefined) return choice
    return field !== 'message' && taken.has(field) ? null : field
  })
}

async function printResult(store: Store, list: Import): Promise<void> {
  const { id, fileName, headers, plan, rows, counts } = list
  const held = headers.map((header, at) => {
    const field = plan?.columns[at]
    return { column: header, 'is read as': field ? importFieldNames[field] : '(left out)' }
  })
  print(`${fileName}: ${counted(rows, 'row')}\n\n${table(held)}\n`)
  print(
    [
      `New leads: ${inDigits(counts.opened)}`,
      `People with an open lead: ${inDigits(counts.joined)}`,
      `Repeated rows: ${inDigits(counts.repeated)}`,
      `Rejected rows: ${inDigits(counts.rejected)}`,
    ].join('\n'),
  )
  for (let after = 0; ; ) {
    const some = await store.readImportRows(id, { after, limit: 500, outcome: 'rejected' })
    for (const { row, problems } of some) {
      const reasons = problems.map(({ column, reason }) =>
        column === '' ? reason : `${column}: ${reason}`,
      )
      print(`  Row ${row}: ${reasons.join(' ')}`)
    }
    const last = some.at(-1)
    if (last === undefined) return
    after = last.row
  }
}
