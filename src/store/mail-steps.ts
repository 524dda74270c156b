/** What the step of a message's task means where one event calls for several messages. */
import type { Kind } from '../leads/submission.ts'
import type { Task } from './tasks.ts'

/** The copies of the email about an assignment: one for each person who should know of it. */
export const assignmentCopies = { owner: 0, formerOwner: 1, standIn: 2 } as const

/** The mails about unattended leads for the two teams. */
export const stepOfUnattended = (kind: Kind): number => (kind === 'student' ? 0 : 1)
export const kindOfUnattended = (step: number): Kind => (step === 0 ? 'student' : 'site')

/** The digests for the two teams. */
export const stepOfDigest = (kind: Kind): number => (kind === 'site' ? 0 : 1)
export const kindOfDigest = (step: number): Kind => (step === 0 ? 'site' : 'student')

/** Notifications that are gathered into one email are other steps than 0, which is one of its own. */
export const stepOfGathered = (kind: Kind): number => (kind === 'site' ? 1 : 2)

/** The kind of the submissions that a task gathers; undefined if it is a notification of its own. */
export const gatheredKind = ({ kind, step }: Pick<Task, 'kind' | 'step'>): Kind | undefined =>
  kind === 'notify' && step > 0 ? (step === 1 ? 'site' : 'student') : undefined
