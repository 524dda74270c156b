/** The variables that name a person, and say how to reach them. */
import type { Settings } from '../../config/settings.ts'
import { mailtoLink, telLink } from '../../content/contact-links.ts'
import { isPlainMailbox } from '../../leads/body/email.ts'
import type { Lead } from '../../leads/lead/lead.ts'

export function personVariables(
  { body }: { body: Pick<Lead, 'firstName' | 'lastName' | 'email' | 'phone'> },
  { school }: Settings,
) {
  const { firstName, lastName, email, phone } = body
  return {
    name: `${firstName} ${lastName}`,
    email,
    email_url: mailtoLink(email),
    phone,
    phone_url: telLink(phone, school.country),
    can_reply: isPlainMailbox(email),
  }
}
