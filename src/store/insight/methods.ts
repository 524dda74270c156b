/** The store methods about figures: insight, its cadences and emails, and the weekly report. */
import { readCadenceResults } from './cadence-results.ts'
import { countLeads } from './count-leads.ts'
import { readInsight } from './insight.ts'
import { countCreated, countOutcomes, countToDo, listReported } from './weekly-report.ts'

export const insightMethods = {
  countCreated,
  countLeads,
  countOutcomes,
  countToDo,
  listReported,
  readCadenceResults,
  readInsight,
}
