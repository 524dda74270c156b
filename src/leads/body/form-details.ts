/**
 * What one of our forms, for people or for staff, adds to the body of a submission: where the person came from, what
 * they agreed to, and evidence for screening. It is stored as JSON besides the body, whose fields are fixed.
 */
import { isPlainObject, parsedJson } from '../../platform/json.ts'
import { type DayPart, dayParts } from '../../platform/time.ts'
import { type Entered, readEntered } from '../lead/entered.ts'
import { isLanguageTag } from './languages.ts'
import { isPlain, tidy } from './tidy-text.ts'

export const placements = ['hosted', 'element', 'iframe'] as const

/** Where the form was: on its own page, as an element on another page, or in an iframe there. */
export type Placement = (typeof placements)[number]

export const campaignFields = ['source', 'medium', 'campaign', 'term', 'content', 'id'] as const

/** The parameters `utm_source`, `utm_medium`, … of the page. */
export type Campaign = { [K in (typeof campaignFields)[number]]?: string }

/** The consent to be called and texted: what the person saw, whether they ticked it, when, and on which page. */
export type Consent = {
  text: string
  link?: string
  given: boolean
  /** Unix time in milliseconds. */
  at: number
  /** The page on which the person was asked. Only a source may leave it out. */
  page?: string
  /** The number for which the person agreed, if someone has corrected it since. Never stored. */
  phone?: string
}

/** One of the school's own questions, and the person's answer. */
export type OwnAnswer = { question: string; answer: string }

/** The parameters in which the usual ad networks pass the id of a click. No field of a form has one of these names. */
export const clickIds = [
  ...(['gclid', 'gbraid', 'wbraid', 'dclid', 'fbclid', 'msclkid', 'ttclid', 'twclid'] as const),
  ...(['li_fat_id', 'epik', 'rdt_cid', 'ScCid'] as const),
]

export type FormDetails = {
  /** The page that the form was on, http or https, without query and fragment. */
  page?: string
  /** The page of another site from which the person came, with the same rules as `page`. */
  referrer?: string
  /** The page on which their visit to the website began, with the same rules, if it is not `page`. */
  landing?: string
  campaign: Campaign
  /** The ids of a click on an ad that the school keeps, such as `gclid`, by parameter. */
  clicks?: Record<string, string>
  /** The language of the form (a BCP 47 tag such as `es`). */
  language: string
  /** `staff`: in the console, or on the command line. `source`: someone else's program posted it. */
  placement: Placement | 'staff' | 'source'
  /** When we rendered the form, Unix time in milliseconds; signed by the form's token. */
  startedAt: number
  /** The answer about calls and texts; null if the form did not ask. */
  consent: Consent | null
  /** The school's program that the person chose, by its name in the school's first language. */
  program?: string
  /** The school's form: the last part of its URL. */
  name?: string
  /** The best time to call, as they answered. */
  bestTime?: DayPart
  /** The campus that they chose, in the school's first language. */
  campus?: string
  /** Answers to the school's own questions, including those about time and campus, in the school's first language. */
  answers?: OwnAnswer[]
  /** The content of the hidden field. Only a program sees that field. */
  trap?: string
  /** The submission that this one completes: the first step of the same form. This one repeats what it said. */
  completes?: number
  /** Whether it completes that one by correcting it, after the form: the person gave a wrong number or address. */
  corrects?: true
  /** Only for a form that staff fill in. */
  entered?: Entered
  /** The source that posted it. */
  source?: BroughtBy
}

/** A source that brings leads, with its name at the time. */
export type BroughtBy = {
  id: number
  name: string
  /** Whether its people asked the school to write to them by email. */
  mayWrite: boolean
}

/** The longest URL, campaign parameter, consent text and name of a program or campus that we store, in UTF-16 units. */
const LONGEST_URL = 500
const LONGEST_PARAMETER = 100
const LONGEST_CONSENT = 2000
const LONGEST_PROGRAM = 120

/** The longest id of a click, in UTF-16 units. */
const LONGEST_CLICK = 300

/**
 * How many of the school's own questions a form can have, and so how many answers an inquiry can have; and the longest
 * answer, in UTF-16 units.
 */
export const MOST_ANSWERS = 8
export const LONGEST_ANSWER = 2500

/** The longest answer that someone types, in characters. */
export const LONGEST_TYPED = 300

/** A page's URL without query, fragment and credentials; undefined unless http or https, at most 500 characters. */
export function pageUrl(text: unknown): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  const page = `${url.origin}${url.pathname}`
  return page.length <= LONGEST_URL ? page : undefined
}

/** A URL of http or https as it is, of at most 500 characters; undefined for anything else. */
function webUrl(text: unknown): string | undefined {
  const url = typeof text === 'string' && text.length <= LONGEST_URL ? URL.parse(text) : null
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** Text as one line, safe to store and print, cut to a length; undefined if there is no text. */
export function shortText(text: unknown, most = LONGEST_PARAMETER): string | undefined {
  if (typeof text !== 'string') return undefined
  const cut = text.slice(0, most)
  if (isPlain(cut)) return cut
  const clean = tidy(cut.toWellFormed().replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' '))
  return clean === '' ? undefined : clean
}

