/** What the columns of a list contain, according to the option `--column` or, without it, our guess. */
import type { Settings } from '../../config/settings.ts'
import { firstPlan, SAMPLES } from '../../lead-actions/upload-list.ts'
import type { Kind } from '../../leads/body/submission.ts'
import { shortCell } from '../../leads/import/inquiry-of-row.ts'
import {
  type Columns,
  columnProblems,
  fieldsToChoose,
  type ImportField,
  importFields,
} from '../../leads/import/list-columns.ts'
import type { ListValues } from '../../leads/import/list-values.ts'
import { isOwnField } from '../../leads/import/own-columns.ts'
import type { Import } from '../../store/imports/imports.ts'
import type { Store } from '../../store/store.ts'
import { shellWord } from '../terminal/shell-words.ts'
import { table } from '../terminal/table.ts'
import { CommandFailed } from '../terminal/terminal.ts'

/** What an option `--column` says. Null: the column is left out. */
export type ColumnChoice = { header: string; field: ImportField | null }

/** Reads the options `--column`. Throws CommandFailed. */
export const columnChoices = (texts: readonly string[], kind: Kind): ColumnChoice[] =>
  texts.map(text => {
    const [, header, field] = /^(.*)=(.*)$/s.exec(text) ?? []
    if (header === undefined || field === undefined) {
      throw new CommandFailed(
        `--column "${text}" does not say what the column holds: write --column "HEADER=FIELD", such as --column "Full name=fullName", or --column "Notes=" to leave a column out.`,
      )
    }
    return { header: header.trim(), field: fieldNamed(field.trim(), kind) }
  })

function fieldNamed(name: string, kind: Kind): ImportField | null {
  if (name === '') return null
  const field = isOwnField(name) ? name : importFields[kind].find(one => one === name)
  if (field !== undefined) return field
  throw notAField(name, kind, importFields[kind])
}

const notAField = (name: string, kind: Kind, fields: readonly ImportField[]): CommandFailed =>
  new CommandFailed(`"${name}" is not a field of ${kind} leads; use one of: ${fields.join(', ')}`)

type Given = { kind: Kind; languages: Settings['languages']; choices: readonly ColumnChoice[]; known: ListValues }

/** What each column of a stored list contains. Throws CommandFailed if no leads can be made from these columns. */
export async function columnsOf(store: Store, list: Import, given: Given): Promise<Columns> {
  const { fileName, headers } = list
  const { kind, known } = given
  const fields = fieldsToChoose(kind, known)
  const unknown = given.choices.find(({ field }) => isOwnField(field) && !fields.includes(field))?.field
  if (unknown) throw notAField(unknown, kind, fields)
  const columns = withChoices(await guess(store, list, given), list, given.choices)
  const problems = columnProblems(kind, columns, field => field)
  if (problems.length === 0) return columns
  const header = headers.find((_, at) => columns[at] === null) ?? headers[0]
  throw new CommandFailed(
    `Nothing was imported. ${problems.join(' ')}

The columns of ${fileName}:

${await columnTable(store, list, columns)}

To say what a column holds: --column ${shellWord(`${header}=FIELD`)}
FIELD is one of: ${fields.join(', ')}; or empty, to leave the column out.`,
  )
}

/** The columns of the last list with these headers, if it was of this kind; otherwise, a guess. */
async function guess(store: Store, list: Import, { kind, languages, known }: Given): Promise<Columns> {
  const { questions } = known
  const plan = await firstPlan(store, list, { kind, languages, questions })
  if (plan.kind === kind) return plan.columns
  return (await firstPlan(store, { ...list, digest: '' }, { kind, languages, questions })).columns
}

function withChoices(guessed: Columns, { fileName, headers }: Import, choices: readonly ColumnChoice[]): Columns {
  const unknown = choices.find(({ header }) => !headers.includes(header))
  if (unknown !== undefined) {
    throw new CommandFailed(`"${unknown.header}" is not a column of ${fileName}; use one of: ${headers.join(', ')}`)
  }
  const chosen = new Map(choices.map(({ header, field }) => [headers.indexOf(header), field]))
  const taken = new Set(chosen.values())
  return guessed.map((field, at) => {
    const choice = chosen.get(at)
    if (choice !== undefined) return choice
    return field !== 'message' && taken.has(field) ? null : field
  })
}

/** Each column with its field and the first cell that is not empty. */
export async function columnTable(store: Store, { id, headers }: Import, columns: Columns): Promise<string> {
  const rows = await store.readImportRows(id, { after: 0, limit: SAMPLES })
  return table(
    headers.map((column, at) => ({
      column,
      'is read as': columns[at] ?? '(left out)',
      'such as': rows.map(({ cells }) => shortCell(cells[at])).find(Boolean) ?? '',
    })),
  )
}
