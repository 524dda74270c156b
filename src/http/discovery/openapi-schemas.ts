/**
 * The component schemas of the OpenAPI description. The schema of the body derives from the one that parsing uses. Our
 * own formats become words and, where they exist, JSON Schema keywords.
 */
import type { Settings } from '../../config/settings.ts'
import { siteInterestSchema } from '../../leads/body/body-schemas.ts'
import { PHONE_DIGITS } from '../../leads/body/phone.ts'

type Properties = typeof siteInterestSchema.properties
type Property = Properties[keyof Properties]
type Format = Extract<Property, { format: string }>['format'] | 'line'
type Rule = { format?: Format; description: string }
type Honeypot = Settings['siteInterest']['honeypot']
type FormatRules = { [keyword: string]: unknown; words: string }

export const schemasOf = (settings: Settings): Record<string, object> => ({
  SiteInterest: siteInterest(settings),
  Success: {
    type: 'object',
    additionalProperties: false,
    required: ['success'],
    properties: { success: { type: 'boolean', const: true } },
  },
  Error: {
    type: 'object',
    additionalProperties: false,
    required: ['error'],
    properties: { error: { type: 'string', minLength: 1, description: 'What to change, as a sentence for people.' } },
  },
})

function siteInterest({ siteInterest }: Settings): object {
  const { properties, ...object } = siteInterestSchema
  return {
    ...object,
    description:
      'Lengths are counted in code points after trimming, in Unicode NFC. Text must be valid Unicode. Text of only white space and invisible characters counts as empty. An empty message counts as none.',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, fieldSchema(property, siteInterest.honeypot)]),
    ),
  }
}

/** A field with its limits unchanged, and with the rules of its format. */
function fieldSchema(property: Property, honeypot: Honeypot): object {
  const { format = 'line', description, ...limits }: Rule = property
  const { words, ...keywords } = formatRules[format](honeypot)
  return { ...limits, ...keywords, description: `${description} ${words}` }
}

/**
 * The rule that a text of each format must follow. There are few patterns, in the only syntax that all
 * tools agree on (RFC 9485): a tool that cannot read a pattern rejects the whole description.
 */
const formatRules: Record<Format, (honeypot: Honeypot) => FormatRules> = {
  line: () => ({ words: 'One line, without control characters.' }),
  lines: () => ({ words: 'Line breaks and tabs are fine.' }),
  // Not `email`: its validators reject letters outside of ASCII, which the service accepts on both
  // sides of the @ (RFC 6531).
  email: () => ({
    format: 'idn-email',
    words: 'Without display name, comment, quotes or IP address; at most 64 bytes before the @.',
  }),
  phone: () => ({
    pattern: `^([^0-9]*[0-9]){${PHONE_DIGITS.least},${PHONE_DIGITS.most}}[^0-9]*$`,
    words: 'One line, without control characters.',
  }),
  honeypot: honeypot => ({
    const: '',
    words:
      honeypot === 'reject'
        ? 'Any other text returns 400; if everything else is valid, the inquiry is also quarantined for the team to review.'
        : 'With any other text and everything else valid, the response is 200, but the inquiry is quarantined for the team to review.',
  }),
  startedAt: () => ({
    format: 'int64',
    words:
      'Agents send the time at which the person asked them. At most 24 hours ahead of the server’s clock. It is a sign for screening: no one is rejected for being fast, or for having started long ago; at most, the inquiry is quarantined for the team to review.',
  }),
}