/** A campaign made from the value of each of its fields, whatever these values are. */
export function campaignOf(value: (field: (typeof campaignFields)[number]) => unknown): Campaign {
  const campaign: Campaign = {}
  for (const field of campaignFields) {
    const text = shortText(value(field))
    if (text !== undefined) campaign[field] = text
  }
  return campaign
}

/** A language tag in the notation of the settings, such as `es` or `pt-BR`; undefined for anything else. */
const languageOf = (tag: unknown): string | undefined =>
  typeof tag === 'string' && isLanguageTag(tag) ? tag : undefined

/**
 * Reads the details that are stored with a submission. Never throws: parts that are not in our format are left out, and
 * if it is not an object at all, the result is null.
 */
export function readFormDetails(stored: string | null): FormDetails | null {
  if (stored === null) return null
  const form = objectOf(parsedJson(stored))
  if (form === undefined) return null
  const {
    page,
    referrer,
    landing,
    clicks,
    campaign,
    language,
    placement,
    startedAt,
    consent,
    program,
    name,
    answers,
    trap,
    completes,
    corrects,
  } = form
  const bestTime = dayParts.find(part => part === form['bestTime'])
  const entered = readEntered(form['entered'])
  const source = readBroughtBy(form['source'])
  const values = objectOf(campaign) ?? {}
  return {
    ...named('page', pageUrl(page)),
    ...named('referrer', pageUrl(referrer)),
    ...named('landing', pageUrl(landing)),
    campaign: campaignOf(field => values[field]),
    ...clicksIn(objectOf(clicks) ?? {}),
    language: languageOf(language) ?? 'en',
    placement: source ? 'source' : entered ? 'staff' : (placements.find(known => known === placement) ?? 'hosted'),
    startedAt: momentOf(startedAt),
    consent: readConsent(consent, source),
    ...named('program', shortText(program, LONGEST_PROGRAM)),
    ...named('name', shortText(name)),
    ...(bestTime && { bestTime }),
    ...named('campus', shortText(form['campus'], LONGEST_PROGRAM)),
    ...answersIn(answers),
    ...named('trap', shortText(trap)),
    ...(typeof completes === 'number' && Number.isSafeInteger(completes) && { completes }),
    ...(corrects === true && { corrects }),
    ...(entered && { entered }),
    ...(source && { source }),
  }
}

/**
 * The details of a submission that completes another: those of the first one, and what the second one adds or corrects.
 * Someone who corrects their number agrees, or does not agree, to calls to the new one.
 */
export function completing(
  { corrects: _, ...first }: FormDetails,
  rest: FormDetails,
  { completes, otherNumber }: { completes: number; otherNumber: boolean },
): FormDetails {
  const { language, placement, startedAt, program, bestTime, campus, trap, corrects, consent } = rest
  const added = rest.answers ?? []
  const kept = (first.answers ?? []).filter(({ question }) => !added.some(one => one.question === question))
  const answers = [...kept, ...added]
  return {
    ...first,
    ...(corrects && { corrects, ...((consent?.given || otherNumber) && { consent }) }),
    language,
    placement,
    startedAt,
    completes,
    ...(program !== undefined && { program }),
    ...(bestTime && { bestTime }),
    ...(campus !== undefined && { campus }),
    ...(answers.length > 0 && { answers }),
    ...(trap !== undefined && { trap }),
  }
}

function readBroughtBy(value: unknown): BroughtBy | undefined {
  const { id, name, mayWrite } = objectOf(value) ?? {}
  const called = shortText(name)
  if (typeof id !== 'number' || called === undefined) return undefined
  return { id, name: called, mayWrite: mayWrite === true }
}

/** The ids of clicks among some values by parameter, in these parameters. */
export function clicksIn(
  values: Readonly<Record<string, unknown>>,
  parameters: readonly string[] = clickIds,
): { clicks?: Record<string, string> } {
  let clicks: Record<string, string> | undefined
  for (const name of parameters) {
    const text = shortText(values[name], LONGEST_CLICK)
    if (text !== undefined) clicks = { ...clicks, [name]: text }
  }
  return clicks === undefined ? {} : { clicks }
}

function answersIn(value: unknown): { answers?: OwnAnswer[] } {
  const all = Array.isArray(value) ? value : []
  const answers = all.slice(0, MOST_ANSWERS).flatMap((one: unknown) => {
    const { question, answer } = objectOf(one) ?? {}
    const [asked, said] = [shortText(question, LONGEST_PROGRAM), shortText(answer, LONGEST_ANSWER)]
    return asked === undefined || said === undefined ? [] : [{ question: asked, answer: said }]
  })
  return answers.length === 0 ? {} : { answers }
}

function readConsent(value: unknown, source: BroughtBy | undefined): Consent | null {
  const consent = objectOf(value)
  const text = shortText(consent?.['text'], LONGEST_CONSENT)
  const page = pageUrl(consent?.['page'])
  if (consent === undefined || text === undefined || (page === undefined && source === undefined)) return null
  const { link, given: ticked, at } = consent
  return { text, ...named('link', webUrl(link)), given: ticked === true, at: momentOf(at), ...named('page', page) }
}

/** An object with one property; empty if there is no value. */
export const named = <K extends string>(name: K, value: string | undefined): { [P in K]?: string } =>
  (value === undefined ? {} : { [name]: value }) as { [P in K]?: string }

function momentOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0
}

const objectOf = (value: unknown): Record<string, unknown> | undefined => (isPlainObject(value) ? value : undefined)
