/** One email a day with everything that an operator chose to get this way. */
import { mailtoLink, telLink } from '../../content/contact-links.ts'
import { schoolVariables } from '../../content/school-variables.ts'
import { readablePhone } from '../../leads/body/phone.ts'
import { capital } from '../../leads/body/tidy-text.ts'
import { DAY, HOUR } from '../../platform/time.ts'
import type { Content, StaffMember, StaffMessage } from '../message-definition.ts'
import { lead as ana, counselor } from '../samples.ts'

export const dailyDigest: StaffMessage<{
  to: StaffMember
  /**
   * What happened, as the subject of an email of its own and the line beside it would have said, the page to look at,
   * and how to reach the person.
   */
  entries: { what: string; says: string; at: number; url: string; person: Content['lead'] }[]
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
    entries: entries.map(({ what, says, at, url, person }) => ({
      what,
      says: inParts(says, person, settings.school.country),
      at: capital(shortMoment(at, now)),
      url,
    })),
  }),
  samples() {
    const now = Date.UTC(2026, 10, 21, 14)
    const url = 'https://desk.example.edu/today'
    const lead = {
      at: now - HOUR,
      url: 'https://desk.example.edu/leads/7',
      person: { ...ana, phone: '(512) 555-0199', email: 'sam@mail.example' },
    }
    const reply = {
      what: 'Ana Ruiz replied',
      says: '(214) 555-0137',
      at: now - DAY,
      url: 'https://desk.example.edu/leads/5',
      person: ana,
    }
    const entries = [
      { what: 'New student inquiry: Sam Lee, Texas', says: '(512) 555-0199, sam@mail.example', ...lead },
      reply,
    ]
    const view = { to: counselor, entries, more: 0, url, now }
    return [view, { ...view, entries: [reply] }, { ...view, more: 12 }]
  },
}

/** The text in parts: a tap on the person's phone number calls them, and one on their address writes to them. */
function inParts(says: string, person: Content['lead'], country: string): { text: string; url: string | null }[] {
  const { phone = null, email = null } = person ?? {}
  const urls = new Map([
    ...(phone === null ? [] : [[readablePhone(phone, country), telLink(phone, country)] as const]),
    ...(email === null ? [] : [[email, mailtoLink(email)] as const]),
  ])
  const parts = says === '' ? [] : says.split(', ')
  return parts.map(text => ({ text, url: urls.get(text) ?? null }))
}
