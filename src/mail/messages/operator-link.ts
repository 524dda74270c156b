/** Messages to operators of the console, each with a link that lets them in once. */
import { schoolVariables } from '../../content/school-variables.ts'
import type { SchoolContext, StaffMember, StaffMessage } from '../message-definition.ts'
import { counselor, now } from '../samples.ts'

type OperatorView = { to: StaffMember; link: { id: number; nonce: string }; expiresAt: number }

const operatorLink = {
  variables: ({ to, link, expiresAt }: OperatorView, { settings, links, moment }: SchoolContext) => ({
    school: schoolVariables(settings.school),
    name: to.name,
    url: links.operator(link.id, link.nonce),
    until: moment(expiresAt),
  }),
  samples: () => [{ to: counselor, link: { id: 1, nonce: '' }, expiresAt: now }],
}

/** Invites someone to the console. */
export const invitation: StaffMessage<OperatorView> = { template: 'notifications/invitation.md', ...operatorLink }

export const passwordReset: StaffMessage<OperatorView> = {
  template: 'notifications/password-reset.md',
  ...operatorLink,
}
