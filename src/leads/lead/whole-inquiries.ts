/** Inquiries that were asked in two steps: the second says what the first one says, too. */
import type { Submission } from '../body/submission.ts'

/** Those that no other of them completes. */
export function wholeInquiries<T>(all: readonly T[], submissionOf: (one: T) => Submission): T[] {
  const completed = new Set(all.flatMap(one => submissionOf(one).form?.completes ?? []))
  return all.filter(one => !completed.has(submissionOf(one).id))
}
