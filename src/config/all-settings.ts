/**
 * Every setting, once: what it must be, its default, and the name by which the console shows it. The types, the check,
 * the defaults and the names derive from this tree; `frontdesk.config.ts` lists it for people.
 */
import type { Recipient } from '../follow-up/cadence.ts'
import type { RankedField } from '../leads/body/body-schemas.ts'
import { type Signal, signals } from '../leads/body/screening.ts'
import type { FormerMember } from '../leads/lead/staff.ts'
import { formSettings } from './form-settings.ts'
import { language } from './localized.ts'
import {
  defaultsOf,
  noDefault,
  OptionalGroup,
  required,
  setting,
  shapeOf,
  type Values,
  type Words,
  wordsOf,
} from './setting.ts'
import {
  answerLabels,
  answers,
  charge,
  counselor,
  day,
  email,
  hexColor,
  holiday,
  logoLike,
  openingHours,
  program,
  stateCode,
  stateOf,
  step,
  time,
} from './setting-shapes.ts'
import { integer, lines, listOf, object, oneOf, recordOf, type Shape, text } from './shape.ts'

const workday = (name: string) => setting(openingHours, '09:00-17:00', name)
const dayOff = (name: string) => setting(openingHours, 'closed', name)

const question = (label: string) =>
  new OptionalGroup({
    allowed: noDefault(answers, `${label}: answers we accept`),
    hotter: noDefault(oneOf('low', 'high'), `${label}: the end of the scale that means a warmer lead`),
    labels: noDefault(answerLabels, `${label}: answers in other languages`),
  })

const weight = (signal: Signal, name: string) => setting(integer(0, 10), signals[signal].weight, name)

