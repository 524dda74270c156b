/** The variables of the email about an imported list. */
import { schoolVariables } from '../../content/school-variables.ts'
import type { EmailAddress } from '../../leads/body/email.ts'
import type { Kind } from '../../leads/body/submission.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

/** What an owner gets when a list was imported. */
export type ImportedView = {
  to: StaffMember
  kind: Kind
  /** Where the people come from, as the list was named. */
  source: string
  /** Who imported it. */
  by: string
  /** How many leads are new, and how many people had an open lead. */
  opened: number
  joined: number
  /** Whether the leads have an owner; otherwise the team has them. */
  owner: boolean
  mayWrite: boolean
  /** The leads in the console. */
  url: string
}

export const importedVariables = ({ to: _, mayWrite, ...view }: ImportedView, { settings }: SchoolContext) => ({
  ...view,
  may_write: mayWrite,
  school: schoolVariables(settings.school),
})

export function importedSamples(context: SchoolContext): object[] {
  const to = { name: 'Maria Lopez', address: 'maria@school.example' as EmailAddress }
  const list = {
    to,
    source: 'Fair Austin 2026-11',
    by: 'Jordan Ellis',
    mayWrite: false,
    url: 'https://console.example/inbox',
  }
  return [
    importedVariables({ ...list, kind: 'student', opened: 57, joined: 2, owner: true, mayWrite: true }, context),
    importedVariables({ ...list, kind: 'site', opened: 1, joined: 1, owner: false }, context),
    importedVariables({ ...list, kind: 'student', opened: 0, joined: 3, owner: true }, context),
  ]
}
