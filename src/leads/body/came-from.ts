/** Where an inquiry through a form came from: what lists filter by, and what staff read. */
import type { Lead } from '../lead/lead.ts'
import type { FormDetails } from './form-details.ts'

/** The name of the campaign that brought the person; null if none is known. */
export const campaignName = (form: FormDetails | null): string | null => form?.campaign.campaign ?? null

/**
 * The source that the campaign names or, without a campaign, the site that linked to the school's; null if the person
 * came directly or it is not known.
 */
export const cameFrom = (form: FormDetails | null): string | null => form?.campaign.source ?? siteOf(form?.referrer)

/** The host of a URL, without `www.`, which makes no difference. */
export const siteOf = (url: string | undefined): string | null =>
  url === undefined ? null : (URL.parse(url)?.hostname.replace(/^www\./, '') ?? null)

/** Where the first form of a lead says that the person came from, with the campaign; '' if no form knew it. */
export const originOfLead = ({ cameFrom, campaign }: Pick<Lead, 'cameFrom' | 'campaign'>): string =>
  joined(cameFrom, campaign)

export type Fact = { label: string; value: string }

/** How a form is called: by default, by its name. */
type TitleOf = (name: string) => string

/** What the form recorded besides the body, in words for staff. */
export const formInWords = (form: FormDetails | null, titleOf?: TitleOf): Fact[] => [
  ...formAnswers(form),
  ...originInWords(form, titleOf),
]

/** What the person answered in a form besides the body: the program, and the school's own questions. */
export function formAnswers(form: FormDetails | null): Fact[] {
  const program = form?.program === undefined ? [] : [{ label: 'Program', value: form.program }]
  const answers = form?.answers ?? []
  return [...program, ...answers.map(({ question, answer }) => ({ label: question, value: answer }))]
}

/** Which form or person brought the inquiry, and where the person came from. */
export function originInWords(form: FormDetails | null, titleOf: TitleOf = name => name): Fact[] {
  if (form === null) return []
  const { campaign, medium, term, content, id } = form.campaign
  return [
    { label: 'Entered by', value: form.entered?.name ?? '' },
    { label: 'Source', value: form.source?.name ?? '' },
    { label: 'Form', value: form.name === undefined ? '' : titleOf(form.name) },
    { label: 'Came from', value: joined(cameFrom(form), medium) },
    { label: 'Campaign', value: joined(campaign, id, term, content) },
    { label: 'Page', value: form.page ?? '' },
    { label: 'Visit began on', value: form.landing ?? '' },
    { label: 'Linked from', value: form.referrer ?? '' },
    { label: 'Click on an ad', value: clicksInWords(form) },
  ].filter(({ value }) => value !== '')
}

/** The ids of clicks as parameters, such as `gclid=abc`. */
export const clicksInWords = ({ clicks = {} }: FormDetails): string =>
  Object.entries(clicks)
    .map(([name, id]) => `${name}=${id}`)
    .join(', ')

const joined = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(', ')
