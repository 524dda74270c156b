/** One email a day with everything that an operator chose to get this way. */
import { schoolVariables } from '../../content/school-variables.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { DAY, HOUR } from '../../platform/time.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { counselor } from '../samples.ts'

export const dailyDigest: StaffMessage<{
  to: StaffMember
  /**
   * What happened, as the subject of an email of its own and the line beside it would have said, and the page to look
   * at.
   */
  entries: { what: string; says: string; at: number; url: string }[]
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
    entries: entries.map(({ what, says, at, url }) => ({ what, says, at: capital(shortMoment(at, now)), url })),
  }),
  samples() {
    const now = Date.UTC(2026, 10, 21, 14)
    const url = 'https://desk.example.edu/today'
    const lead = { at: now - HOUR, url: 'https://desk.example.edu/leads/7' }
    const reply = {
      what: 'Ana Ruiz replied',
      says: '(214) 555-0137',
      at: now - DAY,
      url: 'https://desk.example.edu/leads/5',
    }
    const entries = [
      { what: 'New student inquiry: Sam Lee, Texas', says: '(512) 555-0199, sam@mail.example', ...lead },
      reply,
    ]
    const view = { to: counselor, entries, more: 0, url, now }
    return [view, { ...view, entries: [reply] }, { ...view, more: 12 }]
  },
}
