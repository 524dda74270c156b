/**
 * Reads a list from the student information system that says who has applied or enrolled. Each row names a person, by
 * their email address or the id of their lead, and has a word that means a stage.
 */
import { emailKey, parseEmail } from '../body/email.ts'
import { capital, tidy } from '../body/tidy-text.ts'
import { stageName, stages } from '../lead/stages.ts'
import { bareAddress, plainCell, type RowProblem, shortCell, tooManyCells } from './inquiry-of-row.ts'
import { guessColumns } from './list-columns.ts'
import { type Choice, type Meanings, wordsKey } from './list-values.ts'

/** What a column of a status list can contain, in the order in which people choose. */
export const statusFields = ['email', 'leadId', 'stage'] as const
export type StatusField = (typeof statusFields)[number]

export const statusFieldNames: Record<StatusField, string> = { email: 'Email', leadId: 'Lead id', stage: 'Status' }

/** The stages to which a list may move a lead. The other stages describe what someone at the school has done. */
export const statusStages: readonly string[] = ['applied', 'enrolled']

export type StatusPlan = {
  /** What each column contains, in their order; null if it is left out. */
  columns: (StatusField | null)[]
  /** The stages that words mean, by `wordsKey`; '' for words that do not move anyone. */
  meanings: Meanings['stage'] & {}
  /** The list comes from the folder, and is imported as soon as it is checked. */
  startsItself?: true
}

export const statusChoices: readonly Choice[] = statusStages.map(value => ({ value, words: capital(stageName(value)) }))

/** Why a list cannot be read with these columns, in sentences; empty if it can be. */
export function statusColumnProblems(columns: StatusPlan['columns']): string[] {
  const has = (field: StatusField) => columns.includes(field)
  const twice = statusFields.filter(field => columns.filter(one => one === field).length > 1)
  return [
    ...(has('email') || has('leadId')
      ? []
      : ['No column is chosen for “Email” or “Lead id”. Every row needs one of the two.']),
    ...(has('stage') ? [] : ['No column is chosen for “Status”.']),
    ...twice.map(field => `Several columns are chosen for “${statusFieldNames[field]}”. Choose one of them.`),
  ]
}

/** What each column most likely contains. */
export function guessStatusColumns(
  headers: readonly string[],
  samples: readonly (readonly string[])[],
): StatusPlan['columns'] {
  const guessed = guessColumns('student', headers, samples)
  return guessed.map((field, at) => {
    if (field === 'email' || field === 'stage') return field
    return /^(?:frontdesk|lead) ?id$/i.test(headers[at]?.replace(/[^a-z]+/gi, ' ').trim() ?? '') ? 'leadId' : null
  })
}

/** A row that names a person and a stage. `sender` is the key of the address, '' if it has none. */
export type StatusRow = { sender: string; leadId: number | undefined; stage: string }

/** The content of a row: a person and a stage, nothing that we need, or something that cannot be read. */
export type ReadStatusRow = StatusRow | { sender: string; leftOut: true } | { sender: string; problems: RowProblem[] }

/** The reasons why a row does not move anyone, as sentences. */
export const whyNotMoved = {
  noOne: 'No student lead has this email address.',
  noLead: 'No student lead has this id.',
  several: 'The id and the email address belong to two different leads.',
  ahead: 'The lead is already further along.',
  putBack: 'Someone has moved the lead back since a status list moved it.',
  unknownWord: 'No one has chosen a stage for this word.',
} as const

export function readStatusRow(
  cells: readonly string[],
  { plan: { columns, meanings }, headers }: { plan: StatusPlan; headers: readonly string[] },
): ReadStatusRow {
  const cellOf = (field: StatusField) => plainCell(cells[columns.indexOf(field)] ?? '')
  const problem = (field: StatusField, reason: string, more: Partial<RowProblem> = {}) => ({
    sender,
    problems: [{ column: headers[columns.indexOf(field)] ?? '', reason, ...more }],
  })
  if (cells.length > headers.length)
    return { sender: '', problems: [{ column: '', reason: tooManyCells(cells, headers) }] }
  const address = cellOf('email')
  const email = address === '' ? undefined : parseEmail(tidy(bareAddress(address)))
  const sender = email === undefined ? '' : emailKey(email)
  const word = cellOf('stage')
  const meant = meaningOf(word, meanings)
  if (meant === '') return { sender, leftOut: true }
  if (meant === undefined)
    return problem('stage', whyNotMoved.unknownWord, word === '' ? {} : { field: 'stage', value: shortCell(word) })
  const id = cellOf('leadId')
  const leadId = /^#?\d{1,15}$/.test(id) ? Number(id.replace('#', '')) : undefined
  if (id !== '' && leadId === undefined) return problem('leadId', 'This is not the id of a lead.')
  if (leadId === undefined && address === '') return problem('email', 'The row has no email address and no id.')
  if (leadId === undefined && email === undefined) return problem('email', 'This is not an email address.')
  return { sender, leadId, stage: meant }
}

/** The stage that a word means; '' if it does not move anyone; undefined if no one has said what it means. */
function meaningOf(word: string, meanings: StatusPlan['meanings']): string | undefined {
  const key = wordsKey(word)
  return meanings[key] ?? statusStages.find(stage => stage === key)
}

/** Whether a stage of students comes after another. */
export const isAfter = (stage: string, other: string): boolean => stageOrder.indexOf(stage) > stageOrder.indexOf(other)

const stageOrder: readonly string[] = stages.student
