/** The store methods about mail: the outbox, messages that staff write, what arrives, and who gets no emails. */
import { listDelivery, withLeads } from './delivery-list.ts'
import { hurryNotifications, readWaitingDigests, rescheduleDigest } from './delivery-order.ts'
import { readGathered, recordGathered } from './gathered-notifications.ts'
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
import { acknowledgeMail, addDigest, addReport, listMail, readMail, retryMail } from './outbox.ts'
import { recordUndelivered } from './person-events.ts'
import { recordSent } from './record-sent.ts'
import { findMessage } from './sent-messages.ts'
import { readStrays } from './stray-mail.ts'
import {
  readSuppression,
  stopFollowUpEmails,
  suppress,
  unsuppress,
  unsuppressBounced,
} from './suppressions.ts'
import { addUnattendedMail, readUnattended } from './unattended.ts'

export const mailMethods = {
  acknowledgeMail,
  acknowledgeUnsent,
  addDigest,
  addReport,
  addUnattendedMail,
  cancelMessage,
  findMessage,
  hurryNotifications,
  listDelivery,
  listMail,
  listUnsentMessages,
  readConversation,
  readGathered,
  readMail,
  readMailboxPosition,
  readMessage,
  readStrays,
  readSuppression,
  readUnattended,
  readWaitingDigests,
  recordGathered,
  recordInbound,
  recordMessageSent,
  recordMessageUnsent,
  recordSent,
  recordUndelivered,
  rescheduleDigest,
  retryMail,
  setMailboxPosition,
  stopFollowUpEmails,
  suppress,
  unsuppress,
  unsuppressBounced,
  withLeads,
  writeMessage,
}