const allSettings = {
  school: {
    name: setting(text(120), 'Example Vocational School', 'Name'),
    phone: noDefault(text(40, { like: /(?:\d\D*){3}/, wanted: 'a phone number' }), 'Phone'),
    website: noDefault(
      text(200, {
        like: /^(https?:\/\/)?[\w-]+(\.[\w-]+)+(:\d+)?(\/[^\s()<>]*)?$/i,
        wanted: 'a URL such as https://www.example.edu',
      }),
      'Website',
    ),
    postalAddress: noDefault(lines(300), 'Postal address'),
    brand: {
      color: setting(hexColor, '#0a6070', 'Color'),
      logo: noDefault(text(500, logoLike), 'Logo'),
      logoDark: noDefault(text(500, logoLike), 'Logo on dark screens'),
    },
    timeZone: setting(text(60), 'America/New_York', 'Time zone'),
    country: setting(
      text(2, { like: /^[A-Z]{2}$/, wanted: 'a country code such as US' }),
      'US',
      'Country of phone numbers without a code',
    ),
    hours: {
      monday: workday('Monday'),
      tuesday: workday('Tuesday'),
      wednesday: workday('Wednesday'),
      thursday: workday('Thursday'),
      friday: workday('Friday'),
      saturday: dayOff('Saturday'),
      sunday: dayOff('Sunday'),
    },
    holidays: setting(listOf(holiday, { least: 0 }), [], 'Holidays'),
  },
  languages: setting(listOf(language), ['en', 'es'], 'Languages in which you write to people'),
  admissions: {
    counselors: setting(listOf(counselor, { least: 0 }), [], 'Counselors'),
    manager: new OptionalGroup({ name: required(text(80), 'Manager'), email: required(email, 'Email of the manager') }),
  },
  followUp: {
    student: setting(
      listOf(step, { least: 0 }),
      [
        remind('remind-counselor', '5 minutes', 'counselor', 'notifications/reminder.md'),
        remind('remind-backup', '15 minutes', 'backup', 'notifications/backup.md'),
        remind('tell-manager', '60 minutes', 'manager', 'notifications/escalation.md'),
        write('day-1', '1 day', 'letters/day-1.md'),
        write('day-3', '3 days', 'letters/day-3.md'),
        write('day-7', '7 days', 'letters/day-7.md'),
        { name: 'no-reply', after: '14 days', clock: 'student', close: 'no reply' },
      ],
      'Steps for students',
    ),
    site: setting(
      listOf(step, { least: 0 }),
      [
        remind('remind-team', '1 day', 'team', 'notifications/site-reminder.md'),
        remind('remind-team-again', '3 days', 'team', 'notifications/site-reminder.md'),
      ],
      'Steps for employers and partners',
    ),
    quietHours: {
      from: setting(time, '20:00', 'Night, when no student gets email: from'),
      to: setting(time, '09:00', 'Night, when no student gets email: to'),
    },
    zones: setting(recordOf(listOf(text(60)), stateCode), {}, 'Time zones of states outside the United States'),
  },
  accounts: {
    directory: setting(oneOf('none', 'table', 'http'), 'none', 'Where we look for accounts'),
    url: noDefault(
      text(500, { like: /^https?:\/\/\S+$/, wanted: 'a URL such as https://learn.example.edu/account-exists' }),
      'URL of the learning site',
    ),
    feedback: setting(oneOf('reveal', 'conceal'), 'reveal', 'Whether people learn that they have an account'),
  },
  contacts: {
    developers: noDefault(email, 'For developers'),
    privacy: noDefault(
      text(200, { like: /^https?:\/\/[^\s()<>]+$/, wanted: 'a URL such as https://www.example.edu/privacy' }),
      'Privacy policy',
    ),
    security: noDefault(
      text(200, { like: /^(?:mailto:|https:\/\/|tel:)\S+$/, wanted: 'a URL such as mailto:security@example.edu' }),
      'For reports of vulnerabilities',
    ),
  },
  programs: setting(listOf(program, { least: 0 }), [], 'Programs'),
  pricing: {
    asOf: setting(day, '2026-11-21', 'Last checked on'),
    charges: setting(listOf(charge, { least: 0 }), [], 'Charges'),
  },
  content: noDefault(text(500), 'Folder'),
  siteInterest: { honeypot: setting(oneOf('reject', 'accept'), 'reject', 'When the hidden field is filled in') },
  studentInterest: {
    states: setting(recordOf(stateOf), {}, 'States outside the United States'),
    answers: {
      timeline: question('Start'),
      interestLevel: question('Interest'),
      experience: question('Experience'),
      source: question('Source'),
    } satisfies Record<RankedField, unknown>,
  },
  forms: formSettings,
  screening: {
    threshold: setting(integer(1, 100), 3, 'Sum at which an inquiry is quarantined'),
    weights: {
      tooFast: weight('tooFast', 'Sent within 3 seconds'),
      tooOld: weight('tooOld', 'Started more than a day before'),
      ahead: weight('ahead', 'Clock of the sender is ahead'),
      links: weight('links', 'Three or more links'),
      disposable: weight('disposable', 'Disposable email address'),
      sharedText: weight('sharedText', 'Same message from three or more addresses'),
    } satisfies Record<Signal, unknown>,
  },
  privacy: {
    clientAddressDays: setting(integer(0, 3650), 90, 'Days until an IP address is deleted (0: never)'),
    auditLogDays: setting(integer(0, 3650), 730, 'Days until an entry of the audit log is deleted (0: never)'),
    peopleToErase: setting(integer(1, 2), 1, 'How many people must agree to erase someone in the console'),
    closedLeadMonths: setting(integer(0, 240), 0, 'Months without a change until closed leads are erased (0: never)'),
    enrolledLeadMonths: setting(integer(0, 240), 0, 'The same for students who enrolled and active sites (0: never)'),
    eraseNoticeDays: setting(integer(1, 60), 7, 'How many days before that the manager gets a list'),
  },
  attachments: {
    gigabytes: setting(integer(0, 10_000), 10, 'Room for attachments, in gigabytes (0: none are stored)'),
    scanCommand: setting(listOf(text(500), { least: 0 }), [], 'Command that scans attachments for viruses'),
  },
  quarantine: {
    days: setting(integer(1, 365), 30, 'Days until what no one reviewed is dismissed'),
    capacity: setting(integer(1, 100_000), 1000, 'Most rejected submissions that we keep'),
    digestHour: setting(integer(0, 23), 8, 'Hour of the daily digests'),
  },
  reports: {
    weekly: setting(oneOf('on', 'off'), 'on', 'Weekly report by email'),
    to: noDefault(email, 'Recipient of the weekly report'),
  },
  mail: {
    notificationsAtOnce: setting(integer(1, 1_000_000), 100, 'Notifications in ten minutes before they are gathered'),
    trustedServer: noDefault(
      text(253, { like: /^[a-z0-9][a-z0-9.-]*$/i, wanted: 'a name such as mx.example.edu' }),
      'Mail server whose checks of senders count',
    ),
    dkim: new OptionalGroup({
      domain: required(text(253), 'DKIM domain'),
      selector: required(text(63), 'DKIM selector'),
      privateKeyFile: required(text(500), 'File with the DKIM key'),
    }),
  },
}

