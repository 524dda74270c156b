/** Steps of a cadence, and the default cadence with them. */
import type { Cadence, ClosingStep, MessageStep, Recipient } from '../../src/follow-up/cadence.ts'

export const reminder = (name: string, after: string, to: Recipient = 'counselor'): MessageStep => ({
  name,
  after,
  clock: 'school',
  to,
  message: 'reminder',
})

export const letter = (name: string, after: string): MessageStep => ({
  name,
  after,
  clock: 'student',
  to: 'student',
  message: 'letter',
})

export const closing = (name: string, after: string): ClosingStep => ({
  name,
  after,
  clock: 'student',
  close: 'no reply',
})

export const defaultCadence: Cadence = [
  reminder('reminder-5', '5 minutes'),
  reminder('reminder-15', '15 minutes', 'backup'),
  reminder('reminder-60', '60 minutes', 'manager'),
  letter('letter-1', '1 day'),
  letter('letter-3', '3 days'),
  letter('letter-7', '7 days'),
  closing('close', '14 days'),
]
