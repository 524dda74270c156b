/**
 * Whether a person agreed to calls and texts from the school's systems. In the United States, marketing by
 * an autodialer or a recorded voice takes an agreement in writing that names the number (47 CFR
 * 64.1200(f)(9)). A counselor who dials to answer an inquiry does not use such a system.
 */
import type { FormDetails } from './form-details.ts'
import type { Submission } from './submission.ts'

/** What the person said when a form last asked, unless they took it back since. */
export type ConsentState = 'given' | 'refused' | 'withdrawn'

/** What a form learned, and when, in Unix milliseconds; undefined if it did not ask. */
export function consentIn(form: FormDetails | null): { is: ConsentState; at: number } | undefined {
  const consent = form?.consent
  return consent ? { is: consent.given ? 'given' : 'refused', at: consent.at } : undefined
}

const sentences = {
  given: "Agreed to calls and texts from the school's systems",
  refused: "Did not agree to calls or texts from the school's systems: call by hand, do not text",
  withdrawn:
    "Took back the agreement to calls and texts from the school's systems: call by hand, do not text",
  'not asked': "Was not asked about calls or texts from the school's systems",
}

/** The same in a word or two, for lists. */
export const consentInShort: Record<keyof typeof sentences, string> = {
  given: 'Agreed',
  refused: 'Did not agree',
  withdrawn: 'Took it back',
  'not asked': 'Not asked',
}

/** What a lead has of it. */
type OfLead = { consent: ConsentState | null; consentAt: number | null }

type InWords = (time: number) => string

/** What counts for a lead now, and since when; null if no form has asked. */
export const consentOfLead = ({ consent, consentAt }: OfLead, moment: InWords): string | null =>
  consent === null ? null : `${sentences[consent]} (${moment(consentAt ?? 0)})`

/** What an inquiry said, with its record: exactly what was asked, where, when and for which number; null without a form. */
export function consentOfInquiry(
  { form, body }: Pick<Submission, 'form' | 'body'>,
  moment: InWords,
): string | null {
  if (form === null) return null
  const { consent } = form
  if (consent === null) return sentences['not asked']
  const { given, text, link, at, page, phone = body.phone } = consent
  const asked = `Asked about ${phone} on ${moment(at)}, at ${page}: “${text}”`
  return `${sentences[given ? 'given' : 'refused']}. ${asked}${link ? ` (${link})` : ''}`
}

/** For a message about an inquiry: what counts for the lead by now, with its record if this inquiry said it. */
export function consentInMessage(
  lead: OfLead,
  submission: Pick<Submission, 'form' | 'body'>,
  moment: InWords,
): string | null {
  const decided = lead.consentAt !== null && submission.form?.consent?.at !== lead.consentAt
  return decided ? consentOfLead(lead, moment) : consentOfInquiry(submission, moment)
}
