/** The store methods about the messages to send, and how they were delivered. */
export { readDelivery } from './delivery-health.ts'
export { listDelivery, withLeads } from './delivery-list.ts'
export { hurryNotifications, readWaitingDigests, rescheduleDigest } from './delivery-order.ts'
export { acknowledgeMail, addDigest, addReport, lastSentAt, listMail, readMail, retryMail } from './outbox.ts'
