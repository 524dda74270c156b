/** What a person told us last, over all their inquiries: a further one replaces only the answers that it gives. */
import type { RankedField, StudentInterest } from '../body/body-schemas.ts'
import type { Submission } from '../body/submission.ts'

export type Answers = Partial<Pick<StudentInterest, RankedField | 'city' | 'state' | 'employer'>>

/** Answers that are given together: a new city must not stand beside an old state. */
const together: readonly (readonly (keyof Answers)[])[] = [
  ['timeline'],
  ['interestLevel'],
  ['experience'],
  ['source'],
  ['city', 'state'],
  ['employer'],
]

/** The last answers that were given, of inquiries that are sorted from newest to oldest; empty for those of a site. */
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
 * The newest inquiry that the person wrote, of some that are sorted from newest to oldest. What the staff entered or
 * imported stands for it only if the person wrote none.
 */
export const lastWritten = (submissions: readonly Submission[]): Submission | undefined =>
  submissions.find(one => !isEntered(one)) ?? submissions[0]

const isEntered = ({ form }: Submission): boolean => form?.entered !== undefined
