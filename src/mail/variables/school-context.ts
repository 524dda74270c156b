/** What the variables of all messages need to know about the school. */
import type { Settings } from '../../config/settings.ts'
import type { EmailAddress } from '../../leads/body/email.ts'
import type { Links } from '../../signed-links.ts'

/** Someone at the school, or a team. */
export type StaffMember = { name: string; address: EmailAddress }

/** The context that all messages of this school share. */
export type SchoolContext = {
  settings: Settings
  learnUrl: string
  consoleUrl: string
  /** The mailbox that may be watched. */
  mailFrom: string
  links: Links
  moment: (time: number) => string
  /** A moment in few words, as seen from `now`. */
  shortMoment: (time: number, now: number) => string
}
