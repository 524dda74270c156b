/** Turns the values of a form into what the intake receives: the body of its operation, and the details besides it. */
import { siteOf } from '../leads/body/came-from.ts'
import {
  campaignOf,
  clicksIn,
  type FormDetails,
  type Placement,
  pageUrl,
  shortText,
} from '../leads/body/form-details.ts'
import type { FormFacts } from './form-facts.ts'
import { ownAnswersIn } from './own-questions.ts'
import { TRAP } from './render-form.ts'
import { bodyFieldsOf, givenIn } from './shown-fields.ts'
import type { FormToken } from './token.ts'

type Values = Readonly<Record<string, string>>

/**
 * The body of the operation. The honeypot of a form is stored with the details, so the body's own honeypot stays empty.
 * The body of a second step has only the fields of that step, and does not say who the person is.
 */
export function bodyOf(
  { kind, fields }: FormFacts,
  values: Values,
  { startedAt, rest = false }: Pick<FormToken, 'startedAt'> & { rest?: boolean },
  now: number,
): object {
  const ofKind = bodyFieldsOf(kind)
  const body = givenIn(values, rest ? ofKind.filter(name => fields.some(field => field.name === name)) : ofKind)
  // Our clock may have been set back since the form was begun, and the person cannot do anything about that.
  return kind === 'site' ? { ...body, website: '', startedAt: Math.min(startedAt, now) } : body
}

type Sent = {
  token: Pick<FormToken, 'startedAt'>
  placement: Placement
  formUrl: string
  /** Our own URLs. A page at one of them does not count as the page from which someone came. */
  ownUrls: readonly string[]
  now: number
}

export function detailsOf(
  facts: FormFacts,
  values: Values,
  { token, placement, formUrl, ownUrls, now }: Sent,
): FormDetails {
  const { form, consent, language, settings } = facts
  const program = facts.fields.some(({ name }) => name === 'program')
    ? programNamed(facts, values['program'])
    : programNamed(facts, form.program)
  const campaign = campaignOf(field => values[`utm_${field}`])
  const linkedFrom = pageUrl(values['referrer'])
  // Without the script, only the referrer of its request tells a form in an iframe which page is around it.
  const page = pageUrl(values['page']) ?? { hosted: formUrl, iframe: linkedFrom, element: undefined }[placement]
  const referrer = isOwn(linkedFrom, [...ownUrls, settings.school.website, page]) ? undefined : linkedFrom
  const landing = pageUrl(values['landing'])
  const trap = values[TRAP] ? (shortText(values[TRAP]) ?? '(blank)') : undefined
  return {
    ...(page !== undefined && { page }),
    ...(referrer !== undefined && { referrer }),
    ...(landing !== undefined && landing !== page && { landing }),
    campaign: form.source === undefined ? campaign : { source: form.source, ...campaign },
    ...clicksIn(values, settings.forms.clickIds),
    language,
    placement,
    startedAt: token.startedAt,
    consent:
      consent === undefined
        ? null
        : {
            text: consent.text,
            ...(consent.link !== undefined && { link: consent.link }),
            given: values['consent'] !== undefined,
            at: now,
            // A consent without a page would not be valid.
            page: page ?? formUrl,
          },
    ...(program !== undefined && { program }),
    name: form.name,
    ...ownAnswersIn(facts, values),
    ...(trap !== undefined && { trap }),
  }
}

const isOwn = (url: string | undefined, own: readonly (string | undefined)[]): boolean =>
  url === undefined || own.map(siteOf).includes(siteOf(url))

/** The program of this name, in the form's language or the school's first; undefined if the school lacks it. */
export function programNamed({ programs }: FormFacts, text = ''): string | undefined {
  const wanted = text.trim().toLowerCase()
  return programs.find(({ value, label }) => [value, label].some(one => one.toLowerCase() === wanted))?.value
}
