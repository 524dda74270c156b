/** What each follow-up email must show by law, also in the operator's own words (CAN-SPAM Act, 15 U.S.C. 7704). */
import type { Template } from './message-templates.ts'

type Sample = { unsubscribe_url: string; school: { postal_address: string | null } }

/**
 * Throws an Error that names the file and what is missing unless the email that it makes of the sample
 * shows the link to unsubscribe and the school's postal address. Without a postal address in the
 * settings, no follow-up email is sent.
 */
export function requireLegalParts(name: string, template: Template, sample: Sample): void {
  const { text } = template(sample)
  const { unsubscribe_url: link, school } = sample
  const missing = [
    ...(text.includes(link) ? [] : ['the link to unsubscribe: {{ unsubscribe_url }}']),
    ...(withoutPunctuation(text).includes(withoutPunctuation(school.postal_address ?? ''))
      ? []
      : ["the school's postal address: {{ school.postal_address }}"]),
  ]
  if (missing.length === 0) return
  throw new Error(
    `${name}: by law, a follow-up email must show ${missing.join(', and ')}. The built-in emails end with {% include 'letters/letter-end.md' %}`,
  )
}

/** As layouts may break lines or set commas in an address. */
const withoutPunctuation = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')
