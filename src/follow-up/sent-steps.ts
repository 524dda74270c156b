/** The steps of a follow-up in the words of a timeline, whose entries name them as the settings do. */
import { type Cadence, recipientOf } from './cadence.ts'
import { recipients } from './cadence-words.ts'

/**
 * What a timeline says about a step that has sent its message, or that someone skipped, such as `reminder to Maria
 * Lopez sent`. Undefined for any other entry, and for a step that the cadence no longer has. `person` is the name of
 * the lead.
 */
export function stepOfEntry(
  entry: {
    kind: string
    submissionId: number | null
    detail: string
    undoneAt: number | null
    mail?: { to?: string } | null
  },
  cadence: Cadence,
  person: string,
): string | undefined {
  const { kind, submissionId, detail } = entry
  const skipped = kind === 'skipped'
  if (!skipped && (kind !== 'email' || submissionId !== null)) return undefined
  const step = cadence.find(({ name }) => name === detail)
  const to = step && recipientOf(step)
  if (to === undefined) return undefined
  const message =
    to === 'student'
      ? `email to ${person}`
      : `${to === 'chat' ? 'message' : 'reminder'} to ${entry.mail?.to ?? recipients[to]}`
  if (!skipped) return `${message} sent`
  return `skipped the ${message}${entry.undoneAt === null ? '' : ' (undone)'}`
}
