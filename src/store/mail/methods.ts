/** The store methods about messages that staff write, and what arrives. */
import { countBacklog } from './backlog.ts'
import { readMailboxPosition, recordInbound, setMailboxPosition } from './mailboxes.ts'
import {
  acknowledgeUnsent,
  cancelMessage,
  listUnsentMessages,
  readConversation,
  readMessage,
  recordMessageSent,
  recordMessageUnsent,
  writeMessage,
} from './messages.ts'
import { recordUndelivered } from './person-events.ts'
import { recordSent } from './record-sent.ts'
import { findMessage } from './sent-messages.ts'
import { stopFollowUpEmails } from './stop-follow-up-emails.ts'
import { readStrays } from './stray-mail.ts'

export const mailMethods = {
  acknowledgeUnsent,
  cancelMessage,
  countBacklog,
  findMessage,
  listUnsentMessages,
  readConversation,
  readMailboxPosition,
  readMessage,
  readStrays,
  recordInbound,
  recordMessageSent,
  recordMessageUnsent,
  recordSent,
  recordUndelivered,
  setMailboxPosition,
  stopFollowUpEmails,
  writeMessage,
}
