/** The settings and environment variables in words, as the page of the settings shows them. */
import type { variables } from '../../config/environment.ts'
import type { WrittenSettings } from '../../config/settings-shape.ts'

/** The words for each setting; a list, or an object with any names, is one setting. */
type Names<T> = T extends string | number | readonly unknown[]
  ? string
  : string extends keyof T
    ? string
    : { [K in keyof T]-?: Names<NonNullable<T[K]>> }

const question = (label: string) => ({
  allowed: `${label}: answers we accept`,
  hotter: `${label}: the end of the scale that means a warmer lead`,
  labels: `${label}: answers in other languages`,
})

const form = (whose: string) => ({
  title: `${whose}: title`,
  introduction: `${whose}: introduction`,
  consent: `${whose}: consent to calls and texts`,
  sent: `${whose}: text after sending`,
  sentUrl: `${whose}: page after sending`,
})

export const settingNames: Names<WrittenSettings> = {
  school: {
    name: 'Name',
    phone: 'Phone',
    website: 'Website',
    postalAddress: 'Postal address',
    brand: { color: 'Color', logo: 'Logo', logoDark: 'Logo on dark screens' },
    timeZone: 'Time zone',
    country: 'Country of phone numbers without a code',
    hours: {
      monday: 'Monday',
      tuesday: 'Tuesday',
      wednesday: 'Wednesday',
      thursday: 'Thursday',
      friday: 'Friday',
      saturday: 'Saturday',
      sunday: 'Sunday',
    },
    holidays: 'Holidays',
  },
  languages: 'Languages in which you write to people',
  admissions: { counselors: 'Counselors', manager: { name: 'Manager', email: 'Email of the manager' } },
  followUp: {
    student: 'Steps for students',
    site: 'Steps for employers and partners',
    quietHours: { from: 'Night, when no student gets email: from', to: 'Night, when no student gets email: to' },
    zones: 'Time zones of states outside the United States',
  },
  accounts: {
    directory: 'Where we look for accounts',
    url: 'URL of the learning site',
    feedback: 'Whether people learn that they have an account',
  },
  contacts: { developers: 'For developers', privacy: 'Privacy policy', security: 'For reports of vulnerabilities' },
  programs: 'Programs',
  pricing: { asOf: 'Last checked on', charges: 'Charges' },
  siteInterest: { honeypot: 'When the hidden field is filled in' },
  studentInterest: {
    states: 'States outside the United States',
    answers: {
      timeline: question('Start'),
      interestLevel: question('Interest'),
      experience: question('Experience'),
      source: question('Source'),
    },
  },
  forms: {
    student: {
      ...form('Students'),
      fields: {
        city: 'Students: city',
        state: 'Students: state',
        timeline: 'Students: start',
        interestLevel: 'Students: interest',
        experience: 'Students: experience',
        employer: 'Students: employer',
        source: 'Students: source',
        message: 'Students: message',
      },
    },
    site: { ...form('Employers'), fields: { message: 'Employers: message' } },
    signInUrl: 'Where people with an account sign in',
    embedOn: 'Websites that may embed the forms',
  },
  screening: {
    threshold: 'Sum at which an inquiry is quarantined',
    weights: {
      tooFast: 'Sent within 3 seconds',
      tooOld: 'Started more than a day before',
      ahead: 'Clock of the sender is ahead',
      links: 'Three or more links',
      disposable: 'Disposable email address',
      sharedText: 'Same message from three or more addresses',
    },
  },
  quarantine: {
    days: 'Days until what no one reviewed is dismissed',
    capacity: 'Most rejected submissions that we keep',
    digestHour: 'Hour of the daily digests',
  },
  privacy: {
    clientAddressDays: 'Days until an IP address is deleted (0: never)',
    auditLogDays: 'Days until an entry of the audit log is deleted (0: never)',
    peopleToErase: 'How many people must agree to erase someone in the console',
    closedLeadMonths: 'Months without a change until closed leads are erased (0: never)',
    enrolledLeadMonths: 'The same for students who enrolled and active sites (0: never)',
    eraseNoticeDays: 'How many days before that the manager gets a list',
  },
  reports: { weekly: 'Weekly report by email', to: 'Recipient of the weekly report' },
  mail: {
    notificationsAtOnce: 'Notifications in ten minutes before they are gathered',
    trustedServer: 'Mail server whose checks of senders count',
    dkim: { domain: 'DKIM domain', selector: 'DKIM selector', privateKeyFile: 'File with the DKIM key' },
  },
  content: 'Folder',
}

/** The words for each environment variable. */
export const variableNames: Record<keyof typeof variables, string> = {
  BASE_URL: 'URL of the site host',
  LEARN_URL: 'URL of the learn host',
  CONSOLE_URL: 'URL of the console',
  HOST: 'Address that Frontdesk listens on',
  SITE_PORT: 'Port of the site host',
  LEARN_PORT: 'Port of the learn host',
  CONSOLE_PORT: 'Port of the console',
  TRUSTED_PROXIES: 'Your reverse proxies',
  UNLIMITED_NETWORKS: 'Networks without rate limits',
  DATA_DIR: 'Folder of the data',
  DATABASE_URL: 'Database',
  SMTP_URL: 'Mail server that sends',
  IMAP_URL: 'Watched mailbox',
  ACCOUNTS_TOKEN: 'Token for the learning site',
  MAIL_FROM: 'Sender of every message',
  PARTNERSHIPS_EMAIL: 'Team for employers and partners',
  ADMISSIONS_EMAIL: 'Team for students',
  SECRET_KEY: 'Secret that signs links',
  NODE_EXTRA_CA_CERTS: 'Further certificate authorities',
  FRONTDESK_CONFIG: 'Settings file',
  LOG_LEVEL: 'Level of the log',
}
