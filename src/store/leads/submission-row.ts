/** A row of `submissions`, and the submission that the rest of the program sees. Loads no driver. */
import { readFormDetails } from '../../leads/body/form-details.ts'
import type { Body, Kind, Submission } from '../../leads/body/submission.ts'

export type SubmissionRow = {
  id: number
  kind: Kind
  received_at: number
  answer: number
  body: string
  form: string | null
}

/** The columns of that row, from `submissions as s`. */
export const submissionColumns = ['s.id', 's.kind', 's.received_at', 's.answer', 's.body', 's.form'] as const

/** Throws when the body cannot be parsed; the error names the id and nothing from the body. */
export const asSubmission = (row: SubmissionRow): Submission =>
  ({
    id: row.id,
    kind: row.kind,
    receivedAt: row.received_at,
    answer: row.answer,
    body: readBody(row),
    form: readFormDetails(row.form),
  }) as Submission

/** Does the same; returns undefined when the body cannot be parsed. */
export function readableSubmission(row: SubmissionRow): Submission | undefined {
  try {
    return asSubmission(row)
  } catch {
    return undefined
  }
}

function readBody({ id, body }: SubmissionRow): Body[Kind] {
  try {
    return JSON.parse(body)
  } catch {
    // The parser's own message quotes the text, which is personal data and would be logged.
    throw new Error(`The body of submission ${id} is not JSON`)
  }
}
