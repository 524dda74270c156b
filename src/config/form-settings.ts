/** The settings of the forms: what the school decides about the student form and the site form. */
import { clickIds } from '../leads/body/form-details.ts'
import { hasPlainHost } from '../platform/is-url.ts'
import { localized } from './localized.ts'
import { Group, noDefault, setting } from './setting.ts'
import { under } from './setting-topics.ts'
import { lines, listOf, object, oneOf, optional, type Shape, type Shaped, text } from './shape.ts'

/** A URL of a page of the school. */
export const formUrlOf = (example: string) =>
  text(500, {
    like: { test: url => /^https?:\/\/[^\s"'<>]+$/.test(url) && hasPlainHost(url) },
    wanted: `a URL such as ${example}`,
  })

const origin = text(260, {
  like: /^https?:\/\/[a-z0-9.-]+(:\d+)?$/,
  wanted: 'the origin of a site, such as https://www.example.edu',
})

/** Accepts one word, or a list or an object of another shape. `wanted` completes "must be 'word' or …". */
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
  link: optional(formUrlOf('https://www.example.edu/text-messages')),
})

const forms = under('forms')
const field = (name: string) => noDefault(oneOf('hidden', 'optional', 'required'), name)

const consentOr = wordOr('none', consent, 'an object with text and link, such as {} for our text')

/** The settings that both forms have. `whose` begins the name of each setting. */
const form = (whose: string, asked: Shaped<typeof consentOr>) => ({
  title: noDefault(localized(text(120)), forms(`${whose}: title`, 'The heading of the form, if it is not ours.')),
  introduction: noDefault(
    localized(lines(1000)),
    forms(`${whose}: introduction`, 'What the form says before its fields.'),
  ),
  consent: setting(
    consentOr,
    asked,
    forms(`${whose}: consent`, 'Whether the form asks if the school may call and text, and in which words.'),
  ),
  sent: noDefault(localized(lines(1000)), forms(`${whose}: thanks`, 'What people read once they have sent the form.')),
  sentUrl: noDefault(
    formUrlOf('https://www.example.edu/thank-you'),
    forms(`${whose}: page after sending`, 'A page of yours that opens instead of our thanks.'),
  ),
})

export const formSettings = {
  student: {
    ...form('Students', {}),
    fields: new Group(
      forms(
        'Students: fields',
        'Fields besides name, email and phone, each optional, required or hidden. Optional unless you say otherwise. A question needs answers to choose from.',
      ),
      {
        city: field('City'),
        state: field('State'),
        program: field('Program'),
        timeline: field('Start'),
        interestLevel: field('Interest'),
        experience: field('Experience'),
        employer: setting(optional(oneOf('hidden', 'optional', 'required')), 'hidden', 'Employer'),
        source: field('Source'),
        message: field('Message'),
      },
    ),
  },
  site: {
    ...form('Sites', 'none'),
    fields: new Group(forms('Sites: fields', 'Whether the message is optional, required or hidden.'), {
      message: field('Message'),
    }),
  },
  signInUrl: noDefault(
    formUrlOf('https://learn.example.edu/login'),
    forms('Sign-in of the learning site', 'Where the form sends people who have an account already.'),
  ),
  clickIds: setting(
    listOf(oneOf(...clickIds), { least: 0 }),
    [],
    forms(
      'Clicks on ads',
      'The parameters with which ads say which click led to your website, such as gclid. We keep these with the lead.',
    ),
  ),
  embedOn: setting(
    wordOr('any', listOf(origin, { least: 0 }), "a list such as ['https://www.example.edu']"),
    'any',
    forms('Websites with the forms', 'The sites that may show our forms in their own pages.'),
  ),
}
