/** The variables of mail that we forward to the team because its sender is not a lead. */
import { schoolVariables } from '../../content/school-variables.ts'
import { fileInWords } from '../../leads/lead/attached-file.ts'
import type { StrayMail } from '../../store/mail/stray-mail.ts'
import type { SchoolContext, StaffMember } from './school-context.ts'

export type ForwardedView = {
  to: StaffMember
  mails: (StrayMail & { receivedAt: number })[]
  /** Whether there are more than these. */
  more: boolean
}

export const forwardedVariables = (
  { mails, more }: Omit<ForwardedView, 'to'>,
  { settings, mailFrom, moment }: SchoolContext,
) => ({
  school: schoolVariables(settings.school),
  mailbox: mailFrom,
  count: mails.length,
  more,
  mails: mails.map(({ sender, subject, text, attachments, receivedAt }) => ({
    sender,
    subject: subject || null,
    text: text || null,
    attachments: attachments.map(fileInWords),
    received: moment(receivedAt),
  })),
})
