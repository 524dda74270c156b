/**
 * Notes about settings that are valid, but may not be what the operator meant, or may not be suitable for production.
 */
import { cadenceWarnings } from '../follow-up/cadence-warnings.ts'
import { asciiDomain, emailKey } from '../leads/body/email.ts'
import { kinds } from '../leads/body/submission.ts'
import { programNames } from '../leads/lead/programs.ts'
import { defaultSettings } from './all-settings.ts'
import type { Config } from './config.ts'
import { formNotes } from './form-notes.ts'
import { campusNames } from './school-forms.ts'

/** One sentence for each pair of settings that seem to contradict each other. */
export const configurationNotes = (config: Config): string[] => [
  ...dkimNotes(config),
  ...mailboxNotes(config),
  ...counselorNotes(config),
  ...formNotes(config.settings),
  ...cadenceNotes(config.settings),
  ...retentionNotes(config.settings),
]

/** Receivers count a signature only for a sender of the same organization (DMARC, RFC 7489 section 3.1). */
function dkimNotes({ mailFrom, settings: { mail } }: Config): string[] {
  if (mail.dkim === undefined) return []
  const [signing, sender] = [mail.dkim.domain.toLowerCase(), asciiDomain(mailFrom)]
  const related = [signing, sender].some(domain =>
    [signing, sender].every(other => other === domain || other.endsWith(`.${domain}`)),
  )
  if (related) return []
  return [
    `mail.dkim.domain is ${signing}, but MAIL_FROM is at ${sender}: receivers do not count the signature for that sender. Use one domain for both.`,
  ]
}

/** Without a trusted server, forged messages look like genuine ones, except for replies to our own emails. */
function mailboxNotes({ imapUrl, settings: { mail } }: Config): string[] {
  if (imapUrl === undefined || mail.trustedServer !== undefined) return []
  return [
    'IMAP_URL is set, but mail.trustedServer is not: a new email from a student, or a copy from a counselor, does not count as theirs. Set it to the name that your mail server puts first in Authentication-Results.',
  ]
}

/** No one should be surprised by what is erased automatically. */
function retentionNotes({ privacy }: Config['settings']): string[] {
  const { closedLeadMonths, enrolledLeadMonths, eraseNoticeDays } = privacy
  const rules = [
    { months: closedLeadMonths, what: 'closed leads', name: 'closedLeadMonths' },
    { months: enrolledLeadMonths, what: 'enrolled students and active sites', name: 'enrolledLeadMonths' },
  ]
  return rules
    .filter(({ months }) => months > 0)
    .map(
      ({ months, what, name }) =>
        `privacy.${name} is ${months}: ${what} without any change for ${months === 1 ? 'a month' : `${months} months`} are erased for good on the first day of a month, ${eraseNoticeDays === 1 ? 'a day' : `${eraseNoticeDays} days`} after the manager got a list of them.`,
    )
}

function cadenceNotes({ followUp }: Config['settings']): string[] {
  return kinds.flatMap(kind =>
    cadenceWarnings(kind, followUp[kind], followUp.quietHours).map(warning => `followUp.${kind}: ${warning}`),
  )
}

function counselorNotes({ settings }: Config): string[] {
  const { admissions } = settings
  const byAddress = Map.groupBy(admissions.counselors, ({ email }) => emailKey(email))
  const known = programNames(settings)
  const campuses = campusNames(settings)
  const unknown = admissions.counselors.flatMap(counselor => [
    ...(counselor.programs ?? [])
      .filter(name => !known.includes(name))
      .map(name => `admissions.counselors: ${counselor.id} has the program "${name}", which programs does not list.`),
    ...(counselor.campuses ?? [])
      .filter(name => !campuses.includes(name))
      .map(name => `admissions.counselors: ${counselor.id} has the campus "${name}", which no form asks about.`),
  ])
  const shared = [...byAddress.values()].flatMap(([first, ...others]) =>
    others.map(
      ({ id }) => `admissions.counselors: ${first?.id} and ${id} have the same email address, ${first?.email}.`,
    ),
  )
  return [...unknown, ...shared]
}

/** The note that applies while `smtpUrl` is not set. */
export const MAIL_TO_FILES = 'SMTP_URL is not set: emails are written to files, and no one receives them.'

/** The domain in the examples of our files and of `frontdesk init`. No school can have it. */
export const EXAMPLE_DOMAIN = 'example.edu'

/** The variables that are still as in the examples. */
function atExampleDomain(config: Config): string[] {
  const domains = {
    BASE_URL: new URL(config.baseUrl).hostname,
    LEARN_URL: new URL(config.learnUrl).hostname,
    CONSOLE_URL: new URL(config.consoleUrl).hostname,
    MAIL_FROM: asciiDomain(config.mailFrom),
    PARTNERSHIPS_EMAIL: asciiDomain(config.partnershipsEmail),
    ADMISSIONS_EMAIL: asciiDomain(config.admissionsEmail),
  }
  return Object.entries(domains).flatMap(([name, domain]) =>
    domain === EXAMPLE_DOMAIN || domain.endsWith(`.${EXAMPLE_DOMAIN}`) ? [name] : [],
  )
}

/** One sentence for each setting that production needs and that still has its default or example value. */
export function adviceOn(config: Config): string[] {
  const onDefault = new Set(config.onDefault)
  const { school, pricing } = config.settings
  const examples = atExampleDomain(config)
  const advice: [boolean, string][] = [
    [config.smtpUrl === undefined, MAIL_TO_FILES],
    [examples.length > 0, `${examples.join(', ')}: still at ${EXAMPLE_DOMAIN}, which is not your school.`],
    [onDefault.has('BASE_URL') || onDefault.has('LEARN_URL'), 'BASE_URL or LEARN_URL still points to localhost.'],
    [
      onDefault.has('CONSOLE_URL'),
      'CONSOLE_URL still points to localhost: the buttons in staff emails work only on this machine.',
    ],
    [onDefault.has('MAIL_FROM'), 'MAIL_FROM is still an address at localhost.'],
    [onDefault.has('PARTNERSHIPS_EMAIL'), 'PARTNERSHIPS_EMAIL is still an address at localhost.'],
    [onDefault.has('ADMISSIONS_EMAIL'), 'ADMISSIONS_EMAIL is still an address at localhost.'],
    [
      config.trustedProxies.length === 0,
      'TRUSTED_PROXIES is empty: behind a proxy, no one is rate-limited, because requests from private addresses never are.',
    ],
    [school.name === 'Example Vocational School', 'school.name is still the example.'],
    [
      pricing.asOf === defaultSettings.pricing.asOf,
      'pricing.asOf is still the date of the example: /pricing says that its prices were correct on that day.',
    ],
    [
      school.postalAddress === undefined,
      'school.postalAddress is not set: by law, follow-up emails to students need it, so none are sent.',
    ],
    [
      config.imapUrl === undefined,
      'IMAP_URL is not set: replies go to the counselor, and follow-up emails continue until they mark the lead as reached.',
    ],
  ]
  return advice.filter(([applies]) => applies).map(([, sentence]) => sentence)
}
