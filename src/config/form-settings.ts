/** The settings of the forms: what the school decides about each of the two. */
import { localized } from './localized.ts'
import { noDefault, setting } from './setting.ts'
import { lines, listOf, object, oneOf, optional, type Shape, type Shaped, text } from './shape.ts'

const url = (example: string) => text(500, { like: /^https?:\/\/[^\s"'<>]+$/, wanted: `a URL such as ${example}` })

const origin = text(260, {
  like: /^https?:\/\/[a-z0-9.-]+(:\d+)?$/,
  wanted: 'the origin of a site, such as https://www.example.edu',
})

/** One word, or a list or an object of another shape, for which `wanted` completes "must be 'word' or …". */
const wordOr =
  <const W extends string, T>(word: W, inner: Shape<T>, wanted: string): Shape<W | T> =>
  (value, path, problems) => {
    if (typeof value === 'object') return inner(value, path, problems)
    if (value !== word) problems.push(`${path} must be '${word}' or ${wanted}`)
    return word
  }

/** The text that people agree to, and the page that explains it. */
const consent = object({
  text: optional(localized(lines(1000))),
  link: optional(url('https://www.example.edu/text-messages')),
})

const field = (name: string) => noDefault(oneOf('hidden', 'optional', 'required'), name)

const consentOr = wordOr('none', consent, 'an object with text and link, such as {} for our text')

/** What both forms have; `whose` begins each name. */
const form = (whose: string, asked: Shaped<typeof consentOr>) => ({
  title: noDefault(localized(text(120)), `${whose}: title`),
  introduction: noDefault(localized(lines(1000)), `${whose}: introduction`),
  consent: setting(consentOr, asked, `${whose}: consent to calls and texts`),
  sent: noDefault(localized(lines(1000)), `${whose}: text after sending`),
  sentUrl: noDefault(url('https://www.example.edu/thank-you'), `${whose}: page after sending`),
})

export const formSettings = {
  student: {
    ...form('Students', {}),
    fields: {
      city: field('Students: city'),
      state: field('Students: state'),
      timeline: field('Students: start'),
      interestLevel: field('Students: interest'),
      experience: field('Students: experience'),
      employer: setting(optional(oneOf('hidden', 'optional', 'required')), 'hidden', 'Students: employer'),
      source: field('Students: source'),
      message: field('Students: message'),
    },
  },
  site: { ...form('Employers', 'none'), fields: { message: field('Employers: message') } },
  signInUrl: noDefault(url('https://learn.example.edu/login'), 'Where people with an account sign in'),
  embedOn: setting(
    wordOr('any', listOf(origin, { least: 0 }), "a list such as ['https://www.example.edu']"),
    'any',
    'Websites that may embed the forms',
  ),
}
