/** What a request for a form says in its URL and headers: language, placement, and where the person came from. */
import type { IncomingMessage } from 'node:http'
import { preferredLanguage } from '../http/content-negotiation.ts'
import { type Placement, pageUrl, placements } from '../leads/body/form-details.ts'
import { REST } from './two-steps.ts'

const themes = ['light', 'dark', 'auto'] as const

export type Theme = (typeof themes)[number]

export type FormRequest = {
  language: string
  placement: Placement
  /** The parameters of the campaign that led here and the page before this one, as hidden fields need them. */
  cameFrom: Record<string, string>
  /** The program that is chosen at first, from `?program=`. */
  program: string | undefined
  /** The values that the URL gives for fields that it may fill in. */
  prefilled: readonly (readonly [string, string])[]
  /** The token of the second step of a form, and the first step's answers on which that step depends. */
  rest: string | undefined
  before: readonly (readonly [string, string])[]
  /** Whether its page is light, dark, or as the person's screen is. */
  theme: Theme
  /** Whether many people use one tablet, one after the other: no data of one person may be left for the next. */
  kiosk: boolean
  /** Whether the form is only a preview without a script: it is not counted, and cannot be sent. */
  preview: boolean
  /** The sealed data with which the page after a form shows what was sent. */
  sent: string | undefined
  /** The origin of the page whose script makes the request, if it is not ours. */
  site: string | undefined
}

/**
 * Reads the request. The language is the first of these that the school has: the one in `?lang=`, `own` (the form's
 * language), the browser's, the school's first.
 */
export function readRequest(
  { url = '', headers }: IncomingMessage,
  languages: readonly string[],
  {
    own,
    clickIds,
    prefill = [],
  }: { own?: string | undefined; clickIds: readonly string[]; prefill?: readonly string[] | undefined },
): FormRequest {
  const [fallback = 'en'] = languages
  const start = url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start))
  const parameters = [...query]
  const prefer = (wanted: string | null | undefined) => preferredLanguage(wanted ?? undefined, languages)
  const campaign = parameters.filter(([name]) => isCampaign(name, clickIds))
  const referrer = pageUrl(headers.referer)
  const placement = placements.find(one => one === query.get('embed')) ?? 'hosted'
  return {
    language: prefer(query.get('lang')) ?? prefer(own) ?? prefer(headers['accept-language']) ?? fallback,
    placement,
    program: query.get('program') ?? undefined,
    prefilled: parameters.filter(([name]) => prefill.includes(name)).slice(0, 50),
    rest: query.get(REST) ?? undefined,
    before: parameters.filter(([name]) => name === 'program' || name.startsWith('own-')).slice(0, 20),
    theme: themes.find(one => one === query.get('theme')) ?? (query.get('embed') === 'iframe' ? 'light' : 'auto'),
    sent: query.get('sent') ?? undefined,
    kiosk: placement === 'hosted' && query.has('kiosk'),
    preview: query.has('preview'),
    site: headers.origin,
    cameFrom: { ...Object.fromEntries(campaign.slice(0, 20)), ...(referrer !== undefined && { referrer }) },
  }
}

/** Whether a parameter says which campaign, or which click on an ad, led here. */
const isCampaign = (name: string, clickIds: readonly string[]): boolean =>
  name.startsWith('utm_') || clickIds.includes(name)

/**
 * The query that leads to the same page again. The campaign is left out: the page has it already. `prefilled`: with the
 * values that the URL fills in. `rest`: to the second step of a form.
 */
export function queryOf(
  { placement, cameFrom: { referrer: _, ...campaigns }, program, prefilled, theme, kiosk }: FormRequest,
  language: string,
  { campaign = false, prefilled: fills = campaign, rest }: QueryOptions = {},
): string {
  const parameters = [
    ['lang', language],
    ...(placement === 'hosted' ? [] : [['embed', placement]]),
    ...(program === undefined ? [] : [['program', program]]),
    ...(theme === (placement === 'iframe' ? 'light' : 'auto') ? [] : [['theme', theme]]),
    ...(kiosk ? [['kiosk', 'yes']] : []),
    ...(campaign || kiosk ? Object.entries(campaigns) : []),
    ...(fills || kiosk ? prefilled : []),
  ] as string[][]
  const query = new URLSearchParams(parameters)
  if (rest !== undefined) {
    for (const [name, value] of Object.entries(rest.carried)) query.set(name, value)
    query.set(REST, rest.token)
    if (rest.sent !== undefined) query.set('sent', rest.sent)
  }
  return `?${query}`
}

type QueryOptions = {
  campaign?: boolean
  prefilled?: boolean
  rest?: { token: string; carried: Readonly<Record<string, string>>; sent?: string | undefined } | undefined
}
