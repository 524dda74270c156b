/** The shape of the settings: every possible entry, and its limits. */
import { holidayProblem, hoursProblem } from '../follow-up/school-hours.ts'
import { rankedFields } from '../leads/body/body-schemas.ts'
import { type EmailAddress, parseEmail } from '../leads/body/email.ts'
import { signalNames } from '../leads/body/screening.ts'
import type { FormerMember } from '../leads/lead/staff.ts'
import { formSettings } from './form-settings.ts'
import { language, localized } from './localized.ts'
import {
  checked,
  each,
  either,
  integer,
  lines,
  listOf,
  object,
  oneOf,
  optional,
  recordOf,
  type Shape,
  type Shaped,
  text,
} from './shape.ts'

const answers = object({
  allowed: optional(listOf(text(120, { like: /^[0-9] - \S/, wanted: 'an answer such as "2 - Comparing schools"' }))),
  hotter: optional(oneOf('low', 'high')),
  labels: optional(
    recordOf(
      listOf(text(120, { like: /^(?![0-9] - )/, wanted: 'the label without its digit, such as "Comparing schools"' })),
    ),
  ),
})

const openingHours = checked(hoursProblem)
const stateCode = { like: /^[A-Z]{2,3}$/, wanted: 'a code of 2 or 3 capital letters' }
const stateOf = text(3, stateCode)
const nameLike = { like: /^[a-z0-9][a-z0-9-]{0,39}$/, wanted: 'a short name such as maria-lopez' }
const day = checked(value =>
  value.length === 10 && holidayProblem(value) === undefined ? undefined : 'a date such as 2026-12-24',
)
const email: Shape<EmailAddress> = (value, path, problems) => {
  const address = typeof value === 'string' ? parseEmail(value) : undefined
  if (address === undefined) problems.push(`${path} must be one email address`)
  return address as EmailAddress
}
const time = text(5, { like: /^([01]\d|2[0-3]):[0-5]\d$/, wanted: 'a time such as 20:00' })

const hexColor: Shape<`#${string}`> = (value, path, problems) => {
  if (!/^#[0-9a-f]{6}$/i.test(String(value))) problems.push(`${path} must be a color such as #0a6070`)
  return value as `#${string}`
}
const logoLike = {
  like: /^(https:\/\/[^\s"'()<>]+|(?!\w+:)[^"'<>]+\.(svg|png|jpe?g|gif|webp))$/i,
  wanted: 'an https:// URL or the path of an SVG, PNG, JPEG, GIF or WebP file',
}

const messageFile = { like: /^(?!.*\.\.)[\w./-]+\.md$/, wanted: 'a file such as letters/day-1.md' }

const when = { name: text(40, nameLike), after: text(20), clock: oneOf('school', 'student') }
const step = either(
  object({ ...when, to: oneOf('counselor', 'backup', 'manager', 'team', 'student'), message: text(200, messageFile) }),
  'close',
  object({ ...when, close: oneOf('no reply') }),
)

export const admissionsShape = object({
  counselors: listOf(
    object({
      id: text(40, nameLike),
      name: text(80),
      email,
      weight: optional(integer(0, 100)),
      states: optional(listOf(stateOf)),
      languages: optional(listOf(language)),
      backup: optional(text(40)),
      absent: optional(listOf(object({ from: day, to: day }))),
    }),
    { least: 0 },
  ),
  manager: optional(object({ name: text(80), email })),
})

const cadences = { student: listOf(step, { least: 0 }), site: listOf(step, { least: 0 }) }
export const cadencesShape = object(cadences)

export const settingsShape = object({
  school: object({
    name: text(120),
    phone: optional(text(40, { like: /(?:\d\D*){3}/, wanted: 'a phone number' })),
    website: optional(
      text(200, {
        like: /^(https?:\/\/)?[\w-]+(\.[\w-]+)+(:\d+)?(\/[^\s()<>]*)?$/i,
        wanted: 'a URL such as https://www.example.edu',
      }),
    ),
    postalAddress: optional(lines(300)),
    brand: object({ color: hexColor, logo: optional(text(500, logoLike)), logoDark: optional(text(500, logoLike)) }),
    timeZone: text(60),
    country: text(2, { like: /^[A-Z]{2}$/, wanted: 'a country code such as US' }),
    hours: object({
      monday: openingHours,
      tuesday: openingHours,
      wednesday: openingHours,
      thursday: openingHours,
      friday: openingHours,
      saturday: openingHours,
      sunday: openingHours,
    }),
    holidays: listOf(checked(holidayProblem), { least: 0 }),
  }),
  languages: listOf(language),
  admissions: admissionsShape,
  followUp: object({
    ...cadences,
    quietHours: object({ from: time, to: time }),
    zones: recordOf(listOf(text(60)), stateCode),
  }),
  accounts: object({
    directory: oneOf('none', 'table', 'http'),
    url: optional(
      text(500, { like: /^https?:\/\/\S+$/, wanted: 'a URL such as https://learn.example.edu/account-exists' }),
    ),
    feedback: oneOf('reveal', 'conceal'),
  }),
  contacts: object({
    developers: optional(email),
    privacy: optional(
      text(200, { like: /^https?:\/\/[^\s()<>]+$/, wanted: 'a URL such as https://www.example.edu/privacy' }),
    ),
    security: optional(
      text(200, { like: /^(?:mailto:|https:\/\/|tel:)\S+$/, wanted: 'a URL such as mailto:security@example.edu' }),
    ),
  }),
  programs: listOf(
    object({
      name: localized(text(120)),
      cost: optional(localized(text(120))),
      starts: optional(localized(text(120))),
      hours: optional(localized(text(120))),
    }),
    { least: 0 },
  ),
  pricing: object({
    asOf: day,
    charges: listOf(object({ what: text(120), price: text(120), note: optional(text(200)) }), { least: 0 }),
  }),
  content: optional(text(500)),
  siteInterest: object({ honeypot: oneOf('reject', 'accept') }),
  studentInterest: object({ states: recordOf(stateOf), answers: object(each(rankedFields, optional(answers))) }),
  forms: formSettings,
  screening: object({ threshold: integer(1, 100), weights: object(each(signalNames, integer(0, 10))) }),
  privacy: object({
    clientAddressDays: integer(0, 3650),
    auditLogDays: integer(0, 3650),
    peopleToErase: integer(1, 2),
    closedLeadMonths: integer(0, 240),
    enrolledLeadMonths: integer(0, 240),
    eraseNoticeDays: integer(1, 60),
  }),
  quarantine: object({ days: integer(1, 365), capacity: integer(1, 100_000), digestHour: integer(0, 23) }),
  reports: object({ weekly: oneOf('on', 'off'), to: optional(email) }),
  mail: object({
    notificationsAtOnce: integer(1, 1_000_000),
    trustedServer: optional(text(253, { like: /^[a-z0-9][a-z0-9.-]*$/i, wanted: 'a name such as mx.example.edu' })),
    dkim: optional(object({ domain: text(253), selector: text(63), privateKeyFile: text(500) })),
  }),
})

/**
 * The settings in force are one object. What is edited in the console (`edited-settings.ts`) changes
 * `admissions` and `followUp` in place while the service runs. So code keeps this object or these two, never
 * what is in them, and works out what follows from them when it is needed.
 */
export type Settings = WrittenSettings & {
  /** `former` is not written: it comes from the versions of the team. */
  admissions: { former?: readonly FormerMember[] }
}
/** What a settings file may say. */
export type WrittenSettings = Shaped<typeof settingsShape>
