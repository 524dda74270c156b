/**
 * What a form asks before it accepts an inquiry: whether an address or a number that looks wrong is correct. It asks
 * about each only once, even if the person sends the same again.
 */
import { doubtfulEmail, isDoubtfulPhone } from '../leads/body/doubtful-contact.ts'
import type { FieldProblems } from './field-problems.ts'
import type { FormFacts } from './form-facts.ts'
import { fill } from './form-words.ts'

type Values = Readonly<Record<string, string>>

/** The hidden fields with the values that were asked about. */
export const ASKED = { email: 'emailAsked', phone: 'phoneAsked' } as const

/** The checkbox for using the suggested address; its value is that address. */
export const SUGGESTED = 'emailSuggested'

/** The script adds this field to a form that it sends late, when the person may be gone and cannot answer. */
const WAITED = 'waited'

export const hasWaited = (values: Values): boolean => values[WAITED] !== undefined

export type ContactQuestions = {
  /** The questions, which are shown beside the fields like problems. */
  sentences: FieldProblems
  /** The values of the form when it is shown again: what was typed, and what we have asked about. */
  values: Values
  /** The address that the person most likely meant. */
  suggestion: string | undefined
}

/** The questions; undefined if there is nothing to ask. */
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

/** The values with the suggested address, if the person ticked the box and has not changed the typed address since. */
export function withSuggestion(values: Values): Values {
  const suggested = values[SUGGESTED]
  const isAnswer = suggested !== undefined && values['email'] === values[ASKED.email]
  return isAnswer ? { ...values, email: suggested } : values
}
