/** The fields of an operation as the pages list them, in the order of the schema. */
import type { Settings } from '../../config/settings.ts'
import type { RankedField } from '../../leads/body/body-schemas.ts'
import { PHONE_DIGITS } from '../../leads/body/phone.ts'
import { capital } from '../../leads/body/tidy-text.ts'

export type DocumentedField = {
  name: string
  type: string
  required: boolean
  limits: string
  description: string
  /** The only answers that are accepted; null if any text is. */
  allowed: string[] | null
  /** The name for people. */
  label: string
  /** The control that asks for the field in a form; null if there is none. */
  input: 'text' | 'email' | 'tel' | 'textarea' | 'select' | 'trap' | null
  /** The length of a text, in characters; null for a number. */
  least: number | null
  most: number | null
}

type Schema = { properties: Record<string, Property>; required: readonly string[] }
type Property = { type: string; format?: string; description: string; minLength?: number; maxLength?: number }

export const fieldsOf = (schema: Schema, answers: Settings['studentInterest']['answers'] = {}): DocumentedField[] =>
  Object.entries(schema.properties).map(([name, property]) => {
    const allowed = answers[name as RankedField]?.allowed ?? null
    return {
      name,
      type: property.type,
      required: schema.required.includes(name),
      limits: limitsInWords(property),
      description: property.description,
      allowed,
      label: labelOf(name),
      input: inputOf(property, allowed),
      least: property.minLength ?? null,
      most: property.maxLength ?? null,
    }
  })

function limitsInWords({ format, minLength = 0, maxLength }: Property): string {
  if (format === 'startedAt') return 'Unix milliseconds, at most 24 hours ahead'
  if (maxLength === undefined) return 'any value'
  if (maxLength === 0) return 'the empty string'
  const characters = minLength > 1 ? `${minLength}–${maxLength} characters` : `at most ${maxLength} characters`
  if (format !== 'phone') return characters
  return `${characters}, ${PHONE_DIGITS.least}–${PHONE_DIGITS.most} digits`
}

/** `First name` for `firstName`. */
function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return capital(words)
}

function inputOf({ type, format }: Property, allowed: string[] | null): DocumentedField['input'] {
  if (format === 'honeypot') return 'trap'
  if (format === 'email') return 'email'
  if (format === 'phone') return 'tel'
  if (format === 'lines') return 'textarea'
  if (format === 'ranked') return allowed === null ? null : 'select'
  // The form fills in these fields itself.
  return type === 'integer' || format === 'key' ? null : 'text'
}
