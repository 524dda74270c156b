/**
 * Every setting, once: what it must be, its default, and what the console says about it. The types, the check, the
 * defaults and the page of the settings derive from this tree; `frontdesk.config.ts` lists it for people.
 */
import { roles } from '../leads/lead/roles.ts'
import type { Access, FormerMember } from '../leads/lead/staff.ts'
import { isImageName } from '../platform/image-file.ts'
import { followUpSettings } from './follow-up-settings.ts'
import { formSettings } from './form-settings.ts'
import { screeningSettings, siteInquirySettings, studentInquirySettings } from './inquiry-settings.ts'
import { latenessSettings } from './lateness-settings.ts'
import { language } from './localized.ts'
import type { SchoolForm } from './school-form.ts'
import { schoolSettings } from './school-settings.ts'
import { defaultsOf, linesOf, noDefault, OptionalGroup, required, setting, shapeOf, type Values } from './setting.ts'
import { charge, counselor, day, email, program } from './setting-shapes.ts'
import { under } from './setting-topics.ts'
import { integer, lines, listOf, object, oneOf, recordOf, type Shape, text } from './shape.ts'

const school = under('school')
const leads = under('leads')
const emails = under('emails')
const spam = under('spam')
const accounts = under('accounts')
const keeping = under('keeping')

const allSettings = {
  school: schoolSettings,
  languages: setting(
    listOf(language),
    ['en', 'es'],
    school(
      'Languages',
      'The languages in which you write to people. The first is for everyone who chose none of them.',
    ),
  ),
  admissions: {
    counselors: setting(
      listOf(counselor, { least: 0 }),
      [],
      leads('Counselors', 'New students go to them in turn. Without any, the team for students gets them.'),
    ),
    manager: new OptionalGroup(
      leads('Manager', 'Gets an email when no one has reached a student in time. Without a manager, the team does.'),
      { name: required(text(80), 'Name'), email: required(email, 'Email') },
    ),
  },
  followUp: followUpSettings,
  accounts: {
    directory: setting(
      oneOf('none', 'table', 'http'),
      'none',
      accounts(
        'Student accounts',
        'How we find out whether a student has an account already. none: not at all; table: in a list that you import; http: we ask the learning site.',
      ),
    ),
    url: noDefault(
      text(500, { like: /^https?:\/\/\S+$/, wanted: 'a URL such as https://learn.example.edu/account-exists' }),
      accounts(
        'Where we ask the learning site',
        'The page of the learning site that says whether there is an account.',
      ),
    ),
    feedback: setting(
      oneOf('reveal', 'conceal'),
      'reveal',
      accounts(
        'Students with an account',
        'reveal: the form tells them to sign in. conceal: it says nothing about accounts, and they get an email.',
      ),
    ),
  },
  contacts: {
    developers: noDefault(
      email,
      school('Contact for developers', 'The public documents show it to people who send inquiries by a program.'),
    ),
    privacy: noDefault(
      text(200, { like: /^https?:\/\/[^\s()<>]+$/, wanted: 'a URL such as https://www.example.edu/privacy' }),
      school('Privacy policy', 'The public pages and the consent link to it.'),
    ),
    security: noDefault(
      text(200, { like: /^(?:mailto:|https:\/\/|tel:)\S+$/, wanted: 'a URL such as mailto:security@example.edu' }),
      school('Contact for security', 'Where people report a vulnerability.'),
    ),
  },
  programs: setting(
    listOf(program, { least: 0 }),
    [],
    school('Programs', 'Follow-up emails, saved replies and the public pages show what they cost and when they start.'),
  ),
  pricing: {
    asOf: setting(
      day,
      '2026-11-21',
      school('Prices last checked', 'The public page of prices says that they were correct on this day.'),
    ),
    charges: setting(
      listOf(charge, { least: 0 }),
      [],
      school('Prices', 'What the school charges, for the public page. Sending an inquiry is always free.'),
    ),
  },
  content: noDefault(
    text(500),
    emails('Folder of your own texts', 'Its files replace our emails and public pages of the same name.'),
  ),
  siteInterest: siteInquirySettings,
  studentInterest: studentInquirySettings,
  forms: formSettings,
  screening: screeningSettings,
  privacy: {
    clientAddressDays: setting(
      integer(0, 3650),
      90,
      keeping('Days we keep IP addresses', 'Then we delete the address that an inquiry came from. 0: never.'),
    ),
    auditLogDays: setting(
      integer(0, 3650),
      730,
      keeping('Days we keep the audit log', 'Then we delete the entry of who did or saw what. 0: never.'),
    ),
    peopleToErase: setting(
      integer(1, 2),
      1,
      keeping('People who must agree to erase', '2: another manager or admin must confirm within a week.'),
    ),
    closedLeadMonths: setting(
      integer(0, 240),
      0,
      keeping('Months we keep closed leads', 'After this long without a change, they are erased for good. 0: never.'),
    ),
    enrolledLeadMonths: setting(
      integer(0, 240),
      0,
      keeping(
        'Months we keep enrolled students',
        'The same for students who enrolled, and for active sites. 0: never.',
      ),
    ),
    eraseNoticeDays: setting(
      integer(1, 60),
      7,
      keeping('Days of notice', 'This long before, the manager gets a list of the leads, and can keep them longer.'),
    ),
  },
  security: {
    secondFactorFor: setting(
      listOf(oneOf(...roles), { least: 0 }),
      [],
      accounts(
        'Roles that need a second factor',
        'They must have a passkey or an authenticator app. Each person gets a week for it; then every page leads to their account.',
      ),
    ),
    httpsForSubdomains: setting(
      oneOf('on', 'off'),
      'off',
      under('server')(
        'https for all subdomains',
        'on: browsers that know one of our URLs use https for its subdomains, too.',
      ),
    ),
  },
  lateness: latenessSettings,
  attachments: {
    gigabytes: setting(
      integer(0, 10_000),
      10,
      emails('Room for attachments, in gigabytes', 'What exceeds it stays in the mailbox only. 0: none are stored.'),
    ),
    scanCommand: setting(
      listOf(text(500), { least: 0 }),
      [],
      emails('Virus scanner', 'A program that checks every attachment before anyone can download or send it.'),
    ),
  },
  quarantine: {
    days: setting(
      integer(1, 365),
      30,
      spam('Days in quarantine', 'After this many days, an inquiry that no one has reviewed is dismissed.'),
    ),
    capacity: setting(
      integer(1, 100_000),
      1000,
      spam('Rejected inquiries that we keep', 'Beyond this number, the oldest from the busiest networks are deleted.'),
    ),
    digestHour: setting(
      integer(0, 23),
      8,
      emails(
        'Hour of daily emails',
        'When the daily summaries go to the staff, from 0 to 23, in the time of the school.',
      ),
    ),
  },
  reports: {
    weekly: setting(
      oneOf('on', 'off'),
      'on',
      emails('Weekly report', 'On Monday morning, the manager gets the figures of the last week by email.'),
    ),
    to: noDefault(email, emails('Recipient of the weekly report', 'Someone else who gets it instead of the manager.')),
  },
  mail: {
    notificationsAtOnce: setting(
      integer(1, 1_000_000),
      100,
      emails(
        'Notifications in ten minutes',
        'Beyond this number, inquiries are announced together, so that no flood fills your mailboxes.',
      ),
    ),
    trustedServer: noDefault(
      text(253, { like: /^[a-z0-9][a-z0-9.-]*$/i, wanted: 'a name such as mx.example.edu' }),
      emails('Mail server that we trust', 'We believe what it says about whether an email comes from its sender.'),
    ),
    dkim: new OptionalGroup(
      emails('Signature of emails', 'With it, mail servers can tell that our emails are from your school (DKIM).'),
      {
        domain: required(text(253), 'Domain'),
        selector: required(text(63), 'Selector'),
        privateKeyFile: required(text(500), 'File with the key'),
      },
    ),
  },
}

