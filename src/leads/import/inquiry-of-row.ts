/** Makes an inquiry from one row of a list, by the same rules as the two operations, or says what is wrong with it. */
import { fingerprintOf, importedKey } from '../body/idempotency.ts'
import { LONGEST_BY_STAFF, type ParseContext, parseSiteInterest, parseStudentInterest } from '../body/parse.ts'
import { personKeyIn } from '../body/person-key.ts'
import { asSentence, type Problem } from '../body/problems.ts'
import { stateCode } from '../body/states.ts'
import type { Body, Kind } from '../body/submission.ts'
import { inDigits, tidy } from '../body/tidy-text.ts'
import type { Entered } from '../lead/entered.ts'
import { readTag } from '../lead/labels.ts'
import { TEAM } from '../lead/staff.ts'
import { momentOfDate } from './date-in-cell.ts'
import { withFormulas } from './formula-marks.ts'
import { type Columns, type ImportField, importFieldName } from './list-columns.ts'
import { type AskedField, choiceOf, type ListValues, type Meanings, wordsKey } from './list-values.ts'
import { isOwnColumn, type OwnAnswers, type OwnCell, readOwnAnswers } from './own-answers.ts'
import type { OwnField } from './own-columns.ts'

export type ImportPlan = {
  kind: Kind
  columns: Columns
  /** Where the people come from, such as `Fair Austin 2026-11`. */
  source: string
  /** Who gets the new leads: the id of an owner, or null for the team. Undefined: the settings decide. */
  owner?: string | null
  language: string
  /** Whether the people agreed that we write to them by email. */
  mayWrite: boolean
  /** The meanings of words in the list that we do not know. */
  meanings?: Meanings
}

/**
 * What is wrong with a row: the header of the column, and a sentence. With `value`, the row is imported without this
 * value of `field`, and a note keeps its words.
 */
export type RowProblem = { column: string; reason: string; field?: ImportField; value?: string }

/**
 * What is wrong with a row, in one line: each column's header, then its reasons. The header is left out if the reasons
 * begin with the same word, for example in a column called Phone.
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

/** `key`: the same for the same words from the same source. `sender`: the key of the person, '' if unreadable. */
export type ReadRow =
  | { sender: string; problems: RowProblem[] }
  | {
      sender: string
      key: string
      fingerprint: string
      body: Body[Kind]
      /** The facts about its lead in the row, besides the inquiry. */
      entered: Pick<Entered, 'owner' | 'stage' | 'tags' | 'programs' | 'since'>
      /** The person's answers to the school's own questions. */
      said: OwnAnswers
      /** The values that could not be read. */
      problems?: RowProblem[]
    }

export type ListContext = ParseContext & { known: ListValues }

