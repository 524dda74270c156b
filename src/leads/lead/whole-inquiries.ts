/** Inquiries in two steps: the second step includes what the first one says. */
import type { Submission } from '../body/submission.ts'

/** The inquiries that no other one in the list completes. */
export function wholeInquiries<T>(all: readonly T[], submissionOf: (one: T) => Submission): T[] {
  const completed = new Set(all.flatMap(one => submissionOf(one).form?.completes ?? []))
  return all.filter(one => !completed.has(submissionOf(one).id))
}
