/** Columns of a list that answer the school's own questions, and these questions. */

/** One of the school's own questions, with everything that is needed to read its answers from a list. */
export type ListQuestion = {
  /** In the school's first language, as it is stored with its answers. */
  question: string
  /** The question in each language. */
  names: readonly string[]
  /**
   * What its answers are: one of the choices, several of them, a date, or words. The last two, the best time and the
   * campus, are stored as facts of the lead, too.
   */
  type: 'one' | 'several' | 'date' | 'text' | 'time' | 'campus'
  choices: readonly OwnChoice[]
}

/** An answer to choose: its stored form, and the forms that lists may use. */
export type OwnChoice = { value: string; words: string; names: readonly string[] }

/** The column that answers one question. */
export type OwnField = `answer:${string}`

const PREFIX = 'answer:'

export const ownField = ({ question }: Pick<ListQuestion, 'question'>): OwnField => `${PREFIX}${question}`

export const isOwnField = (field: string | null): field is OwnField => field?.startsWith(PREFIX) === true

export const questionIn = (field: OwnField): string => field.slice(PREFIX.length)

/** The questions with a column of their own, without the best time and the campus: fields of every list. */
export const withColumns = (questions: readonly ListQuestion[]): ListQuestion[] =>
  questions.filter(({ type }) => type !== 'time' && type !== 'campus')
