/** The store methods about what one page shows. */
export { readInboxPage } from './inbox-page.ts'
export { readLeadPage, readLinkedLead } from './lead-page.ts'
export { readMergeSides } from './merge-page.ts'
export { readWaitingNow } from './report-page.ts'
export { readWritePage } from './write-page.ts'
