/** The store methods about messages that staff write, and mail that arrives. */
export { countBacklog } from './backlog.ts'
export { giveUpMail } from './given-up.ts'
export { readMailboxPosition, recordInbound, setMailboxPosition } from './mailboxes.ts'
export {
  cancelMessage,
  readConversation,
  readMessage,
  recordMessageSent,
  recordMessageUnsent,
  writeMessage,
} from './messages.ts'
export { recordUndelivered } from './person-events.ts'
export { recordSent } from './record-sent.ts'
export { listScheduledMessages, withdrawMessage } from './scheduled-messages.ts'
export { findMessage } from './sent-messages.ts'
export { stopFollowUpEmails } from './stop-follow-up-emails.ts'
export { readStrays } from './stray-mail.ts'
export { listUnsentMessages } from './unsent-messages.ts'
