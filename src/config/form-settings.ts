/** The settings of the forms: what the school decides about each of the two. */
import { localized } from './localized.ts'
import { each, lines, listOf, object, oneOf, optional, type Shape, text } from './shape.ts'

const url = text(500, {
  like: /^https?:\/\/[^\s"'<>]+$/,
  wanted: 'a URL such as https://www.example.edu/thank-you',
})

const origin = text(260, {
  like: /^https?:\/\/[a-z0-9.-]+(:\d+)?$/,
  wanted: 'the origin of a site, such as https://www.example.edu',
})

/** One word, or anything of another shape. */
const wordOr =
  <const W extends string, T>(word: W, inner: Shape<T>): Shape<W | T> =>
  (value, path, problems) =>
    value === word ? word : inner(value, path, problems)

/** The text that people agree to, and the page that explains it. */
const consent = object({ text: optional(localized(lines(1000))), link: optional(url) })

const form = <const N extends string>(optionalFields: readonly N[]) =>
  object({
    title: optional(localized(text(120))),
    introduction: optional(localized(lines(1000))),
    fields: object(each(optionalFields, optional(oneOf('hidden', 'optional', 'required')))),
    consent: wordOr('none', consent),
    sent: optional(localized(lines(1000))),
    sentUrl: optional(url),
  })

export const formSettings = object({
  student: form([
    ...(['city', 'state', 'timeline', 'interestLevel', 'experience', 'employer'] as const),
    ...(['source', 'message'] as const),
  ]),
  site: form(['message']),
  signInUrl: optional(url),
  embedOn: wordOr('any', listOf(origin, { least: 0 })),
})
