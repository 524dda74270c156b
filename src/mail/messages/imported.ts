/** A list that contains leads of the recipient was imported. */
import { schoolVariables } from '../../content/school-variables.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { counselor } from '../samples.ts'

/** What an owner gets when a list is imported. */
type ImportedView = {
  to: StaffMember
  kind: Kind
  /** Where the people come from, in the words of the person who imported the list. */
  source: string
  by: string
  /** How many leads are new, and how many people had an open lead. */
  opened: number
  joined: number
  /** Whether the leads have an owner; if not, the team has them. */
  owner: boolean
  mayWrite: boolean
  /** The page of these leads in the console. */
  url: string
}

export const imported: StaffMessage<ImportedView> = {
  template: 'notifications/imported.md',
  variables: ({ to: _, mayWrite, ...view }, { settings }) => ({
    ...view,
    may_write: mayWrite,
    school: schoolVariables(settings.school),
  }),
  samples() {
    const url = 'https://console.example/inbox'
    const list = { to: counselor, source: 'Fair Austin 2026-11', by: 'Jordan Ellis', owner: true, mayWrite: false, url }
    return [
      { ...list, kind: 'student', opened: 57, joined: 2, mayWrite: true },
      { ...list, kind: 'site', opened: 1, joined: 1, owner: false },
      { ...list, kind: 'student', opened: 0, joined: 3 },
    ]
  },
}
