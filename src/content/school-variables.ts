/** The variables about the school, which every template has. */
import { telLink, webLink } from './contact-links.ts'

export type School = {
  name: string
  /** ISO 3166-1 alpha-2: the country whose numbers need no prefix. */
  country: string
  phone?: string | undefined
  website?: string | undefined
  postalAddress?: string | undefined
}

export const schoolVariables = ({ name, country, phone, website, postalAddress }: School) => ({
  name,
  phone: phone ?? null,
  phone_url: phone ? telLink(phone, country) : null,
  website: website ?? null,
  website_url: website ? webLink(website) : null,
  postal_address: postalAddress ?? null,
})
