/** Where an inquiry by a form came from: what lists filter by, and what staff read. */
import type { Lead } from '../lead/lead.ts'
import type { FormDetails } from './form-details.ts'

/** The name of the campaign that brought the person; null if none is known. */
export const campaignName = (form: FormDetails | null): string | null => form?.campaign.campaign ?? null

/** The source that the campaign names, else the site that linked to the form's page, else that page's own. */
export const cameFrom = (form: FormDetails | null): string | null => linkedFrom(form) ?? siteOf(form?.page)

const linkedFrom = (form: FormDetails | null): string | null => form?.campaign.source ?? siteOf(form?.referrer)

/** The host of a URL, without the `www.` that a site may have or not. */
const siteOf = (url: string | undefined): string | null =>
  url === undefined ? null : (URL.parse(url)?.hostname.replace(/^www\./, '') ?? null)

/** Where the first form of a lead says that they came from, with the campaign; '' if no form knew it. */
export const originOfLead = ({ cameFrom, campaign }: Pick<Lead, 'cameFrom' | 'campaign'>): string =>
  joined(cameFrom, campaign)

export type Fact = { label: string; value: string }

/** What the form knew beside the body: its name, the chosen program, answers to questions of the school's own, and where the person came from, as staff read it. */
export function originInWords(form: FormDetails | null): Fact[] {
  if (form === null) return []
  const { campaign, medium, term, content, id } = form.campaign
  return [
    { label: 'Entered by', value: form.entered?.name ?? '' },
    { label: 'Form', value: form.name ?? '' },
    { label: 'Program', value: form.program ?? '' },
    ...(form.answers ?? []).map(({ question, answer }) => ({ label: question, value: answer })),
    { label: 'Came from', value: joined(linkedFrom(form), medium) },
    { label: 'Campaign', value: joined(campaign, id, term, content) },
    { label: 'Page', value: form.page ?? '' },
    { label: 'Linked from', value: form.referrer ?? '' },
  ].filter(({ value }) => value !== '')
}

const joined = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(', ')
