/**
 * What a form asks before it takes an inquiry: whether an address or a number that looks wrong is right. It asks about
 * each once, so a person who sends the same again is not asked again.
 */
import { doubtfulEmail, isDoubtfulPhone } from '../leads/body/doubtful-contact.ts'
import type { FieldProblems } from './field-problems.ts'
import type { FormFacts } from './form-facts.ts'
import { fill } from './form-words.ts'

type Values = Readonly<Record<string, string>>

/** The hidden fields that hold what was asked about. */
export const ASKED = { email: 'emailAsked', phone: 'phoneAsked' } as const

/** The box that is ticked to use the suggested address; its value is that address. */
export const SUGGESTED = 'emailSuggested'

/** Sent by the script with what it sends late: the person who would answer may be gone. */
const WAITED = 'waited'

export const hasWaited = (values: Values): boolean => values[WAITED] !== undefined

export type ContactQuestions = {
  /** Beside the field, as problems are. */
  sentences: FieldProblems
  /** What the form has then: what was typed, and what was asked about. */
  values: Values
  /** The address that the person most likely meant. */
  suggestion: string | undefined
}

/** Undefined if there is nothing to ask. */
export function contactQuestions({ words }: FormFacts, values: Values): ContactQuestions | undefined {
  const { email = '', phone = '' } = values
  if (hasWaited(values)) return undefined
  const doubt = values[ASKED.email] === email ? undefined : doubtfulEmail(email)
  const asksPhone = values[ASKED.phone] !== phone && isDoubtfulPhone(phone)
  if (doubt === undefined && !asksPhone) return undefined
  const { meant } = doubt ?? {}
  const sentence = meant === undefined ? words.fields.email.sure : words.fields.email.meant
  return {
    sentences: {
      ...(doubt && { email: fill(sentence ?? '', { given: email.trim(), meant: meant ?? '' }) }),
      ...(asksPhone && { phone: fill(words.fields.phone.sure ?? '', { given: phone.trim() }) }),
    },
    values: { ...values, ...(doubt && { [ASKED.email]: email }), ...(asksPhone && { [ASKED.phone]: phone }) },
    suggestion: meant,
  }
}

/** With the suggested address if the person ticked it, unless they have changed their own since. */
export function withSuggestion(values: Values): Values {
  const suggested = values[SUGGESTED]
  const isAnswer = suggested !== undefined && values['email'] === values[ASKED.email]
  return isAnswer ? { ...values, email: suggested } : values
}
