/** One email a day with everything that an operator chose to get this way. */
import { schoolVariables } from '../../content/school-variables.ts'
import { DAY, HOUR } from '../../platform/time.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { counselor } from '../samples.ts'

export const dailyDigest: StaffMessage<{
  to: StaffMember
  /** What happened, in the words that an email of its own would have had, and the page to look at. */
  entries: { what: string; at: number; url: string }[]
  /** How many more entries there are than those listed. */
  more: number
  /** The page of the console that shows what is due. */
  url: string
  now: number
}> = {
  template: 'notifications/daily-digest.md',
  variables: ({ entries, more, url, now }, { settings, shortMoment }) => ({
    school: schoolVariables(settings.school),
    count: entries.length + more,
    more,
    url,
    entries: entries.map(({ what, at, url }) => ({ what, at: shortMoment(at, now), url })),
  }),
  samples() {
    const now = Date.UTC(2026, 10, 21, 14)
    const url = 'https://desk.example.edu/today'
    const lead = { at: now - HOUR, url: 'https://desk.example.edu/leads/7' }
    const reply = { what: 'Reply from Ana Ruiz', at: now - DAY, url: 'https://desk.example.edu/leads/5' }
    const entries = [{ what: 'Student inquiry: Sam Lee, Austin, Texas', ...lead }, reply]
    const view = { to: counselor, entries, more: 0, url, now }
    return [view, { ...view, entries: [reply] }, { ...view, more: 12 }]
  },
}
