/** Tells an admin that something needs their attention, or that it is over. */
import { schoolVariables } from '../../content/school-variables.ts'
import { MINUTE } from '../../platform/time.ts'
import type { StaffMember, StaffMessage } from '../message-definition.ts'
import { counselor, now } from '../samples.ts'

type AlarmView = {
  to: StaffMember
  /** What is wrong, in a short sentence. */
  title: string
  text: string
  since: number
  /** When the problem was over; null while it lasts. */
  until: number | null
  /** The page of the console that shows more. */
  url: string
}

export const alarm: StaffMessage<AlarmView> = {
  template: 'notifications/alarm.md',
  variables: ({ title, text, since, until, url }, { settings, moment }) => ({
    school: schoolVariables(settings.school),
    title: title.replace(/\.$/, ''),
    text,
    since: moment(since),
    until: until === null ? null : moment(until),
    url,
  }),
  samples() {
    const view: AlarmView = {
      to: counselor,
      title: 'Inquiries are not filed.',
      text: '3 inquiries have been waiting, the oldest for 12 minutes: no list shows them, and we have not notified anyone. The log says why.',
      since: now - 12 * MINUTE,
      until: null,
      url: 'https://desk.example.edu/quarantine',
    }
    return [view, { ...view, until: now }]
  },
}
