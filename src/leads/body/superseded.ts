/** Whether one submission makes another superfluous. */
import { emailKey } from './email.ts'
import { phoneDigits } from './phone.ts'
import type { Body, Kind } from './submission.ts'

type Said = Body[Kind]

/**
 * Whether a later submission says everything that an earlier one said, so that the earlier one is no longer needed. The
 * same address alone is not enough, because anyone can type it. The later submission may say more than the earlier one.
 */
export function supersedes(later: Said, earlier: Said): boolean {
  const words = plainWords(earlier.message)
  return factsOf(later) === factsOf(earlier) && plainWords(later.message).includes(words)
}

/** Everything that a person says about themselves, as comparable text. */
function factsOf(body: Said): string {
  const { website: _, startedAt: __, message: ___, ...facts } = body as Body['site']
  const { email = '', phone = '' } = facts
  return JSON.stringify({ ...facts, email: emailKey(email), phone: phoneDigits(phone) })
}

const plainWords = (text = ''): string => text.toLowerCase().replace(/\s+/g, ' ')
