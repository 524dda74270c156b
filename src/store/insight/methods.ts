/** The store methods about figures: insight, its cadences and emails, and the weekly report. */
export { readCadenceResults } from './cadence-results.ts'
export { countLeads } from './count-leads.ts'
export { readInsight } from './insight.ts'
export { countCreated, countOutcomes, countToDo, listReported } from './report-queries.ts'
