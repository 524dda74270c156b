/** Sample variables to try out the template of the daily digest. */
import { DAY, HOUR } from '../../platform/time.ts'
import { dailyVariables } from '../variables/daily.ts'
import type { SchoolContext } from '../variables/school-context.ts'

const now = Date.UTC(2026, 10, 21, 14)

export const dailySamples = (context: SchoolContext): object[] => {
  const url = 'https://desk.example.edu/today'
  const lead = { at: now - HOUR, url: 'https://desk.example.edu/leads/7' }
  const reply = { what: 'Reply from Ana Ruiz', at: now - DAY, url: 'https://desk.example.edu/leads/5' }
  const entries = [{ what: 'Student inquiry: Sam Lee, Austin, Texas', ...lead }, reply]
  return [
    dailyVariables({ entries, more: 0, url, now }, context),
    dailyVariables({ entries: [reply], more: 0, url, now }, context),
    dailyVariables({ entries, more: 12, url, now }, context),
  ]
}