export function readRow(
  cells: readonly string[],
  { plan, headers }: { plan: ImportPlan; headers: readonly string[] },
  { known, ...context }: ListContext,
): ReadRow {
  const { kind, columns } = plan
  const { country } = known
  const { values: all, own } = valuesOf(cells, columns, headers)
  const answered = readOwnAnswers(own, {
    kind,
    known,
    meanings: plan.meanings ?? {},
    exported: columns.includes('ownAnswers'),
  })
  const { entered, ...read } = enteredIn(all, { plan, headers }, { known, now: context.now, unread: answered.unread })
  const values = read.values
  const sender = personKeyIn({ email: tidy(values.email ?? ''), phone: values.phone }, country)
  const columnOf = (field: string): string => {
    const at = columns.indexOf(field as ImportField)
    const named = /^(?:first|last)Name$/.test(field) ? columns.indexOf('fullName') : -1
    return headers[at >= 0 ? at : named] ?? ''
  }
  if (cells.length > headers.length) return { sender, problems: [{ column: '', reason: tooManyCells(cells, headers) }] }
  const parse = (given: Values) =>
    kind === 'site'
      ? parseSiteInterest({ ...given, website: '', startedAt: context.now }, context)
      : parseStudentInterest(given, context)
  const inWords = (problem: Problem): RowProblem => {
    const field = 'field' in problem ? problem.field : ''
    const value = values[field as keyof Values] ?? ''
    const label = importFieldName(field as ImportField) ?? field
    const sentence = `${asSentence([{ ...problem, field: label } as Problem])}.`
    return { column: columnOf(field), reason: field === 'phone' && isRounded(value) ? ROUNDED : sentence }
  }
  let parsed = parse(values)
  const unread = read.problems
  if (!parsed.ok) {
    const problems = parsed.problems.map(inWords)
    const left = parsed.problems.flatMap(problem => {
      const field = 'field' in problem ? (problem.field as keyof Values) : undefined
      const value = field && values[field]
      return field && value && optional.includes(field) ? [{ ...inWords(problem), field, value: shortCell(value) }] : []
    })
    const without = Object.fromEntries(
      Object.entries(values).filter(([field]) => !left.some(one => one.field === field)),
    ) as Values
    parsed = parse(withNotes(without, left))
    if (!parsed.ok) return { sender, problems }
    unread.push(...left)
  }
  const body: Body[Kind] = parsed.value
  // The time at which a row is read is not part of its content, so it must not change the key.
  const said = answered.said
  const text = JSON.stringify({
    ...(kind === 'site' ? { ...body, startedAt: 0 } : body),
    ...(Object.keys(said).length > 0 && { said }),
  })
  const fingerprint = fingerprintOf(kind, text)
  const key = importedKey(plan.source, fingerprint)
  const found = { sender: personKeyIn(body, country), key, fingerprint, body, entered, said }
  return unread.length === 0 ? found : { ...found, problems: unread }
}

export const tooManyCells = (cells: readonly string[], headers: readonly string[]): string =>
  `The row has ${cells.length} cells, and the list has ${headers.length} columns: a separator or a quotation mark is wrong.`

/** The fields that a lead does not need: if one of these cannot be read, the row is still imported. */
const optional: readonly string[] = ['email', 'phone', 'city', 'state', 'employer']

/** A number that a spreadsheet has rounded, such as 5,12556E+09. */
const isRounded = (text: string): boolean => /^\d([.,]\d+)?E\+\d+$/i.test(text)

const ROUNDED =
  'Excel has rounded this number, so its last digits are lost. Format the column as text, enter the numbers again, and upload the list again.'

type Values = Partial<Record<Exclude<ImportField, 'fullName' | OwnField>, string>>

/** Adds words that could not be read to the message, which is shortened if it gets too long. */
function withNotes(values: Values, unread: readonly RowProblem[]): Values {
  if (unread.length === 0) return values
  const notes = unread.map(({ column, value }) => `${column}: ${value}`).join('\n')
  const room = LONGEST_BY_STAFF - notes.length - 1
  const { message = '' } = values
  const first = message.length > room ? `${message.slice(0, Math.max(0, room - 1)).toWellFormed()}…` : message
  return { ...values, message: [first, notes].filter(Boolean).join('\n').slice(0, LONGEST_BY_STAFF) }
}

type Plan = { plan: ImportPlan; headers: readonly string[] }

