/**
 * Contact data that someone at the school corrected. What was sent stays as it is; from then on, emails go to
 * the new address, and people call the new number.
 */
import { studentInterestSchema } from '../body/body-schemas.ts'
import { emailKey } from '../body/email.ts'
import { parseText, type Verdict } from '../body/field-formats.ts'
import { languageName } from '../body/languages.ts'
import { isSameNumber, toE164 } from '../body/phone.ts'
import { asSentence } from '../body/problems.ts'
import type { Submission } from '../body/submission.ts'
import { isBlank } from '../body/tidy-text.ts'

/** One change of a lead's contact data, or its undo. */
export type Correction = {
  at: number
  /** The email address before the change; null if the lead had none, undefined if the address did not change. */
  email?: string | null | undefined
  /** The phone number that turned out to be wrong; absent if that was undone. */
  phone?: string | null | undefined
}

/** How to reach a person. At least one of the two is not null. */
type Contact = { email: string | null; phone: string | null }

/** The email address that a lead had at a moment; null if it had none. `corrections` are in order. */
export function addressAt(
  lead: Pick<Contact, 'email'>,
  corrections: readonly Correction[],
  moment: number,
): string | null {
  const { email } = corrections.find(one => one.email !== undefined && one.at > moment) ?? lead
  return email ?? null
}

/** The one of these addresses that the lead has or had, as far as we know; undefined if there is none. */
export const knownAddress = (
  lead: Pick<Contact, 'email'>,
  corrections: readonly Correction[],
  addresses: readonly string[],
): string | undefined => {
  const keys = addresses.map(emailKey)
  const known = [lead, ...corrections].flatMap(({ email }) => email ?? [])
  return known.find(email => keys.includes(emailKey(email)))
}

/** Whether someone corrected a number after it was given. */
export const wasCorrected = (phone: string, given: number, corrections: readonly Correction[]): boolean =>
  corrections.some(one => one.at >= given && one.phone && isSameNumber(one.phone, phone))

/** A submission with the contact data that the staff should use now. */
export function asCorrected(submission: Submission, lead: Contact, corrections: readonly Correction[]): Submission {
  const { body, receivedAt } = submission
  const given = body.phone
  const wrong = given === undefined || wasCorrected(given, receivedAt, corrections)
  const phone = wrong ? (lead.phone ?? undefined) : given
  // All submissions of a lead have its address, so a different one must come from a correction.
  const written = body.email !== undefined && body.email.toLowerCase() === lead.email?.toLowerCase()
  const email = written ? body.email : (lead.email ?? undefined)
  const form = given === undefined || phone === given ? submission.form : agreedFor(given, submission.form)
  return { ...submission, body: { ...body, email, phone }, form } as Submission
}

/** A person agrees to calls only for the number that they gave. */
const agreedFor = (phone: string, form: Submission['form']): Submission['form'] =>
  form?.consent ? { ...form, consent: { ...form.consent, phone } } : form

/** The data as someone typed it; blank if there is none. */
type Typed = Record<keyof Contact, string>

/** The typed data, with the number also in E.164; or what is wrong with it, one sentence per field. */
export function parseContact(
  typed: Typed,
  country: string,
): (Contact & { phoneE164: string | null }) | { problems: Partial<Typed> } {
  const { properties } = studentInterestSchema
  const read = (name: keyof Contact, label: string): Verdict =>
    isBlank(typed[name]) ? { value: null } : parseText(label, typed[name], properties[name], NO_CONTEXT)
  const [email, phone] = [read('email', 'The email address'), read('phone', 'The phone number')]
  if (email.value === null && phone.value === null)
    return { problems: { email: `${asSentence([{ code: 'unreachable', field: 'email' }])}.` } }
  if (email.problem === undefined && phone.problem === undefined) {
    const number = phone.value as string | null
    const phoneE164 = number === null ? null : (toE164(number, country) ?? null)
    return { email: email.value as string | null, phone: number, phoneE164 }
  }
  return {
    problems: {
      ...(email.problem && { email: `${asSentence([email.problem])}.` }),
      ...(phone.problem && { phone: `${asSentence([phone.problem])}.` }),
    },
  }
}

/** Neither an address nor a number depends on the settings. */
const NO_CONTEXT = { now: 0, states: new Map(), answers: {} }

/** Such as `Email: ana@gmial.example → ana@gmail.example`, a line for each change. Without a language: no change. */
export const correctionInWords = (
  from: Contact & { language: string | null },
  to: Contact & { language?: string | undefined },
): string =>
  [
    ...(from.email === to.email ? [] : [`Email: ${from.email ?? NONE} → ${to.email ?? NONE}`]),
    ...(from.phone === to.phone ? [] : [`Phone: ${from.phone ?? NONE} → ${to.phone ?? NONE}`]),
    ...(to.language === undefined || to.language === from.language
      ? []
      : [`Language: ${knownLanguage(from.language)} → ${languageName(to.language)}`]),
  ].join('\n')

const NONE = 'none'

const knownLanguage = (language: string | null): string => (language === null ? 'not known' : languageName(language))
