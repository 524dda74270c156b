/** What search engines and assistants read about the school on its pages: JSON-LD, in schema.org terms. */
import { webLink } from '../../content/contact-links.ts'
import type { School } from '../../content/school-variables.ts'

/** A program in the language of the documents. What the settings do not say is null. */
export type DocumentedProgram = { name: string; cost: string | null; starts: string | null; hours: string | null }

/** The school and its programs, as the text of a `<script type="application/ld+json">`. */
export function organizationData(
  { name, phone, website, postalAddress }: School,
  programs: readonly DocumentedProgram[],
  url: string,
): string {
  const school = { '@type': 'EducationalOrganization', name, url: website === undefined ? url : webLink(website) }
  const data = {
    '@context': 'https://schema.org',
    ...school,
    telephone: phone,
    address: postalAddress,
    hasOfferCatalog:
      programs.length === 0
        ? undefined
        : {
            '@type': 'OfferCatalog',
            name: 'Programs',
            itemListElement: programs.map(program => ({
              '@type': 'Course',
              name: program.name,
              description: descriptionOf(program),
              provider: school,
            })),
          },
  }
  // Otherwise, a `</script>` in a name would end the script.
  return JSON.stringify(data).replaceAll('<', '\\u003c')
}

/** Courses without a description are not listed. */
function descriptionOf({ name, cost, starts, hours }: DocumentedProgram): string {
  const facts = [
    ['Cost', cost],
    ['Starts', starts],
    ['Hours', hours],
  ].flatMap(([what, value]) => (value === null ? [] : `${what}: ${value}`))
  return facts.length === 0 ? name : facts.join('. ')
}
