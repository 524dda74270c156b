/** The settings of the forms: what the school decides about each of the two. */
import { localized } from './localized.ts'
import { each, lines, listOf, object, oneOf, optional, type Shape, text } from './shape.ts'

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

const form = <const N extends string>(optionalFields: readonly N[]) =>
  object({
    title: optional(localized(text(120))),
    introduction: optional(localized(lines(1000))),
    fields: object(each(optionalFields, optional(oneOf('hidden', 'optional', 'required')))),
    consent: wordOr('none', consent, 'an object with text and link, such as {} for our text'),
    sent: optional(localized(lines(1000))),
    sentUrl: optional(url('https://www.example.edu/thank-you')),
  })

export const formSettings = object({
  student: form([
    ...(['city', 'state', 'timeline', 'interestLevel', 'experience', 'employer'] as const),
    ...(['source', 'message'] as const),
  ]),
  site: form(['message']),
  signInUrl: optional(url('https://learn.example.edu/login')),
  embedOn: wordOr('any', listOf(origin, { least: 0 }), "a list such as ['https://www.example.edu']"),
})
