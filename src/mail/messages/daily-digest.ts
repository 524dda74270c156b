/** One email a day with everything that an operator chose to get this way. */
import { weekdayInWords } from '../../content/date-format.ts'
import { oneLine, shorten } from '../../content/one-line.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { HOUR } from '../../platform/time.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { lead as ana, counselor, form, message, student } from '../samples.ts'
import { type LeadView, wordsBeforeCall } from '../variables/lead.ts'
import { personVariables } from '../variables/person.ts'

type Entry = {
  /** What happened, as the subject of a separate email would have said. */
  what: string
  at: number
  /** The page to look at. */
  url: string
  /** The lead as it is now; undefined if the recipient does not follow it up. */
  latest: Pick<LeadView, 'lead' | 'submission' | 'reply'> | undefined
}

/** How many characters the digest shows of what a person wrote. */
const EXCERPT = 140

export const dailyDigest: StaffMessage<{
  to: StaffMember
  entries: Entry[]
  /** How many more entries there are than the listed ones. */
  more: number
  /** How many leads are due today; null if that is not known. */
  due: number | null
  now: number
}> = {
  template: 'notifications/daily-digest.md',
  variables: ({ entries, more, due, now }, { settings, consoleUrl, shortMoment }) => ({
    school: schoolVariables(settings.school),
    day: weekdayInWords(now, settings.school),
    count: entries.length + more,
    more,
    due,
    url: `${consoleUrl}/today`,
    inbox_url: `${consoleUrl}/inbox?sort=active`,
    notifications_url: `${consoleUrl}/account/notifications`,
    entries: entries.map(({ what, at, url, latest }) => ({
      what,
      url,
      at: capital(shortMoment(at, now)),
      person: latest ? personVariables(latest.submission, settings) : null,
      facts: latest ? wordsBeforeCall(latest, settings) : [],
      message: shorten(oneLine(latest?.reply ?? latest?.submission.body.message), EXCERPT) || null,
    })),
  }),
  samples() {
    const now = Date.UTC(2026, 10, 21, 14)
    const body = {
      ...student.body,
      firstName: 'Sam',
      lastName: 'Lee',
      email: 'sam@mail.example',
      phone: '(512) 555-0199',
    }
    const lead = { ...ana, kind: 'student' as const, language: 'en', program: 'Welding', bestTime: 'evening' as const }
    const inquiry = {
      what: 'New student inquiry: Sam Lee, Texas · start within a month',
      at: now - HOUR,
      url: 'https://desk.example.edu/leads/7',
      latest: { lead, submission: { ...student, form, body: { ...body, message } } },
    }
    const assigned = {
      what: 'Assigned to you: Ana Ruiz, waiting since Thursday, 4:10 PM',
      at: now - 20 * HOUR,
      url: 'https://desk.example.edu/leads/5',
      latest: { lead: ana, submission: student, reply: 'Thanks! Can I visit the shop on Friday after work?' },
    }
    const former = {
      what: 'Ben Okafor is now with Dana Kim',
      at: now - 21 * HOUR,
      url: 'https://desk.example.edu/leads/4',
      latest: undefined,
    }
    const view = { to: counselor, entries: [inquiry, assigned, former], more: 0, due: 4, now }
    return [
      view,
      { ...view, entries: [{ ...assigned, latest: { lead: ana, submission: student } }], due: 0 },
      { ...view, more: 12, due: null },
    ]
  },
}
