/** The emails of a follow-up in the words of a timeline, which names steps as the settings do. */
import { type Cadence, type Recipient, recipientOf } from './cadence.ts'

/**
 * What a timeline says of an email that a step has sent, such as `reminder to the counselor sent`; undefined
 * for another entry, and for a step that is no longer in the cadence. `person` is the name of the lead.
 */
export function stepSent(
  { kind, submissionId, detail }: { kind: string; submissionId: number | null; detail: string },
  cadence: Cadence,
  person: string,
): string | undefined {
  if (kind !== 'email' || submissionId !== null) return undefined
  const step = cadence.find(({ name }) => name === detail)
  const to = step && recipientOf(step)
  if (to === undefined) return undefined
  return to === 'student' ? `email to ${person} sent` : `reminder to the ${staff[to]} sent`
}

const staff: Record<Exclude<Recipient, 'student'>, string> = {
  counselor: 'counselor',
  backup: 'stand-in',
  manager: 'manager',
  team: 'team',
}