/** What a row says about its lead, its other values, and what could not be read and is now in the message. */
function enteredIn(
  { program, tags, stage, counselor, since, ...inquiry }: Values,
  { plan, headers }: Plan,
  { known, now, unread }: { known: ListValues; now: number; unread: readonly Required<RowProblem>[] },
) {
  const { kind, columns, meanings = {} } = plan
  const problems: RowProblem[] = unread.map(one => ({ ...one, value: shortCell(one.value) }))
  const unknown = (field: ImportField, text: string, reason: string) => {
    const column = headers[columns.indexOf(field)] ?? ''
    problems.push({ column, reason, field, value: shortCell(text) })
  }
  const choice = (field: AskedField, text: string | undefined, reason: string): string | undefined => {
    if (text === undefined) return undefined
    const found = choiceOf(field, text, kind, known) ?? meanings[field]?.[wordsKey(text)]
    if (!found) unknown(field, text, reason)
    return found || undefined
  }
  const values: Values = { ...inquiry }
  const state = values.state === undefined ? undefined : meanings.state?.[wordsKey(values.state)]
  if (state && stateCode(values.state ?? '', known.states) === undefined) values.state = state
  // A school without a list of programs has no names to compare with.
  const free = program !== undefined && known.programs.length === 0 ? program : undefined
  const named = choice('program', free === undefined ? program : undefined, 'This is not a program of the school.')
  const at = choice('stage', stage, 'This is not a stage.')
  const owner = choice('counselor', counselor, 'No one on the team has this name or address.')
  const read = (tags ?? '')
    .split(/[,;|]/)
    .filter(tag => tag.trim() !== '')
    .map(tag => ({ tag, ...readTag(tag) }))
  for (const one of read) if ('problem' in one) unknown('tags', one.tag, one.problem)
  const moment = since === undefined ? undefined : momentOfDate(since, known, now)
  if (since !== undefined && moment === undefined)
    unknown('since', since, 'This is not a date in the past, such as 2026-10-03.')
  if (free !== undefined) {
    const column = headers[columns.indexOf('program')] ?? ''
    values.message = [values.message, `${column}: ${free}`].filter(Boolean).join('\n')
  }
  const { message = '' } = values
  if (message.length > LONGEST_BY_STAFF) {
    values.message = `${message.slice(0, LONGEST_BY_STAFF - 1).toWellFormed()}…`
    unknown('message', message, `Only its first ${inDigits(LONGEST_BY_STAFF)} characters are imported.`)
  }
  const names = read.flatMap(one => ('name' in one ? one.name : []))
  return {
    values: withNotes(
      values,
      problems.filter(({ field }) => field !== 'message'),
    ),
    problems,
    entered: {
      ...(named !== undefined && { programs: [named] }),
      ...(at !== undefined && at !== 'new' && { stage: at }),
      ...(owner !== undefined && { owner: owner === TEAM ? null : owner }),
      ...(names.length > 0 && { tags: names }),
      ...(moment !== undefined && { since: moment }),
    },
  }
}

function valuesOf(cells: readonly string[], columns: Columns, headers: readonly string[]) {
  const values: Values = {}
  const own: OwnCell[] = []
  const notes = columns.filter(field => field === 'message').length
  const messages: string[] = []
  for (const [at, field] of columns.entries()) {
    const cell = plainCell(cells[at] ?? '')
    if (field === null || cell === '') continue
    if (field === 'message') messages.push(notes > 1 ? `${headers[at]}: ${cell}` : cell)
    else if (isOwnColumn(field)) own.push({ field, column: headers[at] ?? '', text: cell })
    else if (field === 'fullName') Object.assign(values, splitName(cell))
    else values[field as keyof Values] = field === 'email' ? bareAddress(cell) : cell
  }
  if (messages.length > 0) values.message = messages.join('\n')
  return { values, own }
}

/** The text of a cell, without what makes a spreadsheet show it as text: `="0512"`, or apostrophes before formulas. */
export const plainCell = (cell: string): string => withFormulas(cell.trim().replace(/^="([^"]*)"$/, '$1')).trim()

/** The address in `Ana Ruiz <ana@mail.example>` or `mailto:ana@mail.example`. */
export const bareAddress = (cell: string): string => (/<([^<>]+)>$/.exec(cell)?.[1] ?? cell).replace(/^mailto:/i, '')

/** Splits `Ana Ruiz Soto` or `Ruiz Soto, Ana`. */
export function splitName(name: string): { firstName?: string; lastName?: string } {
  const [last = '', first] = name.split(/,\s*/, 2)
  if (first) return { firstName: first, lastName: last }
  const [given = '', ...family] = name.split(/\s+/)
  return { firstName: given, ...(family.length > 0 && { lastName: family.join(' ') }) }
}
