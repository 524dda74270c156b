/** What every template knows of the school. */
import type { Settings } from '../config/settings.ts'
import { telLink, webLink } from './contact-links.ts'

export function schoolVariables({ school }: Settings) {
  const { phone, website, postalAddress } = school
  return {
    name: school.name,
    phone: phone ?? null,
    phone_url: phone ? telLink(phone, school.country) : null,
    website: website ?? null,
    website_url: website ? webLink(website) : null,
    postal_address: postalAddress ?? null,
  }
}
