/** The store methods about the messages to send, and how they were delivered. */
import { readDelivery } from './delivery-health.ts'
import { listDelivery, withLeads } from './delivery-list.ts'
import { hurryNotifications, readWaitingDigests, rescheduleDigest } from './delivery-order.ts'
import { acknowledgeMail, addDigest, addReport, listMail, readMail, retryMail } from './outbox.ts'

export const outboxMethods = {
  acknowledgeMail,
  addDigest,
  addReport,
  hurryNotifications,
  listDelivery,
  listMail,
  readDelivery,
  readMail,
  readWaitingDigests,
  rescheduleDigest,
  retryMail,
  withLeads,
}
