/** The variables that name a person and say how to reach them. */
import type { Settings } from '../../config/settings.ts'
import { mailtoLink, telLink } from '../../content/contact-links.ts'
import { isPlainMailbox } from '../../leads/body/email.ts'
import type { Reach } from '../../leads/body/person-key.ts'
import { readablePhone } from '../../leads/body/phone.ts'

export function personVariables(
  { body }: { body: { firstName: string; lastName: string } & Reach },
  { school }: Settings,
) {
  const { firstName, lastName } = body
  const [email, phone] = [body.email ?? null, body.phone ?? null]
  return {
    name: `${firstName} ${lastName}`,
    email,
    email_url: mailtoLink(email),
    phone: phone && readablePhone(phone, school.country),
    phone_url: telLink(phone, school.country),
    can_reply: email !== null && isPlainMailbox(email),
  }
}
