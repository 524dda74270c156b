/** The store methods about the messages to send, and how they were delivered. */
export { readDelivery } from './delivery-health.ts'
export { listDelivery, withLeads } from './delivery-list.ts'
export { hurryNotifications, readWaitingDigests, rescheduleDigest } from './delivery-order.ts'
export { addDigest, addReport, lastSentAt, listMail, readMail } from './outbox.ts'