function remind(name: string, after: string, to: Exclude<Recipient, 'student'>, message: string) {
  return { name, after, clock: 'school', to, message } as const
}

function write(name: string, after: string, message: string) {
  return { name, after, clock: 'student', to: 'student', message } as const
}

export const settingsShape = shapeOf(allSettings)
export const admissionsShape = shapeOf(allSettings.admissions)
export const schoolHoursShape = shapeOf({ hours: allSettings.school.hours, holidays: allSettings.school.holidays })
export const programsShape = shapeOf({ programs: allSettings.programs })
export const brandShape = shapeOf({
  name: allSettings.school.name,
  phone: allSettings.school.phone,
  website: allSettings.school.website,
  postalAddress: allSettings.school.postalAddress,
  brand: allSettings.school.brand,
})
export const consentsShape = shapeOf({ student: formSettings.student.consent, site: formSettings.site.consent })
/** The longest text of an email or a saved reply that is edited in the console, with its head, in characters. */
export const LONGEST_TEXT_FILE = 20_000
export const textsShape: Shape<Texts> = recordOf(
  recordOf(object({ text: lines(LONGEST_TEXT_FILE), at: integer(0, Number.MAX_SAFE_INTEGER) })),
  { like: /^(letters|notifications|replies)\/[a-z0-9][a-z0-9-]{0,60}\.md$/, wanted: 'a file such as letters/day-1.md' },
)
export const cadencesShape = shapeOf({ student: allSettings.followUp.student, site: allSettings.followUp.site })
export const defaultSettings: Settings = defaultsOf(allSettings)

/** The name of each setting, or of those of a group. */
export const settingNames: Record<keyof WrittenSettings, Words> = Object.fromEntries(
  Object.entries(allSettings).map(([name, node]) => [name, wordsOf(node)]),
) as Record<keyof WrittenSettings, Words>

/**
 * The settings in force are one object. What is edited in the console (`edited-parts.ts`) changes it in place while
 * the service runs. So code keeps this object, or a part such as `admissions` or `school`, never what is in them, and
 * works out what follows from them when it is needed (`following` in `platform/lazy.ts`).
 */
export type Settings = WrittenSettings & {
  /**
   * What no one writes: `former` comes from the versions of the team. `lockedOut` are the ids of the people on the team,
   * or `manager`, whose sign-in was disabled: they get no leads and no emails.
   */
  admissions: { former?: readonly FormerMember[]; lockedOut?: readonly string[] }
  /** The texts that were edited in the console: they take the place of files of the content folders. */
  texts?: Texts
}
/**
 * Texts by the name of their file in English, such as `letters/day-1.md`, then by language: what the file would say, and
 * when it was last changed, in Unix milliseconds.
 */
export type Texts = Readonly<Record<string, Readonly<Record<string, { text: string; at: number }>>>>

/** What a settings file may say. */
export type WrittenSettings = Values<typeof allSettings>
