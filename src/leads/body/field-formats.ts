/** One parser for each format that a schema names: it returns the value to store, or what is wrong. */
import { HOUR } from '../../platform/time.ts'
import { type Ranked, type RankedField, siteInterestSchema } from './body-schemas.ts'
import { parseEmail } from './email.ts'
import { hasExtension, PHONE_DIGITS, phoneDigits } from './phone.ts'
import { numberOf, type Problem } from './problems.ts'
import type { RankedQuestions } from './ranked-answers.ts'
import { type States, stateCode } from './states.ts'
import { codePoints, isPlain, textFault, tidy } from './tidy-text.ts'

/** The facts besides the body on which a verdict depends. */
export type ParseContext = {
  /** When the body arrived, Unix time in milliseconds. */
  now: number
  states: States
  answers: RankedQuestions
  /** Fields that a form of the school requires beyond the schema. */
  required?: readonly string[]
  /** Whether someone at the school, or a source, enters the data: then one of the two is enough. Default: false. */
  onBehalf?: boolean
}

/** The part of a field's schema that parsing uses. */
export type FieldRule = { format?: string; minLength?: number; maxLength?: number; examples?: readonly string[] }

/** The value to store, or the problem to report; for a filled-in honeypot, both. */
export type Verdict = { value?: unknown; problem?: Problem }

/** Reads one field that is present and a string. */
export function parseText(field: string, raw: string, rule: FieldRule, context: ParseContext): Verdict {
  if (isPlain(raw)) return formatted(field, raw, rule, context)
  const fault = textFault(raw, rule.format === 'lines' ? 'many' : 'one')
  if (fault !== undefined) return { problem: { code: 'text', field, fault } }
  return formatted(field, tidy(raw), rule, context)
}

/** Checks the format before the length, because a problem with the format says more. */
function formatted(field: string, text: string, rule: FieldRule, context: ParseContext): Verdict {
  switch (rule.format) {
    case 'email': {
      const value = parseEmail(text)
      return value === undefined ? { problem: { code: 'email', field } } : sized(field, value, rule)
    }
    case 'state': {
      const value = stateCode(text, context.states)
      const { problem } = sized(field, text, rule)
      return value === undefined ? { problem: { code: 'state', field } } : problem ? { problem } : { value }
    }
    case 'phone': {
      const digits = phoneDigits(text).length
      const { maxLength = Number.POSITIVE_INFINITY } = rule
      const length = codePoints(text)
      if ((digits > PHONE_DIGITS.most || length > maxLength) && hasExtension(text))
        return { problem: { code: 'extension', field, digits, length, most: maxLength } }
      if (digits < PHONE_DIGITS.least || digits > PHONE_DIGITS.most)
        return { problem: { code: 'phone', field, digits } }
      return sized(field, text, rule)
    }
    case 'ranked':
      return ranked(field as RankedField, text, rule, context)
    case 'key':
      return isKey(text) ? { value: text } : { problem: { code: 'key', field } }
    default:
      return sized(field, text, rule)
  }
}

/** The text, unless it is too short or too long. */
function sized(field: string, text: string, rule: FieldRule): Verdict {
  const length = codePoints(text)
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = rule
  if (length >= minLength && length <= maxLength) return { value: text }
  return { problem: { code: 'length', field, least: minLength, most: rule.maxLength ?? 0, length } }
}

function ranked(field: RankedField, text: string, rule: FieldRule, { answers }: ParseContext): Verdict {
  const allowed = answers[field]?.allowed
  if (allowed !== undefined && !allowed.some(answer => tidy(answer) === text)) {
    return { problem: { code: 'notAllowed', field, allowed } }
  }
  if (!/^[0-9] - \S/.test(text)) return { problem: { code: 'ranked', field, example: rule.examples?.[0] } }
  const { problem } = sized(field, text, rule)
  if (problem !== undefined) return { problem }
  const value: Ranked = { rank: Number(text[0]), text }
  return { value }
}

/** Printable ASCII, since the key also travels in a header (RFC 9110 section 5.5). */
export const isKey = (text: string): boolean => /^[\x20-\x7e]{1,255}$/.test(text)

/**
 * Reads the moment when a form was started. Rejects a value that cannot be Unix time in milliseconds, or that is more
 * than 24 hours ahead; for every other value, screening judges how plausible it is.
 */
export function parseStartedAt(field: string, raw: unknown, { now }: ParseContext): Verdict {
  if (!Number.isSafeInteger(raw)) return { problem: { code: 'notAnInteger', field, is: numberOf(raw) } }
  const value = raw as number
  const { minimum, maximum } = siteInterestSchema.properties.startedAt
  if (value >= 1e8 && value < minimum) return { problem: { code: 'seconds', field } }
  if (value > maximum) return { problem: { code: 'microseconds', field } }
  if (value < minimum) return { problem: { code: 'notAMoment', field } }
  const ahead = value - now
  if (ahead > 24 * HOUR) return { problem: { code: 'future', field, hours: Math.ceil(ahead / HOUR) } }
  return { value }
}
