/** Mail from people who are not leads, forwarded to a team. Replies to a single one go to its sender. */
import { schoolVariables } from '../../content/school-variables.ts'
import { fileInWords } from '../../leads/attachments/attachment.ts'
import { isPlainMailbox } from '../../leads/body/email.ts'
import type { StrayMail } from '../../store/mail/stray-mail.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { replyToAddress } from '../reply-address.ts'
import { message, now, team } from '../samples.ts'

export const forwarded: StaffMessage<{
  to: StaffMember
  mails: (StrayMail & { receivedAt: number })[]
  /** Whether there are more than these. */
  more: boolean
}> = {
  template: 'notifications/forwarded.md',
  variables: ({ mails, more }, { settings, mailFrom, moment }) => ({
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
  }),
  samples() {
    const bare = { sender: 'a@b.example', subject: '', text: '', attachments: [], receivedAt: now }
    const attachments = [{ name: 'transcript.pdf', size: 120_000 }]
    const full = { ...bare, subject: 'A question', text: message, attachments }
    return [[bare], [full], [bare, full]].map(mails => ({ to: team, mails, more: mails.length > 1 }))
  },
  more: ({ mails: [mail, ...others] }) =>
    mail !== undefined && others.length === 0 && isPlainMailbox(mail.sender) ? replyToAddress(mail.sender) : {},
}
