/**
 * Who on the team works on leads. The others get no leads and no emails: those who cannot sign in, and viewers, who
 * change nothing. Someone without an account works on leads through the links in emails.
 */

/** The role of each person on the team who is an operator, by their ids: `none` if they cannot sign in. */
export type StaffAccess = { access?: Readonly<Record<string, string>> | undefined }

export const worksOnLeads = (id: string, { access }: StaffAccess): boolean =>
  access?.[id] !== 'none' && access?.[id] !== 'viewer'

/** The ids of the people who do not work on leads. */
export const notWorking = ({ access = {} }: StaffAccess): string[] =>
  Object.keys(access).filter(id => !worksOnLeads(id, { access }))

/** Why someone does not work on leads, as words after their name. */
export const whyNotWorking = (id: string, { access }: StaffAccess): string =>
  access?.[id] === 'viewer' ? 'is a viewer' : 'cannot sign in'
