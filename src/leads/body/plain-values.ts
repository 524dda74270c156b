/**
 * A shortcut for values that are certainly valid and already in their stored form, as nearly all are. It avoids the
 * objects that a verdict needs, which take a third of the parsing time in a rush. A test checks that
 * `field-formats.ts`, which judges all other values, would say the same.
 */
import { type RankedField, siteInterestSchema } from './body-schemas.ts'
import type { FieldRule, ParseContext } from './field-formats.ts'
import { PHONE_DIGITS } from './phone.ts'
import { isPlain } from './tidy-text.ts'

/** Longer local parts are rare, and their limit is counted in octets (RFC 5321 section 4.5.3.1.1). */
const LOCAL_PART = 64

/** The most usual addresses: a dot-atom, and a host name in lower case. */
const EMAIL = /^[\w'+-]+(?:\.[\w'+-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/
const LONGEST_LABEL = 63

/** The value to store; undefined if `field-formats.ts` must decide. */
export function plainValue(field: string, raw: unknown, rule: FieldRule, context: ParseContext): unknown {
  if (typeof raw === 'number') return rule.format === 'startedAt' ? moment(raw, context) : undefined
  if (typeof raw !== 'string') return undefined
  if (rule.format === 'honeypot') return raw === '' ? raw : undefined
  const { length } = raw
  const { minLength = 0, maxLength = 0 } = rule
  if (length < minLength || length > maxLength || !isPlain(raw)) return undefined
  switch (rule.format) {
    case undefined:
    case 'lines':
    case 'key':
      return raw
    case 'email':
      return isUsualAddress(raw) ? raw : undefined
    case 'phone':
      return hasDigits(raw) ? raw : undefined
    case 'state':
      return /^[A-Z]{2,3}$/.test(raw) && !context.states.has(raw.toLowerCase()) ? raw : undefined
    case 'ranked':
      return context.answers[field as RankedField]?.allowed === undefined && /^[0-9] - \S/.test(raw)
        ? { rank: Number(raw[0]), text: raw }
        : undefined
    default:
      return undefined
  }
}

function moment(raw: number, { now }: ParseContext): number | undefined {
  const { minimum, maximum } = siteInterestSchema.properties.startedAt
  return Number.isSafeInteger(raw) && raw >= minimum && raw <= maximum && raw <= now ? raw : undefined
}

function isUsualAddress(raw: string): boolean {
  const at = raw.indexOf('@')
  const usual = at <= LOCAL_PART && raw.length - at <= LONGEST_LABEL && EMAIL.test(raw)
  return usual && !raw.includes('xn--', at)
}

function hasDigits(raw: string): boolean {
  let digits = 0
  for (let i = 0; i < raw.length; i++) {
    const unit = raw.charCodeAt(i)
    if (unit >= 0x30 && unit <= 0x39) digits++
  }
  return digits >= PHONE_DIGITS.least && digits <= PHONE_DIGITS.most
}
