/** Makes an inquiry of one row of a list, by the same rules as the two operations, or says what is wrong with it. */
import { fingerprintOf, importedKey } from '../body/idempotency.ts'
import { type ParseContext, parseSiteInterest, parseStudentInterest } from '../body/parse.ts'
import { personKeyIn } from '../body/person-key.ts'
import { asSentence, type Problem } from '../body/problems.ts'
import type { Body, Kind } from '../body/submission.ts'
import { tidy } from '../body/tidy-text.ts'
import { type Columns, type ImportField, importFieldNames } from './list-columns.ts'

export type ImportPlan = {
  kind: Kind
  columns: Columns
  /** Where the people come from, such as `Fair Austin 2026-11`. */
  source: string
  /** Who gets the new leads: the id of an owner, or null for the team. Undefined: as the settings assign leads. */
  owner?: string | null
  language: string
  /** Whether the people agreed that we write to them by email. */
  mayWrite: boolean
}

/** What is wrong with a row: the header of the column, and a sentence. */
export type RowProblem = { column: string; reason: string }

/**
 * What is wrong with a row, in one line: the reasons of a column behind its header, unless they begin with the same
 * word, as of a column that is called Phone.
 */
export function problemsInWords(problems: readonly RowProblem[]): string {
  const columns = Map.groupBy(problems, ({ column }) => column)
  return Array.from(columns, ([column, found]) => {
    const named = ({ reason }: RowProblem) => reason.toLowerCase().startsWith(`${column} `.toLowerCase())
    const reasons = found.map(({ reason }) => reason).join(' ')
    return column === '' || found.every(named) ? reasons : `${column}: ${reasons}`
  }).join(' ')
}

const LONGEST_SHOWN = 60

export function shortCell(cell = ''): string {
  const line = cell
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN).toWellFormed()}…` : line
}

/** `key`: the same for the same words from the same source. `sender` is the key of the person, '' if it cannot be read. */
export type ReadRow =
  | { sender: string; problems: RowProblem[] }
  | { sender: string; key: string; fingerprint: string; body: Body[Kind] }

export function readRow(
  cells: readonly string[],
  { plan, headers }: { plan: ImportPlan; headers: readonly string[] },
  { country, ...context }: ParseContext & { country: string },
): ReadRow {
  const { kind, columns } = plan
  const values = valuesOf(cells, columns, headers)
  const sender = personKeyIn({ email: tidy(values.email ?? ''), phone: values.phone }, country)
  const columnOf = (field: string): string => {
    const at = columns.indexOf(field as ImportField)
    const named = /^(?:first|last)Name$/.test(field) ? columns.indexOf('fullName') : -1
    return headers[at >= 0 ? at : named] ?? ''
  }
  if (cells.length > headers.length) {
    const reason = `The row has ${cells.length} cells, and the list has ${headers.length} columns: a separator or a quotation mark is wrong.`
    return { sender, problems: [{ column: '', reason }] }
  }
  const parsed =
    kind === 'site'
      ? parseSiteInterest({ ...values, website: '', startedAt: context.now }, context)
      : parseStudentInterest(values, context)
  if (!parsed.ok) {
    const problems = parsed.problems.map(problem => {
      const field = 'field' in problem ? problem.field : ''
      const label = importFieldNames[field as ImportField] ?? field
      return { column: columnOf(field), reason: `${asSentence([{ ...problem, field: label } as Problem])}.` }
    })
    return { sender, problems }
  }
  const body: Body[Kind] = parsed.value
  // The moment at which a row was read is not part of what the row says.
  const text = JSON.stringify(kind === 'site' ? { ...body, startedAt: 0 } : body)
  const fingerprint = fingerprintOf(kind, text)
  return { sender: personKeyIn(body, country), key: importedKey(plan.source, fingerprint), fingerprint, body }
}

type Values = Partial<Record<Exclude<ImportField, 'fullName'>, string>>

function valuesOf(cells: readonly string[], columns: Columns, headers: readonly string[]): Values {
  const values: Values = {}
  const notes = columns.filter(field => field === 'message').length
  const messages: string[] = []
  for (const [at, field] of columns.entries()) {
    const cell = plainCell(cells[at] ?? '')
    if (field === null || cell === '') continue
    if (field === 'message') messages.push(notes > 1 ? `${headers[at]}: ${cell}` : cell)
    else if (field === 'fullName') Object.assign(values, splitName(cell))
    else values[field] = field === 'email' ? bareAddress(cell) : cell
  }
  if (messages.length > 0) values.message = messages.join('\n')
  return values
}

/** The text of a cell, without what makes a spreadsheet show a number as text: `="0512"`, or an apostrophe before it. */
const plainCell = (cell: string): string =>
  cell
    .trim()
    .replace(/^="([^"]*)"$/, '$1')
    .replace(/^'(?=[=+\-@])/, '')
    .trim()

/** The address in `Ana Ruiz <ana@mail.example>` or `mailto:ana@mail.example`. */
const bareAddress = (cell: string): string => (/<([^<>]+)>$/.exec(cell)?.[1] ?? cell).replace(/^mailto:/i, '')

/** Splits `Ana Ruiz Soto` or `Ruiz Soto, Ana`. */
function splitName(name: string): { firstName?: string; lastName?: string } {
  const [last = '', first] = name.split(/,\s*/, 2)
  if (first) return { firstName: first, lastName: last }
  const [given = '', ...family] = name.split(/\s+/)
  return { firstName: given, ...(family.length > 0 && { lastName: family.join(' ') }) }
}
