/** What a person last told us, over all their inquiries. A further inquiry replaces only the answers that it gives. */
import type { RankedField, StudentInterest } from '../body/body-schemas.ts'
import type { Submission } from '../body/submission.ts'

export type Answers = Partial<Pick<StudentInterest, RankedField | 'city' | 'state' | 'employer'>>

/** Answers that belong together: a new city must not appear with an old state. */
const together: readonly (readonly (keyof Answers)[])[] = [
  ['timeline'],
  ['interestLevel'],
  ['experience'],
  ['source'],
  ['city', 'state'],
  ['employer'],
]

/** The last answers in inquiries that are sorted from newest to oldest; empty for inquiries of a site. */
export function lastGiven(submissions: readonly Submission[]): Answers {
  const given: Answers = {}
  for (const fields of together) {
    const body = submissions
      .map((one): Answers => (one.kind === 'student' ? one.body : {}))
      .find(answers => fields.some(field => hasGiven(answers, field)))
    for (const field of fields) if (body?.[field]) Object.assign(given, { [field]: body[field] })
  }
  return given
}

const hasGiven = (answers: Answers, field: keyof Answers): boolean => Boolean(answers[field])

/**
 * The newest inquiry that the person wrote, among inquiries that are sorted from newest to oldest. Only if the person
 * wrote none, the newest that the staff entered or imported.
 */
export const lastWritten = (submissions: readonly Submission[]): Submission | undefined =>
  submissions.find(one => !isEntered(one)) ?? submissions[0]

const isEntered = ({ form }: Submission): boolean => form?.entered !== undefined
