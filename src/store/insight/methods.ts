/** The store methods about figures: insight, its cadences and emails, and the weekly report. */
export { readCadenceResults } from './cadence-results.ts'
export { countLeads } from './count-leads.ts'
export { addFormCounts, readFormCounts } from './form-counts.ts'
export { readInsight } from './insight.ts'
export { countCreated, countOutcomes, listReported } from './report-queries.ts'
export { listSourceCosts, readSourceCosts, setSourceCost } from './source-costs.ts'
