/** The variables of messages to operators of the console, each with a link that lets them in once. */
import { schoolVariables } from '../../content/school-variables.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

export type OperatorView = { to: StaffMember; link: { id: number; nonce: string }; expiresAt: number }

export const operatorVariables = (
  { to, link, expiresAt }: OperatorView,
  { settings, links, moment }: SchoolContext,
) => ({
  school: schoolVariables(settings.school),
  name: to.name,
  url: links.operator(link.id, link.nonce),
  until: moment(expiresAt),
})
