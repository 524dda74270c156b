/** Tells an operator that how they sign in has changed, or that a copy of their passkey was used. */
import { schoolVariables } from '../../content/school-variables.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { counselor, now } from '../samples.ts'

type SecurityView = {
  to: StaffMember
  /** What happened, in the words of the audit log: `removed a passkey`. */
  action: string
  at: number
  /** From where; empty if that is not known. */
  network?: string | undefined
  consoleUrl: string
}

export const security: StaffMessage<SecurityView> = {
  template: 'notifications/security.md',
  variables: ({ to, action, at, network, consoleUrl }, { settings, moment }) => ({
    school: schoolVariables(settings.school),
    name: to.name,
    action,
    at: moment(at),
    network: network || null,
    url: `${consoleUrl}/account`,
    forgotten_url: `${consoleUrl}/forgotten`,
  }),
  samples() {
    const view = { to: counselor, at: now, consoleUrl: 'https://desk.example.edu' }
    return [
      { ...view, action: 'added a passkey', network: '203.0.113.7' },
      { ...view, action: 'was not let in: a copy of a passkey was used' },
    ]
  },
}
