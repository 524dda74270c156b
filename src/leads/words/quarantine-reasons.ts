/** Why a submission is quarantined, for the people who decide about it. */
import { signalNote } from '../body/screening.ts'

/**
 * `honeypot`: the hidden field was filled in. `screening`: its signals add up. `lockout`: it came while its
 * email address was locked, and got 429. `many`: it was accepted, after many from its email address.
 */
export type QuarantineReason = 'honeypot' | 'screening' | 'lockout' | 'many'

const notes: Partial<Record<QuarantineReason, string>> = {
  lockout: 'This email address had sent too many inquiries within an hour, so the sender was asked to try again later.',
  many: 'This email address had sent many inquiries within an hour.',
}

/** The sentences that say why, apart from the one about the hidden field. */
export const quarantineNotes = (reason: QuarantineReason, signals: readonly string[]): string[] => [
  ...(notes[reason] === undefined ? [] : [notes[reason]]),
  ...signals.map(signalNote),
]
