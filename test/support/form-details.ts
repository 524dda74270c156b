/** What a form adds to a submission, as a test needs it. */
import type { FormDetails } from '../../src/leads/body/form-details.ts'

export const CONSENT_TEXT =
  'I agree that Lone Star Career School may call and text me at this number, also with automated systems. I do not have to agree to enroll.'

type Over = Omit<Partial<FormDetails>, 'consent'> & {
  /** What the person said to the question about calls and texts, and when; null if the form did not ask. */
  consent?: { given: boolean; at: number } | null
}

const page = 'https://www.school.example/welding'

/** The details of a form on a page of the school, which asked for nothing and was on no campaign. */
export const someForm = ({ consent = null, ...over }: Over = {}): FormDetails => ({
  page,
  campaign: {},
  language: 'en',
  placement: 'element',
  startedAt: Date.parse('2026-11-21T19:59:00Z'),
  consent:
    consent === null ? null : { text: CONSENT_TEXT, link: 'https://www.school.example/privacy', page, ...consent },
  ...over,
})

/** The same as the column of the database has it. */
export const aForm = (over: Over = {}): string => JSON.stringify(someForm(over))
