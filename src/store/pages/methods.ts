/** The store methods about what one page shows. */
import { readInboxPage } from './inbox-page.ts'
import { readLeadPage, readLinkedLead } from './lead-page.ts'
import { readMergeSides } from './merge-page.ts'

export const pagesMethods = { readInboxPage, readLeadPage, readLinkedLead, readMergeSides }
