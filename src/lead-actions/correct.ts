/** Correcting a mistyped email address or phone number of a lead, or the language in which we write to the person. */
import { parseContact } from '../leads/lead/corrections.ts'
import type { Corrected, NewContact } from '../store/actions/correct-lead.ts'
import { actedOn, andTell, type LeadAction } from './services.ts'

/** The address and the number as someone typed them; blank if there is none. */
type Input = Pick<NewContact, 'language' | 'again'> & { email: string; phone: string }

/** What is wrong, one sentence per field. Nothing has changed. */
export type InvalidContact = { outcome: 'invalid'; problems: Partial<Record<'email' | 'phone', string>> }

export const correct: LeadAction<Input, Corrected | InvalidContact> = async (
  services,
  lead,
  { email, phone, language, again },
  by,
) => {
  const parsed = parseContact({ email, phone }, services.settings.school.country)
  if ('problems' in parsed) return { outcome: 'invalid', problems: parsed.problems }
  // Says which fields changed, but not their values: audit entries remain after a person is erased.
  const which = [
    ...(parsed.email === lead.email ? [] : ['email']),
    ...(parsed.phone === lead.phone ? [] : ['phone']),
    ...(language === undefined || language === lead.language ? [] : ['language']),
  ].join(', ')
  const context = actedOn(services, by, { action: 'corrected', detail: which })
  return andTell(services, services.store.correctLead(lead.id, { ...parsed, language, again, ...context }))
}
