/**
 * Whether a person agreed to calls and texts from the school's systems. In the United States, marketing by an
 * autodialer or a recorded voice requires an agreement in writing that names the number (47 CFR 64.1200(f)(9)). A
 * counselor who dials by hand to answer an inquiry does not use such a system.
 */
import type { FormDetails } from './form-details.ts'
import type { Submission } from './submission.ts'

/** What the person said when a form last asked, unless they have taken it back since. */
export type ConsentState = 'given' | 'refused' | 'withdrawn'

/** What a form learned, and when, in Unix milliseconds; undefined if it did not ask. */
export function consentIn(form: FormDetails | null): { is: ConsentState; at: number } | undefined {
  const consent = form?.consent
  return consent ? { is: consent.given ? 'given' : 'refused', at: consent.at } : undefined
}

const sentences = {
  given: "Agreed to calls and texts from the school's systems",
  refused: "Did not agree to calls or texts from the school's systems: call by hand, do not text",
  withdrawn: "Took back the agreement to calls and texts from the school's systems: call by hand, do not text",
  'not asked': "Was not asked about calls or texts from the school's systems",
}

/** The person's answer in a word or two, for lists. */
export const consentInShort: Record<keyof typeof sentences, string> = {
  given: 'Agreed',
  refused: 'Did not agree',
  withdrawn: 'Took it back',
  'not asked': 'Not asked',
}

/** The consent that is stored with a lead. */
type OfLead = { consent: ConsentState | null; consentAt: number | null }

type InWords = (time: number) => string

/** The consent that counts for a lead now, and from which moment on; null if no form has asked. */
export const consentOfLead = ({ consent, consentAt }: OfLead, moment: InWords): string | null =>
  consent === null ? null : `${sentences[consent]} (${moment(consentAt ?? 0)})`

/**
 * What a person said in an inquiry, with the evidence: exactly what was asked, where, when and for which number. Null
 * if no form asked.
 */
export function consentRecord(
  { form, body }: Pick<Submission, 'form' | 'body'>,
  moment: InWords,
): { said: string; inShort: string; asked: string | null } | null {
  if (form === null) return null
  const { consent } = form
  if (consent === null) return { said: sentences['not asked'], inShort: consentInShort['not asked'], asked: null }
  const { given, text, link, at, page, phone = body.phone } = consent
  const asked = `Asked about ${phone} on ${moment(at)}, ${whereAsked(form, page)}: “${text}”${link ? ` (${link})` : ''}`
  const is = given ? 'given' : 'refused'
  return { said: sentences[is], inShort: consentInShort[is], asked }
}

/**
 * An embedded form learns about the page around it only from that page, and a source may name any page. So neither is
 * proof of where the question was asked.
 */
function whereAsked({ placement, source }: FormDetails, page: string | undefined): string {
  if (source !== undefined) return page === undefined ? `as ${source.name} says` : `at ${page}, as ${source.name} says`
  return placement === 'hosted' || placement === 'staff' ? `at ${page}` : `at a page that calls itself ${page}`
}

/** What an inquiry says about consent, in one text; null if no form asked. */
export function consentOfInquiry(submission: Pick<Submission, 'form' | 'body'>, moment: InWords): string | null {
  const record = consentRecord(submission, moment)
  if (record === null || record.asked === null) return record?.said ?? null
  return `${record.said}. ${record.asked}`
}

const inHeadline = {
  given: 'may call and text',
  refused: 'no consent: call by hand, do not text',
  withdrawn: 'took consent back: call by hand, do not text',
} as const

/** For a message about an inquiry, in a few words: its lead's consent or, before it has a lead, its own. */
export function consentInMessage(lead: OfLead, { form }: Pick<Submission, 'form'>): string | null {
  const is = lead.consent ?? consentIn(form)?.is
  return is === undefined ? null : inHeadline[is]
}
