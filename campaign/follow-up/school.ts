/** The school of the simulation: its settings, its counselors, and all addresses. */
import { checkSettings, type PartialSettings } from '../../src/config/settings.ts'

export const HOLIDAYS = ['2026-11-11', '2026-11-26', '2026-11-27']

/** The domain of the staff. Everyone else is a person who wrote in. */
const STAFF_DOMAIN = 'school.example'
export const PEOPLE_DOMAIN = 'people.example'

/** The last names of all people start with this, which no log may contain. */
export const LAST_NAME = 'Zimtstern'

export const isStaff = (address: string): boolean => address.endsWith(`@${STAFF_DOMAIN}`)

export const HOSTS = {
  site: 'site.campaign.example',
  learn: 'learn.campaign.example',
  console: 'console.campaign.example',
} as const

export type HostName = keyof typeof HOSTS

/** Dora has no turns, only a territory. Ben and Cleo share one. Cleo has no backup. */
export const COUNSELORS = [
  { id: 'ana', weight: 3, backup: 'ben' },
  { id: 'ben', weight: 2, backup: 'ana', states: ['FL'] },
  { id: 'cleo', weight: 1, states: ['FL'], absent: [{ from: '2026-11-02', to: '2026-11-06' }] },
  { id: 'dora', weight: 0, backup: 'ana', states: ['TX', 'OK'] },
]

export const MANAGER = 'manager'

/** The address of the admin, who is not on the team. */
export const OPERATOR_EMAIL = `operator@${STAFF_DOMAIN}`

/** Who chose one email a day about new leads, and who has a browser that is woken up instead. */
export const DAILY = 'cleo'
export const BY_BROWSER = 'ben'

/** A counselor who has left the team. What they promised is the counselor's of the lead. */
export const LEFT = 'fred'

/** The mailbox of a counselor, of the manager, or of the team for a kind of lead. */
export const mailboxOf = (who: string | null, kind: 'site' | 'student'): string => {
  if (who === MANAGER) return `max@${STAFF_DOMAIN}`
  return `${who ?? (kind === 'site' ? 'partnerships' : 'admissions')}@${STAFF_DOMAIN}`
}

/** Whether messages for a counselor who is away go to this address: a backup's, or the team's. */
export const standsIn = (address: string): boolean =>
  address === `admissions@${STAFF_DOMAIN}` || COUNSELORS.some(({ backup }) => address === `${backup}@${STAFF_DOMAIN}`)

const chat = { name: 'tell-chat', after: '90 minutes', clock: 'school', channel: 'chat' } as const

export const SETTINGS: PartialSettings = {
  followUp: { student: [...checkSettings({}).settings.followUp.student, chat] },
  mail: { notificationsAtOnce: 1_000_000 },
  privacy: { closedLeadMonths: 1, eraseNoticeDays: 7 },
  school: {
    name: 'Campaign Vocational School',
    postalAddress: '100 Main Street, Springfield, TX 75001',
    holidays: HOLIDAYS,
  },
  admissions: {
    counselors: COUNSELORS.map(counselor => ({
      ...counselor,
      name: `Counselor ${counselor.id}`,
      email: `${counselor.id}@${STAFF_DOMAIN}` as never,
    })),
    manager: { name: 'Manager Max', email: `max@${STAFF_DOMAIN}` as never },
  },
}

/** Emails to the staff that someone waits: their positions in the cadence. */
export const REMINDERS = [0, 1, 2] as const
/** The last of them, which is for the manager. */
export const WARNING = 2

/** Emails to students: their positions in the cadence, and the days after which they come. */
export const LETTERS = new Map([
  [3, 1],
  [4, 3],
  [5, 7],
])
/** The step that closes a student's lead. */
export const CLOSING = 6
/** The step that tells no one by email: programs of the school hear of it. */
export const CHAT = 7
export const STEPS = { student: 8, site: 2 } as const

export const environment = {
  BASE_URL: `http://${HOSTS.site}`,
  LEARN_URL: `http://${HOSTS.learn}`,
  CONSOLE_URL: `http://${HOSTS.console}`,
  SITE_PORT: '0',
  LEARN_PORT: '0',
  CONSOLE_PORT: '0',
  DESTINATION_NETWORKS: '127.0.0.0/8',
  SECRET_KEY: 'the-secret-key-of-the-simulated-month-only',
  MAIL_FROM: `office@${STAFF_DOMAIN}`,
  PARTNERSHIPS_EMAIL: `partnerships@${STAFF_DOMAIN}`,
  ADMISSIONS_EMAIL: `admissions@${STAFF_DOMAIN}`,
}
