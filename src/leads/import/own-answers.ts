/** The answers in the row of a list to the school's own questions, including the best time to call and the campus. */
import { dayParts } from '../../platform/time.ts'
import { type FormDetails, LONGEST_TYPED, MOST_ANSWERS, shortText } from '../body/form-details.ts'
import type { Kind } from '../body/submission.ts'
import { capital, codePoints } from '../body/tidy-text.ts'
import { dateInCell } from './date-in-cell.ts'
import type { ImportField } from './list-columns.ts'
import { type AskedField, choiceOf, type ListValues, type Meanings, wordsKey } from './list-values.ts'
import { isOwnField, type ListQuestion, ownField, questionIn } from './own-columns.ts'

/** A cell of such a column. */
export type OwnCell = { field: ImportField; column: string; text: string }

export const isOwnColumn = (field: ImportField): boolean =>
  isOwnField(field) || field === 'ownAnswers' || field === 'bestTime' || field === 'campus'

/** The answers in the form in which forms store them. */
export type OwnAnswers = Pick<FormDetails, 'answers' | 'bestTime' | 'campus'>

/** A value that is left out when the row is imported. */
type Unread = { field: ImportField; column: string; value: string; reason: string }

type Known = { kind: Kind; known: ListValues; meanings: Meanings }

/**
 * Reads these cells. `exported`: the list has a column of answers like an export. That column repeats the best time and
 * the campus, which have columns of their own, too.
 */
export function readOwnAnswers(
  cells: readonly OwnCell[],
  { exported, ...context }: Known & { exported: boolean },
): { said: OwnAnswers; unread: Unread[] } {
  const questions = context.known.questions[context.kind]
  const unread: Unread[] = []
  const answers = new Map<string, string>()
  let bestTime: OwnAnswers['bestTime']
  let campus: string | undefined
  const choice = (field: AskedField, { column }: OwnCell, text: string, reason: string) => {
    const { kind, known, meanings } = context
    const found = choiceOf(field, text, kind, known) ?? meanings[field]?.[wordsKey(text)]
    if (!found) unread.push({ field, column, value: text, reason })
    return found || undefined
  }
  const save = (question: string, answer: string | undefined) => {
    if (answer !== undefined && !answers.has(question)) answers.set(question, answer)
  }
  const read = (one: ListQuestion, cell: OwnCell, text: string): string | undefined => {
    const field = ownField(one)
    switch (one.type) {
      case 'time':
        return partAt(choice('bestTime', cell, text, NOT_A_TIME))
      case 'campus':
        return choice('campus', cell, text, NOT_A_CAMPUS)
      case 'one':
        return choice(field, cell, text, NOT_AN_ANSWER)
      case 'several': {
        const chosen = new Set(partsOf(text, one).map(part => choice(field, cell, part, NOT_AN_ANSWER)))
        const values = one.choices.map(({ value }) => value).filter(value => chosen.has(value))
        return values.length === 0 ? undefined : values.join('; ')
      }
      case 'date': {
        const date = dateInCell(text, context.known.country)
        if (date === undefined) unread.push({ field, column: cell.column, value: text, reason: NOT_A_DATE })
        return date
      }
      default:
        if (codePoints(text) > LONGEST_TYPED) unread.push({ field, column: cell.column, value: text, reason: CUT })
        return shortText([...text].slice(0, LONGEST_TYPED).join(''), 2 * LONGEST_TYPED)
    }
  }
  const answer = (one: ListQuestion, cell: OwnCell, text: string) => {
    const given = read(one, cell, text)
    save(one.question, given)
    if (one.type === 'time') bestTime ??= dayParts.find(part => capital(part) === given)
    if (one.type === 'campus') campus ??= given
  }
  const askedFor = (type: ListQuestion['type'], otherwise: string) =>
    questions.find(one => one.type === type)?.question ?? otherwise
  for (const cell of cells) {
    const { field, column, text } = cell
    if (field === 'bestTime') {
      const part = choice(field, cell, text, NOT_A_TIME)
      bestTime = dayParts.find(one => one === part) ?? bestTime
      if (!exported) save(askedFor('time', 'Best time to call'), partAt(part))
    } else if (field === 'campus') {
      campus = choice(field, cell, text, NOT_A_CAMPUS) ?? campus
      if (!exported) save(askedFor('campus', 'Campus'), campus)
    } else if (isOwnField(field)) {
      const one = questions.find(({ question }) => question === questionIn(field))
      if (one === undefined) unread.push({ field: 'ownAnswers', column, value: text, reason: NOT_ASKED })
      else answer(one, cell, text)
    } else
      for (const line of text.split(/[\r\n]+/).filter(Boolean)) {
        const [one, given] = questionOf(line, questions) ?? []
        if (one === undefined || given === undefined)
          unread.push({ field: 'ownAnswers', column, value: line, reason: NOT_ASKED })
        else answer(one, cell, given)
      }
  }
  const all = [...answers].map(([question, given]) => ({ question, answer: given }))
  const [{ column = '' } = {}] = cells
  for (const one of all.slice(MOST_ANSWERS))
    unread.push({ field: 'ownAnswers', column, value: `${one.question}: ${one.answer}`, reason: TOO_MANY })
  return {
    said: {
      ...(all.length > 0 && { answers: all.slice(0, MOST_ANSWERS) }),
      ...(bestTime && { bestTime }),
      ...(campus !== undefined && { campus }),
    },
    unread,
  }
}

const NOT_A_TIME = 'This is not a time of day: morning, afternoon or evening.'
const NOT_A_CAMPUS = 'This is not a campus of the school.'
const NOT_AN_ANSWER = 'This is not one of the answers to this question.'
const NOT_A_DATE = 'This is not a date, such as 2026-10-03.'
const NOT_ASKED = 'None of the school’s forms asks this question.'
const CUT = `Only its first ${LONGEST_TYPED} characters are imported.`
const TOO_MANY = `A person can have at most ${MOST_ANSWERS} answers.`

/** The part of the day, spelled as in the question about the best time. */
const partAt = (part: string | undefined) => (part === undefined ? undefined : capital(part))

/** The question at the beginning of a line as exports write it (`Question: answer`), and the answer. */
function questionOf(line: string, questions: readonly ListQuestion[]): [ListQuestion, string] | undefined {
  const small = line.toLowerCase()
  const named = questions.flatMap(one => one.names.map(name => [one, `${name.toLowerCase()}: `] as const))
  const [longest] = named
    .filter(([, start]) => small.startsWith(start))
    .toSorted(([, one], [, other]) => other.length - one.length)
  return longest && [longest[0], line.slice(longest[1].length)]
}

/** Several answers in one cell, between semicolons, commas, bars or line breaks, which an answer may contain, too. */
function partsOf(text: string, { choices }: ListQuestion): string[] {
  const names = choices
    .flatMap(one => [one.value, ...one.names])
    .map(name => name.toLowerCase())
    .toSorted((one, other) => other.length - one.length)
  const small = text.toLowerCase()
  const parts: string[] = []
  for (let at = 0; at < small.length; ) {
    const name = names.find(one => small.startsWith(one, at) && /^\s*(?:[;,|\n]|$)/.test(small.slice(at + one.length)))
    if (name === undefined) return piecesOf(text)
    parts.push(text.slice(at, at + name.length))
    at += name.length
    at += (/^[\s;,|]*/.exec(small.slice(at))?.[0] ?? '').length
  }
  return parts
}

const piecesOf = (text: string): string[] =>
  text
    .split(/[;|\n]/.test(text) ? /[;|\n]/ : ',')
    .map(one => one.trim())
    .filter(Boolean)
