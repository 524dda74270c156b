/** The store methods about messages that staff write, and what arrives. */
export { countBacklog } from './backlog.ts'
export { readMailboxPosition, recordInbound, setMailboxPosition } from './mailboxes.ts'
export {
  acknowledgeUnsent,
  cancelMessage,
  listUnsentMessages,
  readConversation,
  readMessage,
  recordMessageSent,
  recordMessageUnsent,
  writeMessage,
} from './messages.ts'
export { recordUndelivered } from './person-events.ts'
export { recordSent } from './record-sent.ts'
export { findMessage } from './sent-messages.ts'
export { stopFollowUpEmails } from './stop-follow-up-emails.ts'
export { readStrays } from './stray-mail.ts'
