/** Whether mail flows, in a sentence for a banner on every page. */
import { counted } from '../leads/text.ts'
import { SECOND } from '../platform/time.ts'
import type { ConsoleDeps } from './context.ts'

/** How long an answer is good for: a banner may come a little late, but must not cost each page a query. */
const FRESH = 20 * SECOND

/** What a mail server says ends with or without a full stop. */
const withStop = (words: string): string => (/[.!?]$/.test(words) ? words : `${words}.`)

/** A sentence if messages to the staff fail, or any wait for another attempt; undefined while mail flows. */
export function watchMail({ store, clock }: Pick<ConsoleDeps, 'store' | 'clock'>) {
  let known: { at: number; words: Promise<string | undefined> } | undefined
  /** What is known now; `forget` has it read again, after someone has repaired something. */
  return { words, forget }

  function forget(): void {
    known = undefined
  }

  function words(): Promise<string | undefined> {
    const now = clock.now()
    if (known === undefined || Math.abs(now - known.at) >= FRESH)
      known = { at: now, words: read(now).catch(() => undefined) }
    return known.words
  }

  async function read(now: number): Promise<string | undefined> {
    // A mistyped address of a student is a note on the lead, where the counselor sees it.
    const { mailFailedToStaff, mailRetrying, retryReason } = await store.countBacklog(now)
    const parts = [
      ...(mailFailedToStaff > 0
        ? [`${counted(mailFailedToStaff, 'message')} to the staff failed.`]
        : []),
      ...(mailRetrying > 0
        ? [
            `${counted(mailRetrying, 'message')} could not be sent yet: ${withStop(retryReason ?? 'the mail server is away')}`,
          ]
        : []),
    ]
    return parts.length === 0 ? undefined : parts.join(' ')
  }
}
