/** The meaning of `step` in a message's task, if one event calls for several messages. */
import type { Kind } from '../../leads/body/submission.ts'
import type { Task } from '../tasks/tasks.ts'

/**
 * The copies of the email about an assignment: one for each person who should know about it. The email about a message
 * that was not sent has the first two, since its author, like a former owner, may not work on the lead anymore.
 */
export const assignmentCopies = { owner: 0, formerOwner: 1, standIn: 2 } as const

/** The step of the email about an alarm that goes to the manager or the team, because no admin can sign in. */
export const TO_NO_OPERATOR = 0

/** The step of the news that says what the scanner found in an email's attachments. */
export const INFECTED = 3

/**
 * The kind of lead that step 0 means, in mail that each of the two teams gets separately. The two values differ, and
 * cannot be changed: tasks with these steps are stored, and sent Message-IDs contain the steps.
 */
const kindOfStep0 = { unattended: 'student', digest: 'site' } as const

type TeamMail = keyof typeof kindOfStep0

export const stepOfTeam = (mail: TeamMail, kind: Kind): number => (kind === kindOfStep0[mail] ? 0 : 1)

/** The kind of lead that such a mail is about. */
export const kindOfTeamMail = (mail: TeamMail, step: number): Kind =>
  (step === 0) === (kindOfStep0[mail] === 'site') ? 'site' : 'student'

/** The step of notifications that are gathered into one email. Step 0: a notification with an email of its own. */
export const stepOfGathered = (kind: Kind): number => (kind === 'site' ? 1 : 2)

/** The kind of submission that a task gathers; undefined if the task is a notification of its own. */
export const gatheredKind = ({ kind, step }: Pick<Task, 'kind' | 'step'>): Kind | undefined =>
  kind === 'notify' && step > 0 ? (step === 1 ? 'site' : 'student') : undefined