export const settingsShape = shapeOf(allSettings)
export const answersShape = shapeOf(studentInquirySettings.answers)
export const admissionsShape = shapeOf(allSettings.admissions)
export const schoolHoursShape = shapeOf({ hours: schoolSettings.hours, holidays: schoolSettings.holidays })
export const programsShape = shapeOf({ programs: allSettings.programs })
/** Only the console can set this: a logo that was uploaded. */
const uploadedLogo = noDefault(
  text(60, { like: { test: isImageName }, wanted: 'a file that was uploaded' }),
  school('Uploaded logo', ''),
)
export const brandShape = shapeOf({
  name: schoolSettings.name,
  phone: schoolSettings.phone,
  website: schoolSettings.website,
  postalAddress: schoolSettings.postalAddress,
  brand: { ...schoolSettings.brand, logoFile: uploadedLogo, logoDarkFile: uploadedLogo },
})
export const consentsShape = shapeOf({ student: formSettings.student.consent, site: formSettings.site.consent })
/** The longest text of an email or a saved reply that is edited in the console, including its head, in characters. */
export const LONGEST_TEXT_FILE = 20_000
export const textsShape: Shape<Texts> = recordOf(
  recordOf(object({ text: lines(LONGEST_TEXT_FILE), at: integer(0, Number.MAX_SAFE_INTEGER) })),
  { like: /^(letters|notifications|replies)\/[a-z0-9][a-z0-9-]{0,60}\.md$/, wanted: 'a file such as letters/day-1.md' },
)
export const cadencesShape = shapeOf({ student: followUpSettings.student, site: followUpSettings.site })
export const defaultSettings: Settings = defaultsOf(allSettings)

/** What the console says about the settings, one line for each setting or group. */
export const settingLines = linesOf(allSettings)

/**
 * The settings in force are one object. What is edited in the console (`edited-parts.ts`) changes it in place while the
 * service runs. So code may keep this object, or a part such as `admissions` or `school`, but never the values in it;
 * it computes derived values when they are needed (`following` in `platform/lazy.ts`).
 */
export type Settings = WrittenSettings & {
  /**
   * Entries that are not written in the settings file: `former` comes from the versions of the team, `access` from
   * the operators, the files of the brand from its version.
   */
  school: { brand: { logoFile?: string; logoDarkFile?: string } }
  /** The logos in force that were uploaded in the console, by name. */
  uploadedLogos?: Readonly<Record<string, Uint8Array>>
  admissions: { former?: readonly FormerMember[]; access?: Readonly<Record<string, Access>> }
  /** The texts that were edited in the console: they replace files of the content folders. */
  texts?: Texts
  /** The forms that were edited in the console (`school-form.ts`). */
  schoolForms?: readonly SchoolForm[]
}
/**
 * Texts by the name of the English file, such as `letters/day-1.md`, then by language: the text, and when it was last
 * changed, in Unix milliseconds.
 */
export type Texts = Readonly<Record<string, Readonly<Record<string, { text: string; at: number }>>>>

/** The settings that a settings file may contain. */
export type WrittenSettings = Values<typeof allSettings>
