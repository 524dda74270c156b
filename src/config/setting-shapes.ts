/** The shapes of single settings. */
import { type Holiday, holidayProblem } from '../follow-up/holidays.ts'
import { hoursProblem } from '../follow-up/school-hours.ts'
import { type EmailAddress, parseEmail } from '../leads/body/email.ts'
import { hasPlainHost, isUrl } from '../platform/is-url.ts'
import { language, localized } from './localized.ts'
import { LONGEST_LABEL } from './school-form.ts'
import { checked, either, integer, listOf, object, oneOf, optional, recordOf, type Shape, text } from './shape.ts'

export const openingHours = checked(hoursProblem)
export const stateCode = { like: /^[A-Z]{2,3}$/, wanted: 'a code of 2 or 3 capital letters' }
export const stateOf = text(3, stateCode)
/** The ids of counselors, and the names of steps. */
export const nameLike = { like: /^[a-z0-9][a-z0-9-]{0,39}$/, wanted: 'a short name such as maria-lopez' }
export const day = checked(value =>
  value.length === 10 && holidayProblem(value) === undefined ? undefined : 'a date such as 2026-12-24',
)
const holidayDate = checked(holidayProblem)

/** A date, or an object that names one day or the days from `date` to `until`. */
export const holiday: Shape<Holiday> = (value, path, problems) =>
  typeof value === 'string'
    ? holidayDate(value, path, problems)
    : object({ date: holidayDate, until: optional(holidayDate), name: optional(text(80)) })(value, path, problems)
export const email: Shape<EmailAddress> = (value, path, problems) => {
  const address = typeof value === 'string' ? parseEmail(value) : undefined
  if (address === undefined) problems.push(`${path} must be one email address`)
  return address as EmailAddress
}
export const time = text(5, { like: /^([01]\d|2[0-3]):[0-5]\d$/, wanted: 'a time such as 20:00' })

const logoPattern = /^(https:\/\/[^\s"'()<>]+|(?!\w+:)[^"'<>]+\.(svg|png|jpe?g|gif|webp))$/i

export const logoLike = {
  like: { test: (logo: string) => logoPattern.test(logo) && (!isUrl(logo) || hasPlainHost(logo)) },
  wanted: 'an https:// URL or the path of an SVG, PNG, JPEG, GIF or WebP file',
}

const messageFile = { like: /^(?!.*\.\.)[\w./-]+\.md$/, wanted: 'a file such as letters/day-1.md' }

const when = { name: text(40, nameLike), after: text(20), clock: oneOf('school', 'student') }
export const step = either(
  either(
    object({
      ...when,
      to: oneOf('counselor', 'backup', 'manager', 'team', 'student'),
      message: text(200, messageFile),
    }),
    'channel',
    object({ ...when, channel: oneOf('chat') }),
  ),
  'close',
  object({ ...when, close: oneOf('no reply') }),
)

export const counselor = object({
  id: text(40, nameLike),
  name: text(80),
  email,
  weight: optional(integer(0, 100)),
  states: optional(listOf(stateOf)),
  programs: optional(listOf(text(120))),
  campuses: optional(listOf(text(LONGEST_LABEL))),
  languages: optional(listOf(language)),
  backup: optional(text(40)),
  absent: optional(listOf(object({ from: day, to: day }))),
})

export const program = object({
  name: localized(text(120)),
  cost: optional(localized(text(120))),
  starts: optional(localized(text(120))),
  hours: optional(localized(text(120))),
})

export const charge = object({ what: text(120), price: text(120), note: optional(text(200)) })

/** The answers that a school accepts to a question; each begins with its rank. */
export const answers = listOf(text(120, { like: /^[0-9] - \S/, wanted: 'an answer such as "2 - Comparing schools"' }))

/** A form's labels for these answers, by language. */
export const answerLabels = recordOf(
  listOf(text(120, { like: /^(?![0-9] - )/, wanted: 'the label without its digit, such as "Comparing schools"' })),
)
